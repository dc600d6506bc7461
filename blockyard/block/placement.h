// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "blockyard/block/residency_counts.h"

namespace blockyard::block {

/// Learns while a program runs on which side, host or device, each of its statements is faster,
/// from the time of its work and of the copies that either side needs. It changes its mind only
/// for a clear gain, and what it spends on trying stays a small share of what it has measured.
/// Times are seconds, statements are named by their pc. One thread.
class Placement {
 public:
  enum class Side : std::uint8_t { host, device, trial };  ///< a trial runs there and is timed

  /// What a statement would do now.
  struct Work {
    double flops = 0;
    std::uint64_t to_device_bytes = 0;    ///< operands that are not there
    std::uint64_t from_device_bytes = 0;  ///< operands that only the device has
    double expected_back_bytes = 0;       ///< of the result, that the host will read
  };

  /// is_processor: the device is the processor of the host, by another driver. It gains little
  /// and may lose much: statements are first tried there only where a large loss is affordable.
  explicit Placement(std::size_t statements, bool is_processor = false)
      : statements_(statements), is_processor_(is_processor) {}

  /// Whether the operands are worth examining at all; if not, the host does it.
  [[nodiscard]] bool is_open(std::int32_t pc) noexcept;
  [[nodiscard]] Side choose(std::int32_t pc, const Work& work);

  void host_took(std::int32_t pc, double flops, double seconds) noexcept;
  /// Of a trial: the work alone, and the copies before it.
  void device_took(std::int32_t pc, double flops, double seconds) noexcept;
  /// Copies to the device; ignored where part of them came from other devices.
  void copies_took(const ResidencyCounts& copies, double seconds) noexcept;

  /// Statements that run on the device now.
  [[nodiscard]] std::size_t on_device() const noexcept;

 private:
  struct Statement {
    double host_seconds = 0;    ///< for each flop
    double device_seconds = 0;  ///< for each flop
    std::uint32_t host_runs = 0;
    std::uint32_t trials = 0;
    std::uint32_t since_trial = 0;
    std::uint32_t closed_for = 0;  ///< runs until it is looked at again
    std::uint32_t closes_for = 0;  ///< the last time
    bool is_on_device = false;
    bool is_host_next = false;  ///< of the measurements while it is on the device
  };
  [[nodiscard]] Statement& at(std::int32_t pc) noexcept {
    return statements_[static_cast<std::size_t>(pc)];
  }
  void close(Statement& statement) noexcept;
  [[nodiscard]] bool may_try(double loss_seconds) const noexcept;
  [[nodiscard]] double copy_seconds(double bytes) const noexcept;

  std::vector<Statement> statements_;
  bool is_processor_;
  double byte_seconds_ = 1e-10;  ///< of a copy; a guess until one is measured
  bool has_copied_ = false;
  double launch_seconds_ = 0;     ///< the shortest trial
  double best_flop_seconds_ = 0;  ///< of the trials
  double worked_seconds_ = 0;     ///< of all that was measured on the host
  double lost_seconds_ = 0;       ///< in trials, over what the host would have taken
};

}  // namespace blockyard::block
