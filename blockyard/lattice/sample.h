// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/lattice/cluster.h"

namespace blockyard::lattice {

struct Vertex {
  std::int32_t band = 0;
  std::int32_t site = 0;
  double tau = 0;
  friend bool operator==(const Vertex&, const Vertex&) = default;
};

/// The vertices of one spin and its walker matrix M(i, j), first index fastest. `imaginary` is
/// empty where M is real.
struct SpinSample {
  std::vector<Vertex> vertices;
  std::vector<double> real;
  std::vector<double> imaginary;
  [[nodiscard]] std::size_t count() const noexcept { return vertices.size(); }
  friend bool operator==(const SpinSample&, const SpinSample&) = default;
};

/// One configuration of the Monte Carlo simulation. Without vertices its Green's function is that
/// without interaction.
struct Sample {
  Complex sign = 1;
  std::array<SpinSample, 2> spins;  ///< up, down
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// Throws Error{bad_input}, naming what is wrong, if a site, band or time is not on the axes or a
/// number is not finite.
void check(const Sample& sample, const Axes& axes);

/// The vertices and matrices as the payload of an item; the sign travels in its head. With
/// `is_single` the matrices are f32, the times stay f64.
[[nodiscard]] std::size_t payload_bytes(const Sample& sample, bool is_single);
void encode(const Sample& sample, bool is_single, std::span<std::byte> payload);
[[nodiscard]] Sample decode(std::span<const std::byte> payload);

}  // namespace blockyard::lattice
