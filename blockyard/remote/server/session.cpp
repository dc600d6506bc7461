// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/current_error.h"
#include "blockyard/rpc/striped/striped.h"

namespace blockyard::remote {

using base::Errc;
using base::Error;

namespace {

constexpr std::size_t max_devices = 64;  // that a client opens
constexpr std::size_t max_streams = 512;
constexpr std::size_t max_shown = 500;  // clients in one answer about the use of devices

Kind kind_of(const rpc::Frame& frame) { return static_cast<Kind>(frame.head.kind); }

bool is_asked(Kind kind) {
  return kind == Kind::open || kind == Kind::close || kind == Kind::describe ||
         kind == Kind::allocate || kind == Kind::plan || kind == Kind::status || kind == Kind::work;
}

std::string text_of(const auto& message) {
  const std::vector<std::byte> body = encode(message);
  return {reinterpret_cast<const char*>(body.data()), body.size()};
}

}  // namespace

Session::Session(std::unique_ptr<rpc::Transport> transport, const Terms& terms)
    : transport_(std::move(transport)),
      link_(transport_.get()),
      terms_(terms),
      sender_(*transport_),
      staging_(terms.staging_bytes),
      began_(base::now_seconds()) {}

Session::~Session() { leave(); }

void Session::leave() noexcept {
  cut();  // lanes may be sending
  staging_.end();
  {
    const std::lock_guard lock(telling_);
    is_over_ = true;
  }
  told_.notify_all();
  if (teller_.joinable()) teller_.join();
  for (const auto& [number, device] : devices_) device->end();
  for (const auto& [number, device] : devices_) device->stop();  // they may copy from each other
  devices_.clear();
  seats_.clear();
  {
    const std::lock_guard lock(cutting_);
    link_ = transport_.get();
  }
  striped_.reset();
  terms_.joins->release(server_nonce_);
}

void Session::send(Kind kind, const auto& message, std::uint64_t request) {
  sender_.send(frame_of(kind, message, request));
}

std::string Session::run() {
  std::string why;
  try {
    if (shake_hands()) {
      rpc::Frame frame;
      constexpr double short_time = 1e-3;  // messages that wait come so soon after each other
      double since = 0;
      for (double before = 0; !has_joined_ && rpc::receive_frame(*link_.load(), frame);
           before = base::now_seconds()) {
        const double now = base::now_seconds();
        if (now - before > short_time) since = now;
        message_since_ = now;
        taking_since_ = since;
        take(frame);
        taking_since_ = 0;
      }
    } else {
      why = "it did not prove that it has a token that is known here";
    }
  } catch (const std::exception&) {
    why = base::current_error().what();
    try {
      send(Kind::refused, Text{why});
    } catch (const std::exception&) {  // it has gone, or there is no memory to say so
    }
  }
  leave();
  return why;
}

bool Session::shake_hands() {
  rpc::Frame frame;
  if (!rpc::receive_frame(*transport_, frame) || frame.head.payload_bytes != 0) return false;
  if (kind_of(frame) == Kind::join) return join(frame);
  if (kind_of(frame) != Kind::hello) return false;
  const auto hello = decode<Hello>(frame);
  if (hello.version != protocol_version) {
    send(Kind::refused, Text{fmt::format("it uses version {} of the protocol, not {}",
                                         protocol_version, hello.version)});
    return false;
  }
  Welcome welcome{protocol_version, rpc::random_bytes(), terms_.wants_proof, {}};
  for (const Export& one : terms_.devices)
    welcome.devices.push_back({one.kind, fmt::format("{} {}", one.kind, one.number)});
  send(Kind::welcome, welcome);
  if (terms_.wants_proof) {
    const auto known = std::ranges::find(terms_.tokens, hello.identity, &Token::name);
    // A name that is unknown is answered as a wrong secret is.
    const std::string secret = known == terms_.tokens.end() ? std::string(64, '\0') : known->secret;
    if (!rpc::receive_frame(*transport_, frame) || kind_of(frame) != Kind::prove ||
        frame.head.payload_bytes != 0)
      return false;
    const rpc::Digest expected = proof_of("client", secret, hello.nonce, welcome.nonce);
    if (!rpc::is_same(decode<Proof>(frame).digest, expected) || known == terms_.tokens.end()) {
      send(Kind::refused, Text{"the token is not known there"});
      return false;
    }
    client_ = hello.identity;
    weight_ = known->weight;
    secret_ = secret;
    send(Kind::prove, Proof{proof_of("server", secret, hello.nonce, welcome.nonce)});
  }
  client_nonce_ = hello.nonce;
  server_nonce_ = welcome.nonce;
  is_proven_ = true;
  return true;
}

/// Returns when the session whose socket this is has ended.
bool Session::join(const rpc::Frame& frame) {
  const auto asked = decode<Join>(frame);
  is_proven_ = has_joined_ = true;  // by what comes next, or it has gone
  if (!terms_.joins->lend(asked, *transport_)) has_joined_ = false;
  return has_joined_;
}

/// The first frame after the greeting; before the answer is there no socket joins.
void Session::widen(const rpc::Frame& frame) {
  if (striped_ || !devices_.empty()) throw Error(Errc::bad_input, "sockets were wanted too late");
  const auto count = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(decode<Widen>(frame).sockets, 1, rpc::striped::most_members));
  std::vector<rpc::Digest> proofs;
  for (std::uint32_t k = 1; k < count; ++k)
    proofs.push_back(join_proof_of(k, secret_, client_nonce_, server_nonce_));
  terms_.joins->expect(server_nonce_, std::move(proofs));
  send(Kind::answer, Answer{BLOCKYARD_OK, "", count, {}}, frame.head.request);
  std::vector<rpc::Transport*> all = terms_.joins->wait(server_nonce_, terms_.join_seconds);
  if (all.size() + 1 != count) throw Error(Errc::comm, "its other sockets did not come");
  all.insert(all.begin(), transport_.get());
  striped_ = rpc::striped::over(std::move(all));
  link_ = striped_.get();
  sender_.use(*striped_);
}

Exported& Session::device(std::uint32_t number) const {
  const auto found = devices_.find(number);
  if (found == devices_.end()) throw Error(Errc::bad_input, "a device is not open");
  return *found->second;
}

void Session::take(const rpc::Frame& frame) {
  const Kind kind = kind_of(frame);
  if (kind == Kind::copy_in) return take_copy_in(frame);
  if (frame.head.payload_bytes != 0) throw Error(Errc::bad_input, "an unexpected payload arrived");
  if (kind == Kind::ping) return sender_.send({static_cast<std::uint16_t>(Kind::pong), 0, {}, {}});
  if (kind == Kind::plan) return take_plan(frame);
  if (kind == Kind::widen) return widen(frame);
  if (is_asked(kind)) return send(Kind::answer, answer(frame), frame.head.request);
  take_enqueued(frame);
}

Answer Session::answer(const rpc::Frame& frame) {
  switch (kind_of(frame)) {
    case Kind::open:
      return open(decode<Open>(frame));
    case Kind::close:
      close(decode<Number>(frame).device);
      return {};
    case Kind::describe:
      return device(decode<Number>(frame).device).describe();
    case Kind::allocate: {
      const auto asked = decode<Memory>(frame);
      return device(asked.device).allocate(asked.bytes);
    }
    case Kind::work:
      return work(decode<Number>(frame).device);
    default:
      return usage();
  }
}

/// Answered when it is made; other messages are taken meanwhile.
void Session::take_plan(const rpc::Frame& frame) {
  const auto asked = decode<Plan>(frame);
  device(asked.number.device)
      .open_plan(asked, [this, request = frame.head.request](const Answer& answer) {
        try {
          send(Kind::answer, answer, request);
        } catch (const std::exception&) {  // it would wait for ever
          cut();
        }
      });
}

Answer Session::open(const Open& asked) {
  if (asked.index >= terms_.devices.size())
    return {BLOCKYARD_BAD_ARGUMENT,
            fmt::format("the server has {} devices, from number 0 on, but no number {}",
                        terms_.devices.size(), asked.index),
            0,
            {}};
  if (devices_.size() >= max_devices || devices_.contains(asked.device))
    throw Error(Errc::bad_input, "too many devices were opened, or one twice");
  try {
    devices_[asked.device] = std::make_unique<Exported>(
        terms_.devices[asked.index], asked.device, asked.options, terms_.client_memory_bytes,
        seat(asked.index),
        Wire{[this](const rpc::Outgoing& frame) { sender_.send(frame); }, [this] { cut(); },
             [this](const Place& done) { tell_later(done); }});
  } catch (const std::exception&) {
    devices_.erase(asked.device);
    return {BLOCKYARD_FAILED, base::current_error().what(), 0, {}};
  }
  return {};
}

Seat& Session::seat(std::uint32_t index) {
  const std::lock_guard lock(telling_);
  auto& known = seats_[index];
  if (!known) known = std::make_unique<Seat>(terms_.devices[index].use, client_, weight_);
  if (!teller_.joinable()) teller_ = std::thread([this] { tell_news(); });
  return *known;
}

Answer Session::usage() const {
  Usage all;
  std::size_t room = max_shown;
  for (const Export& one : terms_.devices) {
    DeviceUse& use = all.devices.emplace_back(one.use->state());
    use.clients.resize(std::min(use.clients.size(), room));
    room -= use.clients.size();
  }
  return {BLOCKYARD_OK, text_of(all), 0, {}};
}

Answer Session::work(std::uint32_t index) {
  const std::lock_guard lock(telling_);
  const auto found = seats_.find(index);
  if (found == seats_.end()) throw Error(Errc::bad_input, "a device was never opened");
  return {BLOCKYARD_OK, text_of(found->second->work()), 0, {}};
}

void Session::tell_later(const Place& done) noexcept try {
  const std::lock_guard lock(telling_);
  done_[{done.device, done.stream}] = done;
  told_.notify_all();
} catch (const std::bad_alloc&) {  // a client that has not been told would wait for ever
  cut();
}

/// The loads that have changed, and that the receiving thread is busy, not hanging: memory is being
/// wiped, say. A device that hangs may say so for a while only.
void Session::add_loads(std::map<std::uint32_t, Load>& told, std::vector<rpc::Outgoing>& news) {
  constexpr double long_time = 0.3, too_long = 60;
  for (const auto& [index, seat] : seats_) {
    Load now = seat->load();
    now.index = index;
    if (std::exchange(told[index], now) != now) news.push_back(frame_of(Kind::load, now));
    if (const std::uint64_t wanted = seat->take_wanted(); wanted > 0)
      news.push_back(frame_of(Kind::trim, Trim{index, wanted}));
  }
  const double series = taking_since_, message = message_since_, now = base::now_seconds();
  if (series != 0 && now - series > long_time && now - message < too_long)
    news.push_back({static_cast<std::uint16_t>(Kind::pong), 0, {}, {}});
}

/// What is done at once, the rest ten times a second at most. A client that does not receive stops
/// nothing but this.
void Session::tell_news() noexcept try {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pause(100);
  std::map<std::uint32_t, Load> told;
  Clock::time_point next = Clock::now() + pause;
  std::unique_lock lock(telling_);
  while (!is_over_) {
    told_.wait_until(lock, next, [&] { return is_over_ || !done_.empty(); });
    std::vector<rpc::Outgoing> news;
    for (const auto& [stream, place] : done_) news.push_back(frame_of(Kind::done, place));
    done_.clear();
    if (Clock::now() >= next) {
      add_loads(told, news);
      next = Clock::now() + pause;
    }
    lock.unlock();
    for (const rpc::Outgoing& frame : news) sender_.send(frame);
    lock.lock();
  }
} catch (const std::exception&) {  // the client is gone, or waits for what it would not be told
  cut();
}

/// Other devices may still copy from it.
void Session::close(std::uint32_t closed) {
  static_cast<void>(device(closed));
  for (const auto& [number, open] : devices_) open->finish();
  devices_.erase(closed);
}

void Session::take_copy_in(const rpc::Frame& frame) {
  const auto copy = decode<Copy>(frame);
  if (copy.bytes != frame.head.payload_bytes || copy.bytes == 0)
    throw Error(Errc::bad_input, "the payload of a copy does not have the length of the copy");
  Exported& to = device(copy.place.device);
  const auto receive = [&](std::span<std::byte> into) {
    taking_since_ = 0;  // it takes as long as the client does
    rpc::receive_payload(*link_.load(), frame, into);
    message_since_ = base::now_seconds();
    taking_since_ = message_since_.load();
  };
  if (std::byte* const landing = to.landing(copy)) {
    receive({landing, copy.bytes});
    return to.copy_in(copy, nullptr);
  }
  auto staged = staging_.take(copy.bytes);
  if (!staged) throw Error(Errc::comm, "the connection ends");
  receive(std::span(*staged).first(copy.bytes));
  to.copy_in(copy, std::move(staged));
}

void Session::take_enqueued(const rpc::Frame& frame) {
  switch (kind_of(frame)) {
    case Kind::release: {
      const auto memory = decode<Memory>(frame);
      Exported& holder = device(memory.device);
      if (holder.is_read_by_others(memory.address))
        for (const auto& [number, open] : devices_) open->finish();
      return holder.release(memory.address);
    }
    case Kind::stream: {
      const auto place = decode<Place>(frame);
      std::size_t streams = 0;
      for (const auto& [number, open] : devices_) streams += open->streams();
      if (streams >= max_streams)
        throw Error(Errc::bad_input, "the client has reached its limit of streams");
      return device(place.device).open_stream(place.stream);
    }
    case Kind::end_stream: {
      const auto place = decode<Place>(frame);
      device(place.device).close_stream(place.stream);
      const std::lock_guard lock(telling_);
      done_.erase({place.device, place.stream});
      return;
    }
    case Kind::end_plan: {
      const auto number = decode<Number>(frame);
      return device(number.device).close_plan(number.plan);
    }
    case Kind::copy_out:
    case Kind::copy_within:
    case Kind::copy_peer: {
      const auto copy = decode<Copy>(frame);
      Exported& to = device(copy.place.device);
      if (kind_of(frame) == Kind::copy_out) return to.copy_out(copy);
      if (kind_of(frame) == Kind::copy_within) return to.copy_within(copy);
      return to.copy_from(device(copy.from_device), copy);
    }
    case Kind::fill: {
      const auto fill = decode<Fill>(frame);
      return device(fill.place.device).fill(fill);
    }
    case Kind::run: {
      const auto run = decode<Run>(frame);
      return device(run.place.device).run(run);
    }
    case Kind::record: {
      const auto place = decode<Place>(frame);
      return device(place.device).record(place);
    }
    case Kind::wait: {
      const auto wait = decode<Wait>(frame);
      return device(wait.place.device).wait(wait);
    }
    default:
      throw Error(Errc::bad_input,
                  fmt::format("a message of unknown kind {} arrived", frame.head.kind));
  }
}

}  // namespace blockyard::remote
