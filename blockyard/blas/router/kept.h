// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "blockyard/base/fingerprint.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// Whether to look for something that has not been found for a while: after `patience` misses in a
/// row only one time in `seldom`.
class Patience {
 public:
  [[nodiscard]] bool allows() const noexcept { return misses_ < patience || misses_ % seldom == 0; }
  void note_miss() noexcept { ++misses_; }
  void note_hit() noexcept { misses_ = 0; }

 private:
  static constexpr int patience = 32, seldom = 64;
  int misses_ = 0;
};

/// Operands and results that lie on a device since earlier calls, known by their content, wherever
/// in memory of the program they are. The least recently used are evicted first. One thread.
class Kept {
 public:
  struct Operand {
    device::Memory memory;
    std::optional<base::Fingerprint> content;  ///< nothing: it is not known by its content
    int uses = 0;                              ///< by work that is under way: parts may share one
    bool is_new = false;                       ///< sent, or computed, in the call that is under way
    bool is_result = false;
  };

  Kept(device::Device& device, std::int64_t budget_bytes);

  /// Whether anything is kept at all.
  [[nodiscard]] bool is_on() const noexcept { return budget_bytes_ > 0; }
  /// Whether something of that size is only a part of what may be kept.
  [[nodiscard]] bool has_room(std::int64_t bytes) const noexcept {
    return bytes <= budget_bytes_ / most_share;
  }
  /// By what an operand is to be looked for. Nothing: not at all, since nothing was found lately.
  [[nodiscard]] std::optional<base::Fingerprint> content_of(std::span<const std::byte> bytes);
  /// What is there of that content. Null: it must be sent.
  [[nodiscard]] Operand* find(const base::Fingerprint& content);
  /// Memory for one that is to be sent. Null: the device has no room.
  [[nodiscard]] Operand* make(std::int64_t bytes, const std::optional<base::Fingerprint>& content);

  /// Whether a result of that size is to be kept: it is not large, and results have been found.
  [[nodiscard]] bool wants_result(std::int64_t bytes) const noexcept {
    return has_room(bytes) && results_kept_.allows();
  }
  /// From now on it is known, if the call does not fail.
  void keep_result(Operand& operand, const base::Fingerprint& content) noexcept;
  /// A result of that content. Null: there is none; bytes are hashed only if one has their number.
  [[nodiscard]] Operand* find_result(std::span<const std::byte> bytes);
  /// By which contents are hashed.
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// Memory of the device, for which operands that are not in use are evicted, if need be. Nothing:
  /// there is no room.
  [[nodiscard]] std::optional<device::Memory> allocate(std::int64_t bytes);
  /// Evicts operands that are not in use until that many bytes of the device's memory are free, if
  /// that has a limit.
  void make_room(std::int64_t bytes, std::int64_t memory_bytes);
  /// Evicts one that is not in use. False: there is none.
  bool drop_oldest();
  /// Work that found or made it is done.
  void let_go(Operand* operand) noexcept;
  /// The same for all that one stream used; what was sent, and has failed, may not have arrived.
  void let_go(std::span<Operand* const> used, bool has_failed) noexcept;
  /// A stream without work: opening one starts a thread of a server, and closing it waits for that.
  [[nodiscard]] device::Stream take_stream();
  void put_back(device::Stream stream) noexcept;
  /// Gives up operands of at least that many bytes, as far as there are; from then on less is kept.
  void give_back(std::int64_t bytes);
  void begin_call() noexcept { saved_bytes_ = saved_operands_ = 0; }
  /// No work is under way any more; what was sent in a call that failed may not have arrived.
  void end_call(bool has_failed) noexcept;
  /// Of the call: what was found, and so was not sent.
  [[nodiscard]] std::int64_t saved_bytes() const noexcept { return saved_bytes_; }
  [[nodiscard]] std::int64_t saved_operands() const noexcept { return saved_operands_; }

 private:
  static constexpr std::int64_t most_share = 4;  ///< of what may be kept, for a result

  void note_found(Operand& operand) noexcept;

  device::Device& device_;
  std::int64_t budget_bytes_;
  std::uint64_t seed_;
  std::int64_t held_bytes_ = 0;
  std::int64_t saved_bytes_ = 0, saved_operands_ = 0;
  Patience operands_found_, results_found_, results_kept_;
  std::list<Operand> operands_;  ///< the one that was used last comes last
  std::vector<device::Stream> streams_;
};

/// A device, and what it has of earlier calls; null: nothing is looked for, or kept.
struct On {
  device::Device& device;
  Kept* kept = nullptr;
  bool* lacked_room = nullptr;  ///< set where the device has no room; null: nobody asks
};

}  // namespace blockyard::blas
