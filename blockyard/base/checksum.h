// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace blockyard::base {

/// 64-bit checksum of bytes (XXH3), the one used in every file and message of ours. Any thread.
/// Source: Yann Collet, xxHash, XXH3_64bits, specification 0.8.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

/// That of bytes that come in parts. One thread.
class Checksum {
 public:
  Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;
  ~Checksum();
  void add(std::span<const std::byte> bytes) noexcept;
  /// Of all parts so far.
  [[nodiscard]] std::uint64_t value() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::base
