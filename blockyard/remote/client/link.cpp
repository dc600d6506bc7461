// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/client/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "blockyard/base/clock.h"
#include "blockyard/base/current_error.h"
#include "blockyard/base/without_signals.h"
#include "blockyard/remote/client/silence.h"
#include "blockyard/rpc/striped/striped.h"

namespace blockyard::remote {

using base::Errc;
using base::Error;

namespace {

/// Cuts a transport unless this ends in time.
class Deadline {
 public:
  Deadline(rpc::Transport& transport, double seconds)
      : thread_([this, &transport, seconds] {
          std::unique_lock lock(mutex_);
          if (!changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                                 [this] { return is_over_; }))
            transport.cut();
        }) {}
  ~Deadline() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;  ///< last: it uses the others
};

Kind kind_of(const rpc::Frame& frame) { return static_cast<Kind>(frame.head.kind); }

/// In place of a copy into a stream that has failed, whose work must keep its numbers.
rpc::Outgoing without_payload(const rpc::Outgoing& copy_in) {
  const auto copy = decode<Copy>(copy_in.body);
  return frame_of(Kind::fill, Fill{copy.place, copy.to, BLOCKYARD_F64, {}, 0}, copy_in.request);
}

}  // namespace

Link::Link(std::unique_ptr<rpc::Transport> transport, const std::optional<Token>& token,
           double patience_seconds, const More& more)
    : transport_(std::move(transport)), patience_seconds_(patience_seconds) {
  const base::WithoutSignals quiet;
  {
    const Deadline deadline(*transport_, std::min(patience_seconds, more.greeting_seconds));
    shake_hands(token, more);
  }
  heard_ = base::now_seconds();
  threads_ = 2;
  sender_ = std::thread([this] { send_posted(); });
  try {
    receiver_ = std::thread([this] { receive_all(); });
  } catch (const std::exception&) {  // no memory for another one
    {
      std::unique_lock lock(mutex_);
      --threads_;
      lose(lock, "no thread for the link");
    }
    sender_.join();
    throw;
  }
}

Link::~Link() {
  cut("closed");
  sender_.join();
  receiver_.join();
}

rpc::Frame Link::expect_frame() {
  rpc::Frame frame;
  if (!rpc::receive_frame(*transport_, frame))
    throw Error(Errc::comm, fmt::format("{} ended the connection", transport_->peer()));
  if (kind_of(frame) == Kind::refused)
    throw Error(Errc::comm, fmt::format("{} refuses the connection: {}", transport_->peer(),
                                        decode<Text>(frame).text));
  return frame;
}

/// The further sockets prove to be of this client, by its token or by a number that only it knows.
void Link::widen(const More& more, std::string_view secret, const rpc::Digest& client_nonce,
                 const rpc::Digest& server_nonce) {
  const auto send = [](rpc::Transport& by, const rpc::Outgoing& frame) {
    rpc::send_frames(by, {&frame, 1});
  };
  send(*transport_, frame_of(Kind::widen, Widen{more.sockets}, 1));
  const auto granted = decode<Answer>(expect_frame()).value;
  sockets_.push_back(std::move(transport_));
  for (std::uint32_t k = 1; k < std::min<std::uint64_t>(granted, more.sockets); ++k) {
    sockets_.push_back(more.connect());
    const Join join{server_nonce, k, join_proof_of(k, secret, client_nonce, server_nonce)};
    send(*sockets_.back(), frame_of(Kind::join, join));
  }
  std::vector<rpc::Transport*> all;
  for (const auto& socket : sockets_) all.push_back(socket.get());
  transport_ = rpc::striped::over(std::move(all));
}

void Link::shake_hands(const std::optional<Token>& token, const More& more) {
  const auto send = [&](Kind kind, const auto& message) {
    const rpc::Outgoing frame = frame_of(kind, message);
    rpc::send_frames(*transport_, {&frame, 1});
  };
  const auto refuse = [&](std::string_view why) {
    throw Error(Errc::comm, fmt::format("{}: {}", transport_->peer(), why));
  };
  const Hello hello{protocol_version, rpc::random_bytes(), token ? token->name : ""};
  send(Kind::hello, hello);
  const rpc::Frame frame = expect_frame();
  if (kind_of(frame) != Kind::welcome)
    refuse("the program that answers there is not a device server");
  const auto welcome = decode<Welcome>(frame);
  if (welcome.version != protocol_version)
    refuse(fmt::format("the server uses version {} of the protocol, and this client version {}",
                       welcome.version, protocol_version));
  devices_ = welcome.devices;
  if (more.wants_proof && token && welcome.wants_proof == 0)
    refuse("the program that answers there does not prove that it knows the token");
  if (welcome.wants_proof != 0) {
    if (!token) refuse("the server requires a token: name its file with --token");
    send(Kind::prove, Proof{proof_of("client", token->secret, hello.nonce, welcome.nonce)});
    const auto theirs = decode<Proof>(expect_frame());
    if (!rpc::is_same(theirs.digest, proof_of("server", token->secret, hello.nonce, welcome.nonce)))
      refuse("the server does not know the token: another server made it");
  }
  const std::string_view secret = welcome.wants_proof != 0 ? token->secret : std::string_view();
  if (more.sockets > 1) widen(more, secret, hello.nonce, welcome.nonce);
}

std::uint32_t Link::next_number() noexcept {
  const std::lock_guard lock(mutex_);
  return ++numbers_;
}

void Link::post(rpc::Outgoing frame) {
  {
    const std::lock_guard lock(mutex_);
    if (!lost_.empty()) return;
    posted_.push_back({std::move(frame)});
  }
  posted_cv_.notify_one();
}

void Link::post_work(const StreamKey& key, std::uint64_t sequence, rpc::Outgoing frame) {
  {
    const std::lock_guard lock(mutex_);
    if (!lost_.empty()) return;
    Stream& stream = streams_[key];
    if (!frame.payload.empty() && stream.progress.failed_from <= sequence)
      frame = without_payload(frame);
    posted_.push_back({std::move(frame), key});
    stream.posted = sequence;
  }
  posted_cv_.notify_one();
}

std::uint64_t Link::ask_ahead(Kind kind, std::vector<std::byte> body) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t request = ++requests_;
  asked_[request];
  if (lost_.empty())
    posted_.push_back({{static_cast<std::uint16_t>(kind), request, std::move(body), {}}});
  posted_cv_.notify_one();
  return request;
}

Answer Link::wait_for_answer(std::uint64_t request) {
  std::unique_lock lock(mutex_);
  wait_until(lock, [&] { return asked_[request].has_value(); });
  Answer answer{BLOCKYARD_FAILED, lost_, 0, {}};
  if (asked_[request]) answer = *asked_[request];
  asked_.erase(request);
  return answer;
}

bool Link::is_answered(std::uint64_t request) {
  const std::lock_guard lock(mutex_);
  return asked_[request].has_value();
}

std::uint64_t Link::ask_work(std::uint32_t index) {
  return ask_ahead(Kind::work, encode(Number{index, 0}));
}

std::optional<WorkSeconds> Link::wait_for_work(std::uint64_t request) try {
  const Answer answer = wait_for_answer(request);
  if (answer.status != BLOCKYARD_OK) return std::nullopt;
  return decode<WorkSeconds>(std::as_bytes(std::span(answer.text)));
} catch (const Error&) {  // it answers nonsense
  return std::nullopt;
}

Link::Carried Link::carried() {
  const std::lock_guard lock(mutex_);
  return carried_;
}

void Link::expect(const StreamKey& key, std::uint64_t sequence, std::span<std::byte> into) {
  const std::lock_guard lock(mutex_);
  streams_[key].landings.push_back({sequence, into, into.size()});
}

Progress Link::progress(const StreamKey& key) {
  const std::lock_guard lock(mutex_);
  Progress now = streams_[key].progress;
  if (is_over() && now.failed_from == Progress::never) {
    now.failed_from = now.done + 1;
    now.text = lost_;
  }
  return now;
}

void Link::fail(const StreamKey& key, std::uint64_t from, const std::string& text) {
  const std::lock_guard lock(mutex_);
  Stream& stream = streams_[key];
  Progress& now = stream.progress;
  if (from < now.failed_from) now = {now.done, from, text};
  auto& landings = stream.landings;
  while (!landings.empty() && landings.back().sequence >= from) landings.pop_back();
  changed_.notify_all();
}

bool Link::is_reached(const StreamKey& key, std::uint64_t sequence) {
  // Copies enqueued before the failure still land in memory of the caller.
  const Progress& now = streams_[key].progress;
  if (now.done >= sequence) return true;
  return now.done >= now.failed_from - 1 && !is_sending(key);
}

bool Link::is_sending(const StreamKey& key) const noexcept {
  return std::ranges::find(sending_, key) != sending_.end();
}

/// Of a stream that has failed: what waits to be sent has no payloads from here on.
void Link::let_go(const StreamKey& key) {
  for (Posted& one : posted_)
    if (one.key == key && !one.frame.payload.empty()) one.frame = without_payload(one.frame);
}

void Link::wait(const StreamKey& key, std::uint64_t sequence) {
  std::unique_lock lock(mutex_);
  wait_until(lock, [&] { return is_reached(key, sequence); });
}

bool Link::is_over(const StreamKey& key, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  return is_reached(key, sequence) || is_over();
}

void Link::forget(const StreamKey& key) {
  const std::lock_guard lock(mutex_);
  streams_.erase(key);
}

std::string Link::lost() {
  const std::lock_guard lock(mutex_);
  return is_over() ? lost_ : "";
}

void Link::cut(std::string why) {
  std::unique_lock lock(mutex_);
  lose(lock, std::move(why));
  changed_.wait(lock, [&] { return threads_ == 0; });
}

void Link::lose(std::unique_lock<std::mutex>&, std::string why) noexcept {
  if (lost_.empty()) lost_ = std::move(why);
  transport_->cut();
  posted_cv_.notify_all();
}

template <class Holds>
void Link::wait_until(std::unique_lock<std::mutex>& lock, const Holds& holds) {
  const double step = std::min(1.0, patience_seconds_ / 4);
  Silence silence(base::now_seconds(), step);
  while (!holds() && !is_over()) {
    const double now = base::now_seconds();
    const double silent = silence.until(now, heard_), left = patience_seconds_ - silent;
    try {
      if (left < 0)
        lose(lock, fmt::format("the link to {} is lost: nothing arrived for {:g} s",
                               transport_->peer(), patience_seconds_));
      else if (std::min(silent, now - pinged_) > patience_seconds_ / 2 && lost_.empty()) {
        pinged_ = now;
        posted_.push_back({{static_cast<std::uint16_t>(Kind::ping), 0, {}, {}}});
        posted_cv_.notify_one();
      }
    } catch (const std::bad_alloc&) {  // memory of the caller is still in use: it waits on
    }
    changed_.wait_for(lock, std::chrono::duration<double>(left > 0 ? std::min(left, step) : step));
  }
}

/// Called while the exception is handled.
std::string Link::why_lost() const noexcept try {
  return fmt::format("the link to {} is lost: {}", transport_->peer(),
                     base::current_error().what());
} catch (const std::exception&) {
  return "no memory";
}

void Link::send_posted() noexcept {
  // Frames in one call of the transport. Their checksums come first, so that not many bytes of
  // payloads go together: the network would wait, and the data leave the cache.
  constexpr std::size_t together = 32, enough_bytes = std::size_t{256} << 10;
  std::unique_lock lock(mutex_);
  try {
    for (;;) {
      posted_cv_.wait(lock, [&] { return !posted_.empty() || !lost_.empty(); });
      if (!lost_.empty()) break;
      std::vector<rpc::Outgoing> now;
      std::size_t bytes = 0;
      for (; !posted_.empty() && now.size() < together && bytes < enough_bytes;
           posted_.pop_front()) {
        Posted& next = posted_.front();
        bytes += next.frame.payload.size();
        if (!next.frame.payload.empty()) sending_.push_back(next.key);
        now.push_back(std::move(next.frame));
      }
      const bool carries = !sending_.empty();
      lock.unlock();
      const double began = base::now_seconds();
      rpc::send_frames(*transport_, now);
      lock.lock();
      if (!carries) continue;
      sending_.clear();
      changed_.notify_all();
      heard_ = base::now_seconds();  // answers come after what is being sent
      carried_.to_server += heard_ - began;
    }
  } catch (const std::exception&) {
    if (!lock.owns_lock()) lock.lock();
    lose(lock, why_lost());
  }
  posted_.clear();
  --threads_;
  changed_.notify_all();
}

void Link::receive_all() noexcept {
  std::string why;
  try {
    rpc::Frame frame;
    while (rpc::receive_frame(*transport_, frame)) take(frame);
    why = fmt::format("the link to {} is lost: the server closed it", transport_->peer());
  } catch (const std::exception&) {
    why = why_lost();
  }
  std::unique_lock lock(mutex_);
  lose(lock, std::move(why));
  --threads_;
  changed_.notify_all();
}

void Link::take(const rpc::Frame& frame) {
  if (kind_of(frame) == Kind::piece) return take_piece(frame);
  if (frame.head.payload_bytes != 0)
    throw Error(Errc::comm, "the server sent an unexpected payload");
  if (kind_of(frame) == Kind::load || kind_of(frame) == Kind::trim) return take_news(frame);
  const std::lock_guard lock(mutex_);
  heard_ = base::now_seconds();
  changed_.notify_all();
  switch (kind_of(frame)) {
    case Kind::pong:
      return;
    case Kind::refused:
      throw Error(Errc::comm, "the server ends the connection: " + decode<Text>(frame).text);
    case Kind::answer:
      if (const auto found = asked_.find(frame.head.request); found != asked_.end())
        found->second = decode<Answer>(frame);
      return;
    case Kind::done:
      return take_done(decode<Place>(frame));
    case Kind::failed: {
      const auto failure = decode<Failure>(frame);
      const auto found = streams_.find({failure.place.device, failure.place.stream});
      if (found == streams_.end()) return;
      Stream& stream = found->second;
      if (failure.place.sequence <= stream.progress.done)
        throw Error(Errc::comm, "the server said that work failed which it had done");
      if (failure.place.sequence < stream.progress.failed_from)
        stream.progress = {stream.progress.done, failure.place.sequence, failure.text};
      stream.landings.clear();
      let_go(found->first);
      return;
    }
    default:
      throw Error(Errc::comm,
                  fmt::format("the server sent a message of unknown kind {}", frame.head.kind));
  }
}

/// What it does not have cannot be done, nor a copy of which bytes are missing.
void Link::take_done(const Place& place) {
  const auto found = streams_.find({place.device, place.stream});
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  if (place.sequence > stream.posted)
    throw Error(Errc::comm, "the server said that work is done which it never had");
  auto& landings = stream.landings;
  for (; !landings.empty() && landings.front().sequence <= place.sequence; landings.pop_front())
    if (landings.front().missing_bytes > 0)
      throw Error(Errc::comm, "the server said that a copy is done which has not arrived");
  stream.progress.done = std::max(stream.progress.done, place.sequence);
}

void Link::watch(std::uint32_t index, Watcher watcher) {
  const std::lock_guard lock(mutex_);
  watchers_[index] = std::move(watcher);
}

void Link::take_news(const rpc::Frame& frame) {
  const auto watcher = [&](std::uint32_t index) {
    const std::lock_guard lock(mutex_);
    const auto found = watchers_.find(index);
    return found == watchers_.end() ? Watcher{} : found->second;
  };
  if (kind_of(frame) == Kind::load) {
    const auto load = decode<Load>(frame);
    if (const Watcher told = watcher(load.index); told.on_load) told.on_load(load);
  } else {
    const auto trim = decode<Trim>(frame);
    if (const Watcher told = watcher(trim.index); told.on_trim) told.on_trim(trim.bytes);
  }
}

void Link::take_piece(const rpc::Frame& frame) {
  const auto piece = decode<Piece>(frame);
  const std::size_t bytes = frame.head.payload_bytes;
  std::span<std::byte> into;
  {
    const std::lock_guard lock(mutex_);
    heard_ = base::now_seconds();
    auto& landings = streams_[{piece.place.device, piece.place.stream}].landings;
    const auto found = std::ranges::find(landings, piece.place.sequence, &Landing::sequence);
    if (found == landings.end() || piece.offset > found->into.size() ||
        bytes > found->into.size() - piece.offset || bytes > found->missing_bytes)
      throw Error(Errc::comm, "the server sent data that was not requested");
    into = found->into.subspan(piece.offset, bytes);
    found->missing_bytes -= bytes;
  }
  const double began = base::now_seconds();
  rpc::receive_payload(*transport_, frame, into);
  const std::lock_guard lock(mutex_);
  heard_ = base::now_seconds();
  carried_.from_server += heard_ - began;
}

}  // namespace blockyard::remote
