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

/// Puts under way at one time: beyond it a put waits, so that memory stays within the budget.
constexpr std::int64_t put_share = 8;

/// Puts under way at one time when another one comes that has no bytes of its own.
constexpr std::size_t most_puts = 4096;

}  // namespace

Transport::Transport(fabric::Fabric& fabric, block::FramePool& frames, const Options& options,
                     const wire::Access& here)
    : fabric_(fabric),
      frames_(frames),
      options_(options),
      here_(here),
      joined_(fabric, frames, options.workers, options.servers),
      collectives_(fabric, frames, options, here, [this] { wait(); }) {
  begin_counts();
}

void Transport::begin_counts() {
  counts_ = {};
  counts_.from_servers.assign(static_cast<std::size_t>(options_.servers), 0);
  counts_.to_servers.assign(static_cast<std::size_t>(options_.servers), 0);
}

void Transport::fetch(const array::BlockId& id, const block::Asker& asker, block::Arrival& into) {
  const wire::Ticket ticket = ++last_ticket_;
  fetches_.emplace(ticket, Fetch{id, asker.pc, &into});
  tell(home_of(id),
       wire::GetBlock{ticket, id, {here_.worker, asker.pc, here_.epoch, asker.iteration}});
}

void Transport::abandon() noexcept {
  for (auto& [ticket, fetch] : fetches_) fetch.into = nullptr;
}

block::SharedFrame Transport::fetch_now(const array::BlockId& id) {
  block::Arrival arrival;
  fetch(id, {here_.pc, here_.iteration}, arrival);
  try {
    while (!arrival.is_here) wait();
  } catch (...) {
    abandon();
    throw;
  }
  return arrival.frame;
}

bool Transport::wait() {
  joined_.send_all();
  if (auto message = fabric_.poll(0)) {
    handle(std::move(*message));
    return false;
  }
  if (options_.live != nullptr) {
    options_.live->pc.store(here_.pc, std::memory_order_relaxed);
    options_.live->doing.store(waits_for_, std::memory_order_relaxed);
  }
  std::optional<fabric::Message> message;
  while (!message && !collectives_.is_over()) {
    const bool looks_after = is_needed_ && is_needed_();
    message = fabric_.poll(looks_after ? short_poll_seconds : poll_seconds);
    if (looks_after) look_after_();
  }
  if (options_.live != nullptr) options_.live->doing.store(Doing::work, std::memory_order_relaxed);
  if (message) handle(std::move(*message));
  return true;
}

bool Transport::sends_as_it_comes(const array::BlockId& id, std::size_t bytes) const noexcept {
  return bytes > JoinedPuts::most_bytes && fabric_.is_remote(home_rank(id));
}

void Transport::put(const array::BlockId& id, wire::PutMode mode, block::SharedFrame frame,
                    array::ElementType type, std::shared_ptr<fabric::Source> source) {
  const std::size_t bytes = frame->size();
  const auto allowed = static_cast<std::size_t>(frames_.budget_bytes() / put_share);
  wait_for_puts([&] { return put_bytes_ + bytes <= allowed && frames_.finds_room(bytes); });
  frames_.charge(bytes);
  put_bytes_ += bytes;
  counts_.bytes_sent += bytes;
  const int server = home_of(id);
  counts_.to_servers[static_cast<std::size_t>(server)] += bytes;
  const wire::Ticket ticket = ++last_ticket_;
  puts_.emplace(ticket, PendingPut{id, here_.pc, bytes});
  const wire::PutBlock message{ticket, id, mode, here_, type};
  if (bytes <= JoinedPuts::most_bytes)
    joined_.add(server, message, frame->bytes());
  else
    tell(server, message, std::move(frame), std::move(source));
}

void Transport::put_scalar(const array::BlockId& id, wire::PutMode mode, std::complex<double> value,
                           std::int64_t count, array::ElementType type) {
  if (puts_.size() >= most_puts) wait_for_puts([&] { return puts_.size() < most_puts; });
  const wire::Ticket ticket = ++last_ticket_;
  puts_.emplace(ticket, PendingPut{id, here_.pc, 0});
  joined_.add(home_of(id),
              wire::PutScalar{ticket, id, mode, value.real(), count, here_, type, value.imag()},
              {});
}

void Transport::settle() {
  if (!puts_.empty()) wait_for_puts([] { return false; });
}

template <class Enough>
void Transport::wait_for_puts(const Enough& is_enough) {
  const double begin = base::now_seconds();
  waits_for_ = Doing::put;
  while (!puts_.empty() && !is_enough()) wait();
  waits_for_ = Doing::block;
  counts_.settle_seconds += base::now_seconds() - begin;
}

void Transport::tell(int server, const wire::Any& message, fabric::Payload payload,
                     std::shared_ptr<fabric::Source> source) {
  joined_.send(server);
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

std::vector<wire::Ticket> Transport::start_each(
    int first, int step, const std::function<wire::Any(int server)>& request) {
  std::vector<wire::Ticket> tickets;
  for (int server = first; server < options_.servers; server += step)
    tickets.push_back(start(server, request(server)));
  return tickets;
}

std::vector<wire::Ticket> Transport::start_share(
    const std::function<wire::Any(int server)>& request) {
  return start_each(options_.worker, options_.workers, request);
}

std::vector<wire::Any> Transport::answers_to(const std::vector<wire::Ticket>& tickets) {
  std::vector<wire::Any> answers;
  for (const wire::Ticket ticket : tickets) answers.push_back(answer_to(ticket));
  return answers;
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
  return answers_to(start_each(0, 1, [&](int) { return request; }));
}

std::vector<wire::Any> Transport::ask_share(const wire::Any& request) {
  return answers_to(start_share([&](int) { return request; }));
}

Collected Transport::collect(Collective kind, std::vector<std::byte> mine, const Combine& combine) {
  joined_.send_all();
  const double begin = base::now_seconds();
  waits_for_ = Doing::barrier;
  Collected result = collectives_.collect(kind, std::move(mine), combine);
  waits_for_ = Doing::block;
  if (options_.workers > 1) counts_.collect_seconds += base::now_seconds() - begin;
  return result;
}

void Transport::meet(Collective kind) { collect(kind, {}, {join_nothing}); }

std::complex<double> Transport::sum(std::complex<double> mine) {
  base::ByteWriter part;
  part.value(mine);
  const auto join = [](std::span<Collected> parts) {
    std::complex<double> total = 0;
    for (const Collected& one : parts)
      total += base::ByteReader(one.bytes()).value<std::complex<double>>();
    base::ByteWriter out;
    out.value(total);
    return Collected(out.take());
  };
  const auto result = collect(Collective::sum, part.take(), {join});
  return base::ByteReader(result.bytes()).value<std::complex<double>>();
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
          collectives_.take_part(message.from, m, std::move(message.payload));
        } else if constexpr (std::is_same_v<T, wire::Spread>) {
          collectives_.take_result(m, std::move(message.payload));
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
  if (payload) counts_.from_servers[static_cast<std::size_t>(home_of(id))] += payload->size();
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
