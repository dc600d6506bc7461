// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/block_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/each_element.h"

namespace blockyard::qc {
namespace {

void require_order(Extents extents, std::size_t order, const char* what) {
  if (extents.size() != order) throw base::Error(base::Errc::bad_input, what);
}

/// Swaps indexes p and q of an order 4 block with a change of sign, then zeroes the diagonals.
void antisymmetrise(std::span<double> t, Extents extents, Extents first, std::size_t p,
                    std::size_t q) {
  require_order(extents, 4, "the block must have four indexes: a, i, b, j");
  if (first[p] != first[q] || extents[p] != extents[q])
    throw base::Error(base::Errc::bad_input, "the two indexes must be of the same segment");
  const auto strides = detail::strides_of(extents);
  detail::each_element(extents, [&](const detail::Position& at, std::size_t element) {
    if (at[p] >= at[q]) return;
    const Extent mirror =
        static_cast<Extent>(element) + (at[q] - at[p]) * (strides[p] - strides[q]);
    t[static_cast<std::size_t>(mirror)] = -t[element];
  });
  detail::each_element(extents, [&](const detail::Position& at, std::size_t element) {
    if (first[0] + at[0] == first[2] + at[2] || first[1] + at[1] == first[3] + at[3])
      t[element] = 0.0;
  });
}

}  // namespace

double largest_magnitude(std::span<const double> block) {
  double largest = 0.0;
  for (const double x : block) {
    if (std::isnan(x)) return x;  // must not look like convergence
    largest = std::max(largest, std::abs(x));
  }
  return largest;
}

double trace_of_diagonal(std::span<double> block, Extents extents, Extents first) {
  if (extents.size() != 2 && extents.size() != 4)
    throw base::Error(base::Errc::bad_input, "the block must have two or four indexes");
  const bool is_matrix = extents.size() == 2;
  double sum = 0.0;
  detail::each_element(extents, [&](const detail::Position& at, std::size_t element) {
    const bool is_first_equal = first[0] + at[0] == first[1] + at[1];
    const bool is_second_equal = is_matrix ? is_first_equal : first[2] + at[2] == first[3] + at[3];
    if (is_first_equal && is_second_equal) sum += block[element];
    if (!is_first_equal && !is_second_equal) block[element] = 0.0;
  });
  return sum;
}

void remove_diagonal(std::span<double> block, Extents extents) {
  require_order(extents, 2, "the block must have two indexes");
  detail::each_element(extents, [&](const detail::Position& at, std::size_t element) {
    if (at[0] == at[1]) block[element] = 0.0;
  });
}

void form_diagonal_unit_matrix(std::span<double> block, Extents extents, double exponent) {
  require_order(extents, 2, "the block must have two indexes");
  if (extents[0] != extents[1])
    throw base::Error(base::Errc::bad_input, "the block must be square");
  const bool is_power = exponent == 0.5 || exponent == -0.5;
  detail::each_element(extents, [&](const detail::Position& at, std::size_t element) {
    double& value = block[element];
    if (at[0] != at[1])
      value = 0.0;
    else
      value = is_power && value > 0.0 ? std::pow(value, exponent) : 1.0;
  });
}

void keep_diagonal(std::span<double> block, Extents extents) {
  if (extents.size() != 2 && extents.size() != 4)
    throw base::Error(base::Errc::bad_input, "the block must have two or four indexes");
  detail::each_element(extents, [&](const detail::Position& at, std::size_t element) {
    if (at[0] != at[1] || at[2] != at[3]) block[element] = 0.0;
  });
}

void divide_where_nonzero(std::span<double> t, std::span<const double> by) {
  if (t.size() != by.size())
    throw base::Error(base::Errc::bad_input, "the two blocks must have the same shape");
  for (std::size_t k = 0; k < t.size(); ++k)
    if (by[k] != 0.0) t[k] /= by[k];
}

void zero_equal_orbitals(std::span<double> t, Extents extents, Extents first) {
  require_order(extents, 5, "the block must have five indexes: k, a, i, b, j");
  detail::each_element(extents, [&](const detail::Position& at, std::size_t element) {
    if (first[1] + at[1] == first[3] + at[3] || first[2] + at[2] == first[4] + at[4])
      t[element] = 0.0;
  });
}

void antisymmetrise_occupied(std::span<double> t, Extents extents, Extents first) {
  antisymmetrise(t, extents, first, 1, 3);
}

void antisymmetrise_virtual(std::span<double> t, Extents extents, Extents first) {
  antisymmetrise(t, extents, first, 0, 2);
}

void copy_part(std::span<const double> in, Extents in_extents, Extents at, std::span<double> out,
               Extents out_extents) {
  require_order(out_extents, in_extents.size(), "the two blocks must have as many indexes");
  Extent start = 0;
  const auto strides = detail::strides_of(in_extents);
  for (std::size_t k = 0; k < in_extents.size(); ++k) {
    if (at[k] < 0 || at[k] + out_extents[k] > in_extents[k])
      throw base::Error(base::Errc::bad_input, "the requested part is not inside the block");
    start += at[k] * strides[k];
  }
  detail::each_element(out_extents, [&](const detail::Position& position, std::size_t element) {
    Extent from = start;
    for (std::size_t k = 0; k < in_extents.size(); ++k) from += position[k] * strides[k];
    out[element] = in[static_cast<std::size_t>(from)];
  });
}

void copy_overlap(std::span<const double> from, Extents from_extents, Extents from_first,
                  std::span<double> to, Extents to_extents, Extents to_first) {
  require_order(to_extents, from_extents.size(), "the two blocks must have as many indexes");
  const auto from_strides = detail::strides_of(from_extents);
  const auto to_strides = detail::strides_of(to_extents);
  std::vector<Extent> common;
  Extent start = 0;
  Extent target = 0;
  for (std::size_t k = 0; k < from_extents.size(); ++k) {
    const Extent begin = std::max(from_first[k], to_first[k]);
    const Extent end = std::min(from_first[k] + from_extents[k], to_first[k] + to_extents[k]);
    if (begin >= end) return;
    common.push_back(end - begin);
    start += (begin - from_first[k]) * from_strides[k];
    target += (begin - to_first[k]) * to_strides[k];
  }
  const Extent run = common.empty() ? 1 : std::exchange(common[0], 1);
  detail::each_element(common, [&](const detail::Position& position, std::size_t) {
    Extent source = start;
    Extent place = target;
    for (std::size_t k = 1; k < common.size(); ++k) {
      source += position[k] * from_strides[k];
      place += position[k] * to_strides[k];
    }
    std::copy_n(from.begin() + source, run, to.begin() + place);
  });
}

void unit_guess(std::span<double> b, Extent vectors, std::span<const double> diagonal) {
  const auto count = static_cast<std::size_t>(vectors);
  if (b.size() != count * diagonal.size())
    throw base::Error(base::Errc::bad_input,
                      "the guess must hold one value for each vector and diagonal element");
  std::vector<std::size_t> order(diagonal.size());
  std::iota(order.rbegin(), order.rend(), 0U);  // the last first, so that it wins a tie
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return diagonal[x] < diagonal[y]; });
  std::fill(b.begin(), b.end(), 0.0);
  for (std::size_t k = 0; k < std::min(count, order.size()); ++k) b[k + count * order[k]] = 1.0;
}

void combine_columns(std::span<const double> alpha, const ActiveColumns& alpha_columns,
                     std::span<const double> beta, const ActiveColumns& beta_columns, Extent rows,
                     std::span<double> both) {
  const auto columns = [rows](std::span<const double> matrix, Extent first, Extent end) {
    return matrix.subspan(static_cast<std::size_t>(first * rows),
                          static_cast<std::size_t>((end - first) * rows));
  };
  const auto end_of = [rows](std::span<const double> matrix) { return std::ssize(matrix) / rows; };
  const std::array parts = {columns(alpha, alpha_columns.first, alpha_columns.first_virtual),
                            columns(beta, beta_columns.first, beta_columns.first_virtual),
                            columns(alpha, alpha_columns.first_virtual, end_of(alpha)),
                            columns(beta, beta_columns.first_virtual, end_of(beta))};
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  if (size != both.size())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} correlated spin orbitals do not fit {} columns",
                                  static_cast<Extent>(size) / rows, std::ssize(both) / rows));
  auto to = both.begin();
  for (const auto& part : parts) to = std::copy(part.begin(), part.end(), to);
}

}  // namespace blockyard::qc
