// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/configuration.h"

#include <algorithm>
#include <span>
#include <utility>

namespace blockyard::qc {
namespace {

/// Electrons by angular momentum when shells of (l, places) are filled in this order.
std::array<int, 4> fill_shells(int electrons, std::span<const std::pair<std::size_t, int>> order) {
  std::array<int, 4> filled{};
  for (const auto& [l, places] : order) {
    const int taken = std::min(electrons, places);
    filled[l] += taken;
    electrons -= taken;
  }
  return filled;
}

}  // namespace

std::array<int, 4> atomic_configuration(int atomic_number) {
  // Aufbau order
  constexpr std::array<std::pair<std::size_t, int>, 15> filling = {{{0, 2},
                                                                    {0, 2},
                                                                    {1, 6},
                                                                    {0, 2},
                                                                    {1, 6},
                                                                    {0, 2},
                                                                    {2, 10},
                                                                    {1, 6},
                                                                    {0, 2},
                                                                    {2, 10},
                                                                    {1, 6},
                                                                    {0, 2},
                                                                    {3, 14},
                                                                    {2, 10},
                                                                    {1, 6}}};
  auto electrons = fill_shells(atomic_number, filling);
  // Its exceptions: electrons of the outer s shell in d, of f in d.
  constexpr std::array<int, 9> from_s = {24, 29, 41, 42, 44, 45, 47, 78, 79};
  constexpr std::array<int, 3> from_f = {57, 58, 64};
  constexpr int palladium = 46;
  const auto move = [&](std::size_t from, int count) {
    electrons[from] -= count;
    electrons[2] += count;
  };
  if (std::ranges::count(from_s, atomic_number) > 0) move(0, 1);
  if (std::ranges::count(from_f, atomic_number) > 0) move(3, 1);
  if (atomic_number == palladium) move(0, 2);
  return electrons;
}

std::array<int, 4> core_configuration(int electrons) {
  constexpr int xenon = 54;
  if (electrons == xenon) return {10, 24, 20, 0};
  constexpr std::array<std::pair<std::size_t, int>, 13> filling = {{{0, 2},
                                                                    {0, 2},
                                                                    {1, 6},
                                                                    {0, 2},
                                                                    {1, 6},
                                                                    {2, 10},
                                                                    {0, 2},
                                                                    {1, 6},
                                                                    {2, 10},
                                                                    {3, 14},
                                                                    {0, 2},
                                                                    {1, 6},
                                                                    {2, 10}}};
  return fill_shells(electrons, filling);
}

}  // namespace blockyard::qc
