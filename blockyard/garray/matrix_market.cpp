// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <complex>
#include <cstring>
#include <span>
#include <string_view>

#include "blockyard/garray/sparse.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::garray {

namespace {

/// The elements of one block, a line for each: row and column from 1, value.
template <class T>
std::string lines_of(const Sparse::Block& block, Extent first_row) {
  std::string text;
  for (std::size_t row = 0; !block.is_empty() && row + 1 < block.offsets.size(); ++row)
    for (auto k = static_cast<std::size_t>(block.offsets[row]);
         k < static_cast<std::size_t>(block.offsets[row + 1]); ++k) {
      T value;
      std::memcpy(&value, block.values() + k * sizeof(T), sizeof(T));
      text += fmt::format("{} {} ", first_row + static_cast<Extent>(row) + 1, block.columns[k] + 1);
      if constexpr (std::is_arithmetic_v<T>)
        text += fmt::format("{}\n", value);
      else
        text += fmt::format("{} {}\n", value.real(), value.imag());
    }
  return text;
}

template <class T>
constexpr std::string_view field = std::is_integral_v<T>     ? "integer"
                                   : std::is_arithmetic_v<T> ? "real"
                                                             : "complex";

}  // namespace

void write_matrix_market(const Runtime& runtime, const Sparse& a, const std::string& path) {
  std::int64_t count = 0;
  a.for_each_own([&](Extent, Extent, const std::byte*) { ++count; });
  runtime.memory().reduce(runtime.team(a.group()).group, fabric::Element::i64,
                          fabric::Reduction::sum, &count, 1);
  if (a.me() != 0) return;
  const std::string text = fabric::with_type(*a.kind().element, [&](auto type) {
    using T = decltype(type);
    std::string all = fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                                  field<T>, a.rows(), a.columns(), count);
    for (int member = 0; member < a.members(); ++member)
      a.for_each_block(member, [&](const Sparse::Block& block) {
        all += lines_of<T>(block, a.first_row(member));
      });
    return all;
  });
  store::write_whole_file(path, std::as_bytes(std::span(text)));
}

}  // namespace blockyard::garray
