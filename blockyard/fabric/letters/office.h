// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "blockyard/fabric/letters/letter.h"

namespace blockyard::fabric::letters {

/// The destination of an answer: rows of memory for its body, or a number.
struct Asked {
  Body body = {};
  bool is_answered = false;
  std::int64_t value = 0;
};

/// Answers requests of other processes. Called while letters move, one thread at a time.
class Clerk {
 public:
  virtual ~Clerk() = default;
  virtual void serve(int from, const Front& front, std::span<const std::byte> body) = 0;
  [[nodiscard]] virtual Intake open(int from, const Front& front) = 0;
  virtual void close(int from, const Front& front, Intake& intake) = 0;
  /// Retries requests that could not be answered yet. True while there are any.
  virtual bool serve_waiting() = 0;
};

/// The letters of a process: its requests, those received for its collectives, and their transport:
/// a waiting thread moves them, and a background thread does so for those that compute or sleep.
/// Any thread.
class Office final : private Desk {
 public:
  using Open = std::function<std::unique_ptr<Courier>(Desk&)>;
  /// Collective. has_thread: MPI may be called by several threads at the same time; if not, letters
  /// move only while a thread waits.
  Office(const Open& open, int processes, bool has_thread);
  /// Ends the thread if close() did not, as where the rest of a memory could not be made.
  ~Office() override;
  Office(const Office&) = delete;
  Office& operator=(const Office&) = delete;

  /// From here on letters are taken. The clerk lasts until close().
  void begin(Clerk& clerk);
  /// Collective, unless the run was aborted: then `settle`, which has others confirm what they were
  /// told, is not called. Transfers under way end first. Ends the thread.
  void close(const std::function<void()>& settle) noexcept;

  /// Sends a request; returns the number to pass to done().
  [[nodiscard]] std::uint64_t ask(int to, Letter letter, Asked asked = {});
  /// Needs no answer. 0, or a number for done(): then the memory of the body may be used again.
  std::uint64_t tell(int to, Letter letter);
  /// REQUIRES: moving letters (a clerk).
  void answer(int to, Letter letter);
  [[nodiscard]] bool done(std::uint64_t number, bool must_wait);
  /// Waits for an answer with a number in it.
  [[nodiscard]] std::int64_t number_of(std::uint64_t asked);

  /// Waits for the bytes a process sent for a round of a group's collectives.
  [[nodiscard]] std::vector<std::byte> await(std::uint64_t group, std::uint64_t round, int from);
  void send_round(std::uint64_t group, std::uint64_t round, int to, std::vector<std::byte> bytes);

  /// Moves letters once, unless another thread does.
  void move_now();
  /// Also sends the cause to the others, if it is the first.
  void abort(std::string_view cause) noexcept;
  /// Throws Error{comm} with the cause once the run was aborted.
  void check_alive() const {
    if (is_aborted_.load(std::memory_order_acquire)) throw_cause();
  }
  /// Called with the cause when another process ends the run.
  std::function<void(std::string_view)> was_aborted;

 private:
  void take(int from, const Front& front, std::span<const std::byte> body) override;
  [[nodiscard]] Intake open(int from, const Front& front) override;
  void close(int from, const Front& front, Intake& intake) override;
  void end() noexcept override;

  template <class IsOver>
  void move_until(const IsOver& is_over);
  bool step();
  [[nodiscard]] bool has_all_answers() const;
  void serve() noexcept;
  [[noreturn]] void throw_cause() const;
  void note_cause(std::string_view cause);
  [[nodiscard]] static Letter with_piece(Letter letter);

  int processes_;
  Clerk* clerk_ = nullptr;
  std::atomic<bool> is_aborted_ = false;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> waiting_threads_ = 0;
  std::atomic<double> last_used_ = 0;       ///< start of the last transfer without a waiter
  std::atomic<bool> has_patients_ = false;  ///< the clerk has something that waits

  mutable std::mutex moving_mutex_;  // guards all below but the thread
  std::unique_ptr<Courier> courier_;
  std::string cause_;
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, Asked> asked_;
  using Round = std::tuple<std::uint64_t, std::uint64_t, int>;
  std::map<Round, std::vector<std::byte>> rounds_;

  std::jthread thread_;
};

/// The longest piece of a body of such rows: short ones are packed while others are under way.
[[nodiscard]] inline std::uint64_t piece_bytes_of(const Strided& rows, bool is_applied) noexcept {
  return rows.levels == 0 && !is_applied ? std::uint64_t{8} << 20 : std::uint64_t{1} << 18;
}

}  // namespace blockyard::fabric::letters
