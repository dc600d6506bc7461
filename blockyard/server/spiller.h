// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/server/lent.h"
#include "blockyard/store/spill_file.h"

namespace blockyard::server {

class Slot;

/// A write or a read of the values of a slot.
struct Transfer {
  std::shared_ptr<Slot> slot;          ///< kept alive by it; only the server's thread touches it
  store::SpillFile* file = nullptr;    ///< the slot keeps it alive
  store::SpillFile::Place place;       ///< where on disk
  store::SpillFile::Record record;     ///< of a write: to be given to the slot at the end
  fabric::Payload from;                ///< of a write: the values; null for a read
  std::shared_ptr<base::Buffer> into;  ///< of a read: becomes the payload of the slot
  const Lent* lent = nullptr;          ///< of a read from there: instead of `file` and `place`
  std::uint64_t number = 0;            ///< of the block in it
  double begin_seconds = 0;            ///< when a thread took it up, which, and for how long
  float seconds = 0;
  std::uint8_t lane = 0;
};

/// Threads that write and read records while the server continues: several, so that the disk always
/// has the next request. Reads overtake writes, since a caller waits for them. One thread calls;
/// mutex_ guards what it shares with the I/O threads.
class Spiller {
 public:
  /// Requests that the disk has at one time; each has the pages of a record.
  static constexpr std::uint8_t queue_depth = 4;

  Spiller();
  /// Ends after the transfers in progress; those not begun are dropped.
  ~Spiller();
  Spiller(const Spiller&) = delete;
  Spiller& operator=(const Spiller&) = delete;

  void start(Transfer transfer);
  /// Transfers that ended since the last call. Throws the error of the first that failed.
  [[nodiscard]] std::vector<Transfer> take_finished();
  /// Returns when a transfer ended, or one failed, or after `seconds`.
  void wait(double seconds);
  /// Started and not taken back.
  [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }

 private:
  void work(std::uint8_t lane);
  static void carry_out(Transfer& transfer, store::RecordPages& pages);

  std::size_t in_flight_ = 0;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable has_finished_;
  std::deque<Transfer> reads_;
  std::deque<Transfer> writes_;
  std::vector<Transfer> finished_;
  std::exception_ptr failure_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;  // last: they use all above
};

}  // namespace blockyard::server
