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

/// The head of an item that has a sample, or its Green's function.
struct ItemHead {
  double sign_real = 1;
  double sign_imaginary = 0;
  std::int32_t bin = 0;
  std::int32_t is_single = 0;  ///< matrices, or values of a Green's function, are f32
  /// By spin, as the payload has them, for a rank that has it on its device only; of samples.
  std::array<std::int32_t, 2> vertices{};
  std::array<std::int32_t, 2> is_complex{};
};
/// `sample` null: a Green's function.
[[nodiscard]] ItemHead head_of(const Sample* sample, Complex sign, int bin, bool is_single);
/// REQUIRES: `head` is one.
[[nodiscard]] ItemHead decode_head(std::span<const std::byte> head);

/// The vertices and matrices as the payload of an item; the sign travels in its head. With
/// `is_single` the matrices are f32, the times stay f64. A spin begins at a multiple of 8 bytes.
[[nodiscard]] std::size_t payload_bytes(const Sample& sample, bool is_single);
void encode(const Sample& sample, bool is_single, std::span<std::byte> payload);
/// Where the vertices of spin 1 begin, in units of 8 bytes; those of spin 0 begin at 2.
[[nodiscard]] std::int64_t second_vertices(const ItemHead& head);
[[nodiscard]] Sample decode(std::span<const std::byte> payload);

}  // namespace blockyard::lattice
