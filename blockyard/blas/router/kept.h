// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <optional>

#include "blockyard/base/fingerprint.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// Operands that lie on a device since earlier calls, known by their content, wherever in memory of
/// the program they are. The least recently used are evicted first. One thread.
class Kept {
 public:
  struct Operand {
    device::Memory memory;
    std::optional<base::Fingerprint> content;  ///< nothing: it is not known by its content
    bool is_in_use = false;
    bool is_new = false;  ///< sent in the call that is under way
  };

  Kept(device::Device& device, std::int64_t budget_bytes)
      : device_(device), budget_bytes_(budget_bytes) {}

  /// Whether anything is kept at all.
  [[nodiscard]] bool is_on() const noexcept { return budget_bytes_ > 0; }
  /// An operand of that content. Null: it must be sent.
  [[nodiscard]] Operand* find(const base::Fingerprint& content);
  /// Memory for one that is to be sent. Null: the device has no room.
  [[nodiscard]] Operand* make(std::int64_t bytes, const std::optional<base::Fingerprint>& content);
  /// Evicts operands that are not in use until that many bytes of the device's memory are free, if
  /// that has a limit.
  void make_room(std::int64_t bytes, std::int64_t memory_bytes);
  /// Evicts one that is not in use. False: there is none.
  bool drop_oldest();
  /// Work that uses it is done.
  void let_go(Operand* operand) noexcept;
  /// Gives up operands of at least that many bytes, as far as there are; from then on less is kept.
  void give_back(std::int64_t bytes);
  /// No work is under way any more; what was sent in a call that failed may not have arrived.
  void end_call(bool has_failed) noexcept;

 private:
  device::Device& device_;
  std::int64_t budget_bytes_;
  std::int64_t held_bytes_ = 0;
  std::list<Operand> operands_;  ///< the one that was used last comes last
};

}  // namespace blockyard::blas
