// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace blockyard::block {

/// What a device did for one worker.
struct ResidencyCounts {
  std::uint64_t runs = 0;       ///< super instructions on the device
  std::uint64_t fallbacks = 0;  ///< on the host, for want of device memory
  std::uint64_t copies_in = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t peer_copies = 0;  ///< to the device, of what other workers have on theirs
  std::uint64_t peer_bytes = 0;
  std::uint64_t copies_out = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t sent_blocks = 0;  ///< of copies_out, sent to other processes while they were copied
  std::uint64_t sent_pieces = 0;  ///< of them
  std::uint64_t sent_bytes = 0;
  std::uint64_t direct_blocks = 0;  ///< sent to other processes from the device: no copies
  std::uint64_t direct_bytes = 0;
  std::uint64_t saved_copies = 0;  ///< operands of runs that were there, or only written
  std::uint64_t saved_bytes = 0;
  std::uint64_t ahead_copies = 0;  ///< of copies_in, before their statement came
  std::uint64_t ahead_unused = 0;  ///< of them, let go before use
  std::uint64_t evictions = 0;
  std::uint64_t written_back = 0;  ///< of them, modified
  std::uint64_t pool_requests = 0;
  std::uint64_t pool_hits = 0;      ///< device memory that was used again
  std::uint64_t host_requests = 0;  ///< for memory of the worker's own blocks
  std::uint64_t host_hits = 0;      ///< of them, answered by memory that was used before
  std::uint64_t lock_requests = 0;  ///< copies from and to host memory that is to be page-locked
  std::uint64_t lock_hits = 0;      ///< of them, it was so before
  std::uint64_t locked_bytes = 0;   ///< most at a time, of the whole process
  std::uint64_t peak_bytes = 0;
  std::uint64_t failures = 0;  ///< of the device; after one it is not used again
  double wait_seconds = 0;     ///< the host waited for copies from the device

  /// Sums; the larger of the peaks.
  void add(const ResidencyCounts& other) noexcept;
  /// What came after `before`; peaks stay.
  [[nodiscard]] ResidencyCounts since(const ResidencyCounts& before) const noexcept;
};

}  // namespace blockyard::block
