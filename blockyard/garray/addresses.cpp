// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/addresses.h"

namespace blockyard::garray {

Addresses::Addresses(const Array& array)
    : distribution_(array.distribution), members_(array.bases.size()) {
  const auto unit = static_cast<Extent>(array.kind.bytes);
  const Extent blocks = distribution_.block_count();
  origins_.reserve(static_cast<std::size_t>(blocks));
  holders_.reserve(static_cast<std::size_t>(blocks));
  steps_.reserve(static_cast<std::size_t>(blocks) * array.axes());
  for (Extent block = 0; block < blocks; ++block) {
    const Piece piece = distribution_.piece_of(block);
    Extent offset = piece.offset;
    for (std::size_t d = 0; d < array.axes(); ++d) {
      offset -= piece.box.first[d] * piece.strides[d];
      steps_.push_back(piece.strides[d] * unit);
    }
    holders_.push_back(piece.rank);
    origins_.push_back(array.bases[static_cast<std::size_t>(piece.rank)] + offset * unit);
  }
}

void Addresses::add(std::span<const Extent> blocks) noexcept {
  constexpr std::size_t few_blocks = 8;
  if (holders_.size() > few_blocks) {
    for (const Extent block : blocks)
      ++counts_[static_cast<std::size_t>(holders_[static_cast<std::size_t>(block)])];
    return;
  }
  // Comparisons of many at a time: increments of one count would wait for each other.
  for (std::size_t b = 0; b < holders_.size(); ++b) {
    std::uint64_t found = 0;
    for (const Extent block : blocks) found += block == static_cast<Extent>(b) ? 1U : 0U;
    counts_[static_cast<std::size_t>(holders_[b])] += found;
  }
}

bool Addresses::find(std::span<const Line> at, std::size_t count, std::byte** places) noexcept {
  constexpr Extent few_blocks = 8;  // faster compared with all of them
  Line blocks;
  std::fill_n(blocks.begin(), count, 0);
  Extent next = 1;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const Cuts& axis = distribution_.cuts(d);
    const auto extent = static_cast<std::uint64_t>(axis.extent);
    bool is_inside = true;
    for (std::size_t i = 0; i < count; ++i)
      is_inside &= static_cast<std::uint64_t>(at[d][i]) < extent;
    if (!is_inside) return false;
    if (axis.edge == 0 && axis.blocks <= few_blocks) {
      for (Extent b = 1; b < axis.blocks; ++b) {
        const Extent begin = axis.begins[static_cast<std::size_t>(b)];
        for (std::size_t i = 0; i < count; ++i) blocks[i] += at[d][i] >= begin ? next : 0;
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) blocks[i] += axis.block_of(at[d][i]) * next;
    }
    next *= axis.blocks;
  }
  if (!counts_.empty()) add({blocks.data(), count});
  const std::size_t axes = at.size();
  if (axes == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto block = static_cast<std::size_t>(blocks[i]);
      places[i] = origins_[block] + at[0][i] * steps_[block];
    }
    return true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto block = static_cast<std::size_t>(blocks[i]);
    std::byte* place = origins_[block];
    const Extent* steps = steps_.data() + block * axes;
    for (std::size_t d = 0; d < axes; ++d) place += at[d][i] * steps[d];
    places[i] = place;
  }
  return true;
}

}  // namespace blockyard::garray
