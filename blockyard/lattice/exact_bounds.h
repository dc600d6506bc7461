// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "blockyard/lattice/problem.h"
#include "blockyard/lattice/sample.h"
#include "blockyard/ring/exact.h"

namespace blockyard::lattice {

/// The largest contributions of some samples f, G to what is summed. They differ by many orders
/// where energies are not of order 1: G4 goes as the fourth power of an inverse energy.
struct Largest {
  double g4 = 0;     ///< f G G, estimated from above by the largest |G|
  double green = 0;  ///< f G / beta
  double sign = 0;   ///< |f|
};
/// green: some tiles of G.
[[nodiscard]] Largest largest_of(const Axes& axes, std::span<const double> green, Complex sign);
[[nodiscard]] Largest largest_of(const Problem& problem, const Cluster& cluster,
                                 const Sample& sample);
[[nodiscard]] Largest larger_of(const Largest& a, const Largest& b);

/// No contribution to exact sums is larger.
struct ExactBounds {
  double g4 = 1;
  double green = 1;
  double sign = 1;  ///< of f, |f| and |f|^2
};
/// `wished`: that of G4, by the user; 0: 64 times the largest. option: what the user sets.
/// Throws Error{bad_input} for a wish so large that nothing would be left of the contributions.
[[nodiscard]] ExactBounds bounds_of(const Largest& largest, const Axes& axes, std::int64_t samples,
                                    double wished, std::string_view option);

/// Scales of exact sums over this many samples.
struct ExactScales {
  ExactScales(std::int64_t samples, const ExactBounds& bounds, std::string_view what_sets_it)
      : g4(samples, bounds.g4),
        green(samples, bounds.green),
        sign(samples, bounds.sign),
        option(what_sets_it) {}
  ring::ExactScale g4;
  ring::ExactScale green;
  ring::ExactScale sign;
  std::string_view option;  ///< what the user sets: a literal
};

}  // namespace blockyard::lattice
