// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "blockyard/base/bytes.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;

namespace {

/// A poll that gives nothing for this long looks again; only aborts end a wait.
constexpr double poll_seconds = 1.0;
/// Poll interval while a device or payload needs attention.
constexpr double short_poll_seconds = 0.01;

/// Puts of blocks up to this length are sent together, up to this count and length.
constexpr std::size_t joined_put_bytes = 4096;
constexpr std::size_t most_joined = 64;
constexpr std::size_t most_joined_bytes = std::size_t{64} << 10;

/// Puts under way at one time: beyond it a put waits, so that memory stays within the budget.
constexpr std::int64_t put_share = 8;

const char* name_of(Collective kind) {
  switch (kind) {
    case Collective::barrier:
      return "a barrier";
    case Collective::sum:
      return "a collective sum";
    case Collective::assert_same:
      return "assert_same";
    case Collective::broadcast:
      return "broadcast_from";
    case Collective::persist:
      return "a delete or restore_persistent";
    case Collective::checkpoint:
      return "a checkpoint";
    case Collective::end:
      return "the end of the program";
  }
  return "?";
}

/// The part of a collective that says where its sender is.
struct Where {
  Collective kind;
  std::int32_t pc;
};

}  // namespace

Transport::Transport(fabric::Fabric& fabric, block::FramePool& frames, const Options& options,
                     const wire::Access& here)
    : fabric_(fabric),
      frames_(frames),
      options_(options),
      here_(here),
      unsent_(static_cast<std::size_t>(options.servers)) {
  begin_counts();
  if (options.worker == 0 && options.workers > 1) fabric.receive_by(this);
}

Transport::~Transport() {
  if (options_.worker == 0 && options_.workers > 1) fabric_.receive_by(nullptr);
}

void Transport::begin_counts() {
  counts_ = {};
  counts_.from_servers.assign(static_cast<std::size_t>(options_.servers), 0);
  counts_.to_servers.assign(static_cast<std::size_t>(options_.servers), 0);
}

void Transport::fetch(const array::BlockId& id, const block::Asker& asker, block::Arrival& into) {
  const wire::Ticket ticket = ++last_ticket_;
  fetches_.emplace(ticket, Fetch{id, asker.pc, &into});
  tell(array::home_of(id, options_.servers),
       wire::GetBlock{ticket, id, {here_.worker, asker.pc, here_.epoch, asker.iteration}});
}

void Transport::abandon() noexcept {
  for (auto& [ticket, fetch] : fetches_) fetch.into = nullptr;
}

block::SharedFrame Transport::fetch_listed(const array::BlockId& id) {
  block::Arrival arrival;
  fetch(id, {here_.pc, here_.iteration}, arrival);
  try {
    while (!arrival.is_here) wait();
  } catch (...) {
    abandon();
    throw;
  }
  base::require(arrival.frame != nullptr, "a server has the blocks that it lists");
  return arrival.frame;
}

bool Transport::wait() {
  send_all_joined();
  if (auto message = fabric_.poll(0)) {
    handle(std::move(*message));
    return false;
  }
  if (options_.live != nullptr) {
    options_.live->pc.store(here_.pc, std::memory_order_relaxed);
    options_.live->doing.store(waits_for_, std::memory_order_relaxed);
  }
  std::optional<fabric::Message> message;
  const auto is_gathered = [&] {
    return gathering_ != nullptr && (gathering_->result || gathering_->failure);
  };
  while (!message && !is_gathered()) {
    const bool looks_after = is_needed_ && is_needed_();
    message = fabric_.poll(looks_after ? short_poll_seconds : poll_seconds);
    if (looks_after) look_after_();
  }
  if (options_.live != nullptr) options_.live->doing.store(Doing::work, std::memory_order_relaxed);
  if (message) handle(std::move(*message));
  return true;
}

bool Transport::sends_as_it_comes(const array::BlockId& id, std::size_t bytes) const noexcept {
  return bytes > joined_put_bytes && fabric_.is_remote(home_rank(id));
}

void Transport::put(const array::BlockId& id, wire::PutMode mode, block::SharedFrame frame,
                    array::ElementType type, std::shared_ptr<fabric::Source> source) {
  const std::size_t bytes = frame->size();
  const auto allowed = static_cast<std::size_t>(frames_.budget_bytes() / put_share);
  const double begin = base::now_seconds();
  waits_for_ = Doing::put;
  while (!puts_.empty() && (put_bytes_ + bytes > allowed || !frames_.has_room(bytes))) wait();
  waits_for_ = Doing::block;
  counts_.settle_seconds += base::now_seconds() - begin;
  frames_.charge(bytes);
  put_bytes_ += bytes;
  counts_.bytes_sent += bytes;
  counts_.to_servers[static_cast<std::size_t>(array::home_of(id, options_.servers))] += bytes;
  const wire::Ticket ticket = ++last_ticket_;
  puts_.emplace(ticket, PendingPut{id, here_.pc, bytes});
  const int server = array::home_of(id, options_.servers);
  const wire::PutBlock message{ticket, id, mode, here_, type};
  if (bytes <= joined_put_bytes)
    join(server, message, frame->bytes());
  else
    tell(server, message, std::move(frame), std::move(source));
}

void Transport::put_scalar(const array::BlockId& id, wire::PutMode mode, std::complex<double> value,
                           std::int64_t count, array::ElementType type) {
  const wire::Ticket ticket = ++last_ticket_;
  puts_.emplace(ticket, PendingPut{id, here_.pc, 0});
  join(array::home_of(id, options_.servers),
       wire::PutScalar{ticket, id, mode, value.real(), count, here_, type, value.imag()}, {});
}

void Transport::settle() {
  if (puts_.empty()) return;
  const double begin = base::now_seconds();
  waits_for_ = Doing::put;
  while (!puts_.empty()) wait();
  waits_for_ = Doing::block;
  counts_.settle_seconds += base::now_seconds() - begin;
}

/// Keeps a small put until there are many for its server, or this worker says or waits for
/// anything else: the order of what one server hears stays.
void Transport::join(int server, const wire::Any& put, std::span<const std::byte> values) {
  wire::BatchWriter& unsent = unsent_[static_cast<std::size_t>(server)];
  unsent.add(put, values);
  if (unsent.count() >= most_joined || unsent.values().size() >= most_joined_bytes)
    send_joined(server);
}

void Transport::send_joined(int server) {
  wire::BatchWriter& unsent = unsent_[static_cast<std::size_t>(server)];
  if (unsent.count() == 0) return;
  block::SharedFrame payload;
  if (const auto values = unsent.values(); !values.empty()) {
    // Its blocks are charged already.
    auto copy = std::make_shared<base::Buffer>(frames_.uncharged(values.size()));
    std::memcpy(copy->data(), values.data(), values.size());
    payload = std::move(copy);
  }
  fabric_.send(rank_of(server), {-1, wire::encode(unsent.take()), std::move(payload)});
}

void Transport::send_all_joined() {
  for (int server = 0; server < options_.servers; ++server) send_joined(server);
}

void Transport::tell(int server, const wire::Any& message, fabric::Payload payload,
                     std::shared_ptr<fabric::Source> source) {
  send_joined(server);
  fabric_.send(rank_of(server), {.from = -1,
                                 .head = wire::encode(message),
                                 .payload = std::move(payload),
                                 .source = std::move(source)});
}

wire::Ticket Transport::start(int server, wire::Any request) {
  const wire::Ticket ticket = ++last_ticket_;
  std::visit(
      [&](auto& r) {
        if constexpr (requires { r.ticket; }) r.ticket = ticket;
      },
      request);
  tell(server, request);
  return ticket;
}

wire::Any Transport::answer_to(wire::Ticket ticket) {
  while (!answers_.contains(ticket)) wait();
  return std::move(answers_.extract(ticket).mapped());
}

wire::Any Transport::ask(int server, wire::Any request) {
  return answer_to(start(server, std::move(request)));
}

std::vector<wire::Ticket> Transport::start_all(
    const std::function<wire::Any(int server)>& request) {
  std::vector<wire::Ticket> tickets;
  for (int server = 0; server < options_.servers; ++server)
    tickets.push_back(start(server, request(server)));
  return tickets;
}

std::optional<wire::Any> Transport::answer_so_far(wire::Ticket ticket) {
  while (!answers_.contains(ticket)) {
    auto message = fabric_.poll(0);
    if (!message) return std::nullopt;
    handle(std::move(*message));
  }
  return std::move(answers_.extract(ticket).mapped());
}

std::vector<wire::Any> Transport::ask_all(const wire::Any& request) {
  std::vector<wire::Any> answers;
  for (const wire::Ticket ticket : start_all([&](int) { return request; }))
    answers.push_back(answer_to(ticket));
  return answers;
}

std::vector<std::byte> Transport::collect(Collective kind, std::vector<std::byte> mine,
                                          const Combine& combine) {
  send_all_joined();
  if (options_.workers == 1) return combine(std::span(&mine, 1));
  const double begin = base::now_seconds();
  waits_for_ = Doing::barrier;
  ++step_;
  base::ByteWriter part;
  part.value(Where{kind, here_.pc});
  part.raw(mine);
  std::vector<std::byte> result;
  if (options_.worker == 0) {
    result = gather(part.bytes(), combine);
  } else {
    fabric_.send(
        0,
        {.from = -1, .head = wire::encode(wire::Collect{step_, part.take()}), .payload = nullptr});
    while (!spreads_.contains(step_)) wait();
    result = std::move(spreads_.extract(step_).mapped());
  }
  waits_for_ = Doing::block;
  counts_.collect_seconds += base::now_seconds() - begin;
  return result;
}

std::vector<std::byte> Transport::gather(const std::vector<std::byte>& mine,
                                         const Combine& combine) {
  auto& arrived_parts = parts_[step_];
  arrived_parts[0] = mine;
  Gathering gathering{combine};
  gathering_ = &gathering;
  struct Cleared {
    Gathering*& pointer;
    ~Cleared() { pointer = nullptr; }
  } const cleared{gathering_};
  while (!gathering.result && !gathering.failure) {
    if (std::ssize(arrived_parts) == options_.workers)
      finish(gathering);
    else
      wait();
  }
  parts_.erase(step_);
  if (gathering.failure) std::rethrow_exception(gathering.failure);
  return std::move(*gathering.result);
}

fabric::Receiver::Taken Transport::take(fabric::Message& message) {
  if (gathering_ == nullptr || message.payload) return Taken::no;
  wire::Any any = wire::decode(message.head);
  auto* const part = std::get_if<wire::Collect>(&any);
  if (part == nullptr || part->step != step_) return Taken::no;
  auto& arrived_parts = parts_[step_];
  arrived_parts[message.from] = std::move(part->bytes);
  if (std::ssize(arrived_parts) < options_.workers) return Taken::yes;
  finish(*gathering_);
  return Taken::wakes;
}

void Transport::finish(Gathering& gathering) try {
  gathering.result = combine_parts(gathering.combine);
  for (int worker = 1; worker < options_.workers; ++worker)
    fabric_.send(worker, {.from = -1,
                          .head = wire::encode(wire::Spread{step_, *gathering.result}),
                          .payload = nullptr});
} catch (...) {
  gathering.failure = std::current_exception();
}

std::vector<std::byte> Transport::combine_parts(const Combine& combine) {
  const auto& arrived_parts = parts_[step_];
  std::vector<std::vector<std::byte>> parts;
  Where first{};
  for (auto& [worker, bytes] : arrived_parts) {
    base::ByteReader reader(bytes);
    const auto where = reader.value<Where>();
    if (worker == 0) first = where;
    if (where.kind != first.kind)
      throw Error(
          Errc::bad_input,
          fmt::format("workers wait for each other at different places: worker 0 at {} ({}), "
                      "worker {} at {} ({}); every worker must come to the same one",
                      name_of(first.kind), naming_ ? naming_->place(first.pc) : "", worker,
                      name_of(where.kind), naming_ ? naming_->place(where.pc) : ""));
    const auto rest = reader.raw(reader.left());
    parts.emplace_back(rest.begin(), rest.end());
  }
  return combine(parts);
}

void Transport::meet(Collective kind) {
  collect(kind, {}, [](auto) { return std::vector<std::byte>(); });
}

std::complex<double> Transport::sum(std::complex<double> mine) {
  base::ByteWriter part;
  part.value(mine);
  const auto result = collect(Collective::sum, part.take(), [](auto parts) {
    std::complex<double> total = 0;
    for (const auto& bytes : parts) total += base::ByteReader(bytes).value<std::complex<double>>();
    base::ByteWriter out;
    out.value(total);
    return out.take();
  });
  return base::ByteReader(result).value<std::complex<double>>();
}

void Transport::handle(fabric::Message message) {
  wire::Any any = wire::decode(message.head);
  std::visit(
      [&](auto& m) {
        using T = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<T, wire::BlockData>) {
          take(m, std::move(message.payload));
        } else if constexpr (std::is_same_v<T, wire::Failed>) {
          take(m);
        } else if constexpr (std::is_same_v<T, wire::Collect>) {
          parts_[m.step][message.from] = std::move(m.bytes);
        } else if constexpr (std::is_same_v<T, wire::Spread>) {
          spreads_[m.step] = std::move(m.bytes);
        } else if constexpr (std::is_same_v<T, wire::Done>) {
          take(m);
        } else if constexpr (std::is_same_v<T, wire::DoneMany>) {
          for (const wire::Ticket ticket : m.tickets) take(wire::Done{ticket});
        } else if constexpr (requires { m.ticket; }) {
          answers_.insert_or_assign(wire::Ticket{m.ticket}, std::move(any));
        } else {
          throw Error(Errc::comm, "a worker got a message that is for servers");
        }
      },
      any);
}

void Transport::take(wire::BlockData& data, fabric::Payload payload) {
  const auto found = fetches_.find(data.ticket);
  if (found == fetches_.end()) return;
  const auto& [id, pc, into] = found->second;
  if (payload)
    counts_.from_servers[static_cast<std::size_t>(array::home_of(id, options_.servers))] +=
        payload->size();
  if (into != nullptr) *into = {true, std::move(payload), data.disk_seconds};
  fetches_.erase(found);
}

void Transport::take(wire::Failed& failed) {
  if (const auto get = fetches_.find(failed.ticket); get != fetches_.end()) {
    if (failed.failure == wire::Failure::race) report_race(failed, get->second.id, get->second.pc);
    if (get->second.into != nullptr) get->second.into->is_here = true;
    fetches_.erase(get);
  } else if (const auto put = puts_.find(failed.ticket); put != puts_.end()) {
    report_race(failed, put->second.id, put->second.pc);
  } else {
    answers_.emplace(failed.ticket, failed);
  }
}

void Transport::take(const wire::Done& done) {
  const auto put = puts_.find(done.ticket);
  if (put == puts_.end()) {
    answers_.insert_or_assign(wire::Ticket{done.ticket}, done);
    return;
  }
  if (put->second.bytes > 0) frames_.discharge(put->second.bytes);
  put_bytes_ -= put->second.bytes;
  puts_.erase(put);
}

void Transport::report_race(const wire::Failed& failed, const array::BlockId& id,
                            std::int32_t pc) const {
  base::require(naming_ != nullptr, "blocks are touched by programs only");
  throw PlacedError(
      Errc::bad_input,
      fmt::format("{}: data race on block {}: {} by worker {} conflicts with the {} at {} by "
                  "worker {}{} in the same epoch; is a sip_barrier missing between them?",
                  naming_->place(pc), naming_->block(id), failed.verb, options_.worker,
                  failed.earlier_verb, naming_->place(failed.earlier.pc), failed.earlier.worker,
                  failed.earlier.worker == options_.worker ? " in another iteration" : ""));
}

}  // namespace blockyard::worker::detail
