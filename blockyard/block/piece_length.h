// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace blockyard::block {

/// The length of pieces into which a copy from a device is cut, so that the network sends one piece
/// while the next is copied. Short pieces begin sooner, long ones cost fewer starts; learned from
/// the first copies, which are timed in two parts.
class PieceLength {
 public:
  /// `fixed`: always this length; 0: learned.
  explicit PieceLength(std::size_t fixed = 0) noexcept : fixed_(fixed) {}

  static constexpr std::size_t least = std::size_t{64} << 10;
  /// Whether a copy of `size` is to be timed: first `least` bytes of it, then the rest.
  [[nodiscard]] bool wants_time(std::size_t size) const noexcept {
    return fixed_ == 0 && timed_ < most_timed && size >= 8 * least;
  }
  void took(double first_seconds, std::size_t rest, double rest_seconds) noexcept;
  /// For a block of `size`: where start * size / length + length / rate is least, if the network is
  /// as fast as the copy.
  [[nodiscard]] std::size_t of(std::size_t size) const noexcept;

 private:
  static constexpr int most_timed = 3;

  std::size_t fixed_;
  int timed_ = 0;
  double first_seconds_ = 2e-5;  ///< for `least` bytes; before it is known
  double seconds_per_byte_ = 1e-10;
};

}  // namespace blockyard::block
