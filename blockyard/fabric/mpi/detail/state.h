// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "blockyard/fabric/detail/mailbox.h"
#include "blockyard/fabric/detail/meeting.h"
#include "blockyard/fabric/mpi/detail/letter.h"
#include "blockyard/fabric/mpi/detail/mover.h"
#include "blockyard/fabric/mpi/detail/node.h"
#include "blockyard/fabric/mpi/detail/window.h"
#include "blockyard/fabric/mpi/mpi_world.h"

namespace blockyard::fabric {

/// One process of an MpiWorld. Functions are for any thread unless they say "main thread": the one
/// that made it. Only the thread moving letters calls MPI, one at a time: a rank that sends or
/// waits moves its own, so a round trip wakes no other thread; the main thread moves them for ranks
/// that work or sleep.
class MpiState {
 public:
  MpiState(const MpiSession& session, base::BufferPool& pool, std::vector<int> process_of,
           MpiOptions options);

  // Main thread.
  void progress(double seconds);
  [[nodiscard]] bool end(double patience_seconds);

  void wake() noexcept;
  void say(std::string_view text);
  void abort(std::string_view cause) noexcept;
  /// Throws Error{comm} once the run was aborted.
  void check_alive() const {
    if (is_aborted_) throw_cause();
  }

  [[nodiscard]] int size() const noexcept { return static_cast<int>(process_of_.size()); }
  [[nodiscard]] bool is_here(int rank) const noexcept {
    return process_of(rank) == node_.process();
  }
  /// Payloads that neighbours can borrow go to memory they see; long ones are sent to others.
  [[nodiscard]] bool reads_devices(int to, std::size_t bytes) const noexcept {
    return options_.reads_devices && !is_here(to) && bytes > detail::Mover::short_bytes &&
           !lending_.could_lend(process_of(to), bytes);
  }
  void send(int from, int to, Message message);
  [[nodiscard]] std::optional<Message> poll(int rank, double wait_seconds);

  /// Collective. Returns what came of it when all ranks came.
  [[nodiscard]] std::vector<std::byte> meet(int rank, detail::Offer mine);
  void stay_awake(int rank) { mailbox(rank).stay_awake(); }
  void receive_by(int rank, Receiver* receiver) { mailbox(rank).receive_by(receiver); }
  void land_by(int rank, NameLanding name) {
    const std::lock_guard lock(moving_mutex_);
    names_[static_cast<std::size_t>(rank)] = std::move(name);
  }
  /// Collective. Window `number`, the same for all ranks of this process.
  [[nodiscard]] detail::Window& open_window(std::size_t number, int rank, std::size_t bytes);
  /// Asks the process of a rank that shares no memory with this one. The ticket is done when it
  /// answered; what a get brings is in `into` then.
  [[nodiscard]] Ticket ask(detail::Subject subject, int window, int rank, std::size_t offset,
                           std::span<std::byte> into, std::span<const std::byte> values);
  [[nodiscard]] bool is_answered(Ticket ticket);
  [[nodiscard]] const std::atomic<bool>& is_aborted() const noexcept { return is_aborted_; }

 private:
  [[noreturn]] void throw_cause() const;
  [[nodiscard]] int process_of(int rank) const;
  /// REQUIRES: a rank of this process.
  [[nodiscard]] detail::Mailbox& mailbox(int rank);
  void post(int process, detail::Letter letter);
  /// For the next step.
  void leave(int process, detail::Letter letter);
  /// Leaves an offer or a result for a rank of another process.
  [[nodiscard]] detail::Meetings::Send leaves(detail::Subject subject);
  bool note_abort(std::string_view cause) noexcept;

  // Main thread.
  void rest(std::uint32_t seen, int idle_steps, bool is_lively);
  void hear(const std::vector<std::string>& texts) const;

  /// Moves letters until `is_over()`, for `seconds` at most.
  template <class IsOver>
  void move_until(double seconds, const IsOver& is_over);
  /// Moves letters once, unless another thread does.
  void move_now();

  // With moving_mutex_.
  bool step();
  [[nodiscard]] bool must_go_on();
  bool post_outgoing();
  void spread_abort();
  void deliver(int from, detail::Letter letter);
  [[nodiscard]] std::shared_ptr<Landing> name_landing(const detail::Envelope& envelope) const;
  void take_offer(const detail::Letter& letter);
  void take_result(const detail::Letter& letter);
  void answer(int from, const detail::Letter& letter);
  void take_answer(detail::Letter& letter);

  std::vector<int> process_of_;
  MpiOptions options_;
  base::BufferPool& pool_;
  detail::Node node_;
  std::vector<std::unique_ptr<detail::Mailbox>> mailboxes_;  // by rank; null: of other processes
  std::atomic<bool> is_woken_ = false;
  std::atomic<bool> is_aborted_ = false;
  std::atomic<bool> must_spread_abort_ = false;

  mutable std::mutex cause_mutex_;
  std::string cause_;

  std::mutex moving_mutex_;         // guards to the next empty line
  std::vector<NameLanding> names_;  // by rank
  detail::Lending lending_;
  detail::Mover mover_;
  std::vector<std::pair<int, detail::Letter>> posting_;
  std::vector<std::string> texts_;  // for the main thread
  double last_moved_ = 0;           // by the clock

  std::mutex outbox_mutex_;
  std::vector<std::pair<int, detail::Letter>> outbox_;

  std::mutex meeting_mutex_;  // guards to the next empty line
  std::condition_variable met_;
  detail::Meetings meetings_;

  std::mutex window_mutex_;  // guards all below
  std::vector<std::unique_ptr<detail::Window>> windows_;
  std::vector<bool> is_reached_;  // by window
  std::unordered_map<Ticket, std::span<std::byte>> asked_;
  Ticket last_ticket_ = 0;
};

}  // namespace blockyard::fabric
