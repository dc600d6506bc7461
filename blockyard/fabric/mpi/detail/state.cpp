// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/state.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::fabric {

using base::Errc;
using base::Error;
using detail::Letter;
using detail::Subject;

MpiState::MpiState(const MpiSession& session, base::BufferPool& pool, std::vector<int> process_of,
                   MpiOptions options)
    : process_of_(std::move(process_of)),
      options_(std::move(options)),
      pool_(pool),
      node_(session.process(), session.processes(), options_.is_alone),
      mailboxes_(process_of_.size()),
      names_(process_of_.size()),
      lending_(node_, pool, options_.most_loans),
      mover_(
          pool, lending_, options_.piece_bytes,
          [this](int to) {
            if (detail::Bell* bell = node_.bell(to)) bell->announce();
          },
          [this](const detail::Envelope& envelope) { return name_landing(envelope); },
          [this](int from, Letter letter) { deliver(from, std::move(letter)); }),
      meetings_(process_of_, node_.process(), leaves(Subject::offer), leaves(Subject::result)) {
  for (std::size_t rank = 0; rank < process_of_.size(); ++rank) {
    if (process_of_[rank] != node_.process()) continue;
    mailboxes_[rank] = std::make_unique<detail::Mailbox>();
  }
  // Naps are shorter than what Linux rounds sleeps to by default, 50 microseconds.
  prctl(PR_SET_TIMERSLACK, 1000UL);
}

int MpiState::process_of(int rank) const {
  base::require(rank >= 0 && rank < size(), "a rank is not in this world");
  return process_of_[static_cast<std::size_t>(rank)];
}

detail::Mailbox& MpiState::mailbox(int rank) {
  detail::Mailbox* const box = mailboxes_[static_cast<std::size_t>(rank)].get();
  base::require(box != nullptr, "a message is for a rank of another process");
  return *box;
}

void MpiState::throw_cause() const {
  const std::lock_guard lock(cause_mutex_);
  throw Error(Errc::comm, cause_);
}

void MpiState::send(int from, int to, Message message) {
  check_alive();
  message.from = from;
  const int process = process_of(to);
  if (process == node_.process()) {
    if (message.source) message.source->finish();
    message.source.reset();
    return mailbox(to).hand(std::move(message));
  }
  Letter letter;
  letter.envelope.from = from;
  letter.envelope.to = to;
  letter.head = std::move(message.head);
  letter.payload = std::move(message.payload);
  letter.source = std::move(message.source);
  post(process, std::move(letter));
}

void MpiState::say(std::string_view text) {
  check_alive();
  post(0, detail::letter_of(Subject::text, text));
}

void MpiState::wake() noexcept {
  is_woken_ = true;
  node_.own().ring();
}

void MpiState::abort(std::string_view cause) noexcept {
  if (!note_abort(cause)) return;
  must_spread_abort_ = true;
  wake();
}

/// False if it was aborted before.
bool MpiState::note_abort(std::string_view cause) noexcept {
  {
    const std::lock_guard lock(cause_mutex_);
    if (is_aborted_) return false;
    cause_ = cause;
    is_aborted_ = true;
  }
  { const std::lock_guard lock(meeting_mutex_); }
  met_.notify_all();
  for (const auto& box : mailboxes_)
    if (box) box->wake();
  return true;
}

detail::Meetings::Send MpiState::leaves(Subject subject) {
  return [this, subject](int from, int to, const detail::Offer& offer) {
    Letter letter;
    letter.envelope.subject = subject;
    letter.envelope.from = from;
    letter.envelope.to = to;
    letter.head = detail::encode(offer);
    leave(process_of(to), std::move(letter));
  };
}

std::vector<std::byte> MpiState::meet(int rank, detail::Offer mine) {
  {
    const std::lock_guard lock(meeting_mutex_);
    check_alive();
    meetings_.come(rank, std::move(mine));
  }
  met_.notify_all();
  move_now();
  std::unique_lock lock(meeting_mutex_);
  met_.wait(lock, [&] { return meetings_.is_over(rank) || is_aborted_; });
  if (!meetings_.is_over(rank)) check_alive();
  const detail::Meetings::Result result = meetings_.take(rank);
  lock.unlock();
  if (!result->error.empty()) throw Error(Errc::comm, result->error);
  return result->bytes;
}

detail::Window& MpiState::open_window(std::size_t number, int rank, std::size_t bytes) {
  const std::uint64_t size = bytes;
  const auto offer = [&](const auto& value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    return detail::Offer{detail::Collective::tell, 0, 0, {raw.begin(), raw.end()}};
  };
  const auto told_sizes = meet(rank, offer(size));
  std::vector<std::uint64_t> sizes(process_of_.size());
  std::memcpy(sizes.data(), told_sizes.data(), told_sizes.size());
  detail::Window* window = nullptr;
  {
    const std::lock_guard lock(window_mutex_);
    if (number == windows_.size()) {
      windows_.push_back(std::make_unique<detail::Window>(node_, std::move(sizes), process_of_));
      is_reached_.push_back(false);
    }
    window = windows_[number].get();
  }
  const auto told = meet(rank, offer(window->address()));
  std::vector<base::MemoryAddress> addresses(process_of_.size());
  std::memcpy(addresses.data(), told.data(), told.size());
  const std::lock_guard lock(window_mutex_);
  if (!is_reached_[number]) window->reach(node_, addresses, process_of_);
  is_reached_[number] = true;
  return *window;
}

Ticket MpiState::ask(Subject subject, int window, int rank, std::size_t offset,
                     std::span<std::byte> into, std::span<const std::byte> values) {
  Letter letter;
  letter.envelope.subject = subject;
  letter.envelope.to = rank;
  letter.envelope.window = window;
  letter.envelope.offset = offset;
  letter.envelope.length = into.size();
  if (!values.empty()) {
    auto payload = std::make_shared<base::Buffer>(pool_.allocate(values.size()));
    std::memcpy(payload->data(), values.data(), values.size());
    letter.payload = std::move(payload);
  }
  {
    const std::lock_guard lock(window_mutex_);
    letter.envelope.ticket = ++last_ticket_;
    asked_.emplace(last_ticket_, into);
  }
  const Ticket ticket = letter.envelope.ticket;
  post(process_of(rank), std::move(letter));
  return ticket;
}

}  // namespace blockyard::fabric
