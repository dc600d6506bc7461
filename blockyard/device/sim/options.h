// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace blockyard::device::sim {

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t memory = std::uint64_t{1} << 40;
  std::uint64_t page = 4096;              ///< host memory is locked in such; 0: never
  std::uint64_t host_locks = UINT64_MAX;  ///< bytes that can be locked in total
  std::uint64_t fail_after = UINT64_MAX;  ///< pieces of enqueued work; then all of it fails
  std::uint64_t fail_call = UINT64_MAX;   ///< this call of the table fails, from 1 on
  std::uint64_t lose_call = UINT64_MAX;   ///< from this call on all fail: the device is lost
  std::uint64_t hang_open = 0;            ///< 1: opening never returns
  std::uint64_t slow = 0;                 ///< microseconds more for each piece on device 1
  std::uint64_t network = 0;              ///< 1: reveals where its memory really is
  std::uint64_t in_place = 0;             ///< 1: works on memory of the host where it is
  std::uint64_t rate = 0;                 ///< flops a second that it seems to have; 0: as it is
  std::uint64_t copy_rate = 0;            ///< bytes a second of copies in either direction; 0: same
  std::uint64_t plan_time = 0;            ///< microseconds that preparing an operation takes
  std::uint64_t compute = 1;              ///< 0: results are undefined, operations take no work
};

/// Reads "key=number key=number". Returns what is wrong, or "".
[[nodiscard]] std::string read(std::string_view text, Options& options);

}  // namespace blockyard::device::sim
