// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace blockyard::base {

/// A 128-bit hash that identifies contents.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// XXH3 of bytes. Contents crafted to collide under one seed do not collide under
/// another. Any thread. Source: Yann Collet, xxHash, XXH3_128bits, specification 0.8.
[[nodiscard]] Fingerprint fingerprint(std::span<const std::byte> bytes,
                                      std::uint64_t seed) noexcept;

/// The same of bytes that come one after the other. One thread.
class Fingerprinter {
 public:
  /// Throws std::bad_alloc.
  explicit Fingerprinter(std::uint64_t seed);
  void add(std::span<const std::byte> bytes) noexcept;
  /// Of all that were added.
  [[nodiscard]] Fingerprint fingerprint() const noexcept;

 private:
  struct Release {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, Release> state_;  ///< XXH3_state_t
};

}  // namespace blockyard::base
