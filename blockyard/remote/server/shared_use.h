// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "blockyard/remote/server/rate.h"
#include "blockyard/remote/use.h"

/// What the clients of one device share: its time and its memory.
namespace blockyard::remote {

/// Device time goes to clients in turns, a part of work each: among those that want a turn, the
/// client that has had the least time for its weight is next. One that comes, or comes back after
/// a pause, begins level with the others: it neither owes nor saves time. While no other client
/// works, a client does not wait and may have several parts in flight. Any thread.
class SharedUse {
 public:
  /// limit_bytes: what all clients may allocate together; 0: what the device has.
  explicit SharedUse(std::uint64_t limit_bytes = 0) : limit_bytes_(limit_bytes) {}
  SharedUse(const SharedUse&) = delete;
  SharedUse& operator=(const SharedUse&) = delete;

  [[nodiscard]] DeviceUse state() const;
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  /// Clients that wait for a turn now.
  [[nodiscard]] int waiting() const;

 private:
  friend class Seat;
  friend class Turn;
  struct Meters {
    Rate received, sent, busy;
    [[nodiscard]] Rates rates();
  };
  struct Account {
    std::string client;
    double weight = 1;
    double used_seconds = 0;  ///< of the device
    double level = 0;         ///< used seconds for each weight, among clients that work
    double part_seconds = 0;  ///< of its parts, recent ones more
    double last_seconds = 0;  ///< when its last turn ended
    int queued = 0;           ///< parts that came and have not ended
    int waiting = 0;          ///< streams that want a turn
    int running = 0;          ///< streams that have one
    std::uint64_t memory_bytes = 0;
    Meters meters = {};
    std::uint64_t wanted_bytes = 0;  ///< that it is asked to give back
    double asked_seconds = -1e9;     ///< when it asked others for memory last
  };

  void spend(Account& account, double seconds, int parts);
  [[nodiscard]] bool may_begin(const Account& account) const;
  [[nodiscard]] bool is_shared(const Account& account) const;
  [[nodiscard]] double queue_seconds(const Account* except) const;

  const std::uint64_t limit_bytes_;
  mutable std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  mutable std::list<Account> accounts_;
  double level_ = 0;  ///< of the turn that began last
  std::uint64_t memory_bytes_ = 0;
  mutable Meters meters_;  ///< of all clients
};

/// A client at a device. Any thread.
class Seat {
 public:
  Seat(std::shared_ptr<SharedUse> use, const std::string& client, double weight);
  ~Seat();
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  /// A part of work has come; it counts as queued until the last copy of the ticket goes, which is
  /// shared by the copies of the work that holds it.
  [[nodiscard]] std::shared_ptr<void> queue();
  /// Device time of that many parts whose turns did not count it.
  void note(double seconds, int parts);
  /// Bytes of copies.
  void count_received(std::uint64_t bytes);
  void count_sent(std::uint64_t bytes);
  /// Time of work of one kind.
  void count_work(double WorkSeconds::*kind, double seconds);
  [[nodiscard]] WorkSeconds work() const;
  /// Has waiting turns look again at what ends them.
  void wake();

  /// False: the client would have more than `most_bytes` (0: it may), or all clients together more
  /// than they may have.
  [[nodiscard]] bool take_memory(std::uint64_t bytes, std::uint64_t most_bytes = 0);
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void give_memory(std::uint64_t bytes);
  /// Asks the other clients for memory, not too often, and waits a moment until they have given
  /// back `bytes`.
  void ask_others(std::uint64_t bytes);

  /// What the client is told.
  [[nodiscard]] Load load() const;
  /// Bytes that it is asked to give back, each once.
  [[nodiscard]] std::uint64_t take_wanted();

 private:
  friend class Turn;
  std::shared_ptr<SharedUse> use_;  ///< shared by the clients of the device
  std::list<SharedUse::Account>::iterator account_;
  WorkSeconds work_;  ///< guarded by the mutex of `use_`
};

/// The turns of one stream of a client. One thread.
class Turn {
 public:
  explicit Turn(Seat& seat) noexcept : seat_(seat) {}
  ~Turn() { leave(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// Waits for a turn. False: `gives_up` became true.
  [[nodiscard]] bool begin(const std::function<bool()>& gives_up);
  /// Whether other clients work as well: the part must then be done when the turn ends.
  [[nodiscard]] bool is_shared() const noexcept { return is_shared_; }
  /// Counts the part. The turn passes to another client with the next `begin` or `leave`: only
  /// then is it known whether this stream wants the next one.
  void end(double seconds);
  void leave();
  [[nodiscard]] bool is_held() const noexcept { return has_turn_; }

 private:
  Seat& seat_;
  bool has_turn_ = false;
  bool is_shared_ = false;
};

}  // namespace blockyard::remote
