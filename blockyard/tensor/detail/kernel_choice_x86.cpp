// SPDX-License-Identifier: Apache-2.0
// Built on x86-64 only (room.cmake).
#include <algorithm>
#include <array>
#include <limits>

#include "blockyard/base/clock.h"
#include "blockyard/tensor/detail/panel_kernels.h"
#include "blockyard/tensor/detail/processor_x86.h"

namespace blockyard::tensor::detail {
namespace {

bool has_avx512() noexcept { return instruction_set() == InstructionSet::avx512; }
bool has_avx2() noexcept { return instruction_set() >= InstructionSet::avx2; }

template <class T>
const Kernels<T>& choose() noexcept {
  if (has_avx512()) return kernels_avx512<T>();
  if (has_avx2()) return kernels_avx2<T>();
  return kernels_baseline<T>();
}

/// Nanoseconds for a multiply-add of the micro-kernel on panels in the first cache.
template <class R>
double tile_cost(const PanelKernels<R>& use) noexcept {
  constexpr Extent k = 128, most = 48 * k, most_columns = 8;
  alignas(64) std::array<R, most> left;
  alignas(64) std::array<R, most_columns * k> right;
  alignas(64) std::array<R, 48 * most_columns> result;
  left.fill(R(1));
  right.fill(R(1));
  std::array<Extent, most_columns> column{};
  for (int q = 0; q < use.columns; ++q) column[static_cast<std::size_t>(q)] = q * use.rows;
  const TileProduct<R> tile{k,       left.data(),   right.data(),  R(1),
                            R(0),    result.data(), column.data(), use.columns,
                            nullptr, use.rows,      false};
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 8; ++round) {
    const double begin = base::now_seconds();
    for (int i = 0; i < 8; ++i) use.multiply(tile);
    best = std::min(best, base::now_seconds() - begin);
  }
  return best / (8.0 * static_cast<double>(k * use.rows) * use.columns) * 1e9;
}

/// Wide vectors lower the clock of some processors: they must show that they are faster.
template <class R>
const PanelKernels<R>& fastest_panels() noexcept {
  if (!has_avx2()) return panel_kernels_baseline<R>();
  if (!has_avx512()) return panel_kernels_avx2<R>();
  const bool is_wide_faster =
      tile_cost(panel_kernels_avx512<R>()) < 1.05 * tile_cost(panel_kernels_avx2<R>());
  return is_wide_faster ? panel_kernels_avx512<R>() : panel_kernels_avx2<R>();
}

}  // namespace

template <Element T>
const Kernels<T>& kernels() noexcept {
  static const Kernels<T>& chosen = choose<T>();  // a fact about the processor, not state
  return chosen;
}

template const Kernels<float>& kernels<float>() noexcept;
template const Kernels<double>& kernels<double>() noexcept;
template const Kernels<c64>& kernels<c64>() noexcept;
template const Kernels<c128>& kernels<c128>() noexcept;

template <Element T>
std::vector<const Kernels<T>*> all_kernels() {
  std::vector<const Kernels<T>*> all = {&kernels_baseline<T>()};
  if (has_avx2()) all.push_back(&kernels_avx2<T>());
  if (has_avx512()) all.push_back(&kernels_avx512<T>());
  return all;
}

template <class R>
std::vector<const PanelKernels<R>*> all_panel_kernels() {
  std::vector<const PanelKernels<R>*> all = {&panel_kernels_baseline<R>()};
  if (has_avx2()) all.push_back(&panel_kernels_avx2<R>());
  if (has_avx512()) all.push_back(&panel_kernels_avx512<R>());
  return all;
}

template <class R>
const PanelKernels<R>& panel_kernels() noexcept {
  static const PanelKernels<R>& chosen = fastest_panels<R>();  // a fact about the processor
  return chosen;
}
template const PanelKernels<float>& panel_kernels<float>() noexcept;
template const PanelKernels<double>& panel_kernels<double>() noexcept;
template std::vector<const Kernels<float>*> all_kernels<float>();
template std::vector<const Kernels<double>*> all_kernels<double>();
template std::vector<const Kernels<c64>*> all_kernels<c64>();
template std::vector<const Kernels<c128>*> all_kernels<c128>();
template std::vector<const PanelKernels<float>*> all_panel_kernels<float>();
template std::vector<const PanelKernels<double>*> all_panel_kernels<double>();

}  // namespace blockyard::tensor::detail
