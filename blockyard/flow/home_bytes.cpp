// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/home_bytes.h"

#include <algorithm>
#include <array>

#include "blockyard/array/block_id.h"
#include "blockyard/flow/iterations.h"

namespace blockyard::flow {

HomeBytes::HomeBytes(const program::Program& program, const Tables& tables,
                     const program::Selector& selector, std::span<const std::int64_t> values,
                     int servers)
    : program_(program),
      tables_(tables),
      grid_(tables.grids[static_cast<std::size_t>(selector.array)]),
      array_(selector.array),
      element_bytes_(static_cast<std::int64_t>(
          array::bytes_of(program.arrays[static_cast<std::size_t>(selector.array)].type))),
      servers_(servers),
      indexes_(selector.indexes),
      is_free_(selector.indexes.size()),
      shares_{{0, 1}} {
  const auto& dims = program.arrays[static_cast<std::size_t>(selector.array)].indexes;
  for (std::size_t k = 0; k < indexes_.size(); ++k) {
    const std::int32_t parent = program.indexes[static_cast<std::size_t>(indexes_[k])].parent;
    const program::IndexDecl& declared = program.indexes[static_cast<std::size_t>(dims[k])];
    const bool is_whole = declared.parent < 0 && declared.kind != array::IndexKind::simple;
    if (parent >= 0 && is_whole) indexes_[k] = parent;  // the block that holds the subsegment
    is_free_[k] = values[static_cast<std::size_t>(indexes_[k])] == unbound;
  }
  for (std::size_t k = 0; k < indexes_.size(); ++k)
    if (is_free_[k] && std::ranges::find(indexes_, indexes_[k]) - indexes_.begin() ==
                           static_cast<std::ptrdiff_t>(k))
      spread(k, values);
  if (is_even()) shares_.clear();
}

/// Sums over the values of the free index at axis `first`, which may also stand at other axes.
void HomeBytes::spread(std::size_t first, std::span<const std::int64_t> values) {
  const std::int32_t index = indexes_[first];
  const std::int32_t parent = program_.indexes[static_cast<std::size_t>(index)].parent;
  if (parent >= 0) return shares_.clear();  // a range of its own in each iteration
  const IndexRange range = range_of(program_, tables_, values, index);
  const auto servers = static_cast<std::uint64_t>(servers_);
  std::vector<std::int64_t> elements(servers);
  std::array<std::int64_t, array::max_order> segments{};
  for (std::size_t k = 0; k < indexes_.size(); ++k) segments[k] = grid_.axis(k).first();
  for (std::int64_t value = range.first; value <= range.last; ++value) {
    std::int64_t extent = 1;
    for (std::size_t k = first; k < indexes_.size(); ++k) {
      if (indexes_[k] != index) continue;
      extent = grid_.contains(k, value) ? extent * grid_.extent(k, value) : 0;
      segments[k] = value;
    }
    if (extent == 0) continue;
    const std::uint64_t shift = grid_.number_of({segments.data(), indexes_.size()});
    for (const Share& share : shares_)
      elements[(share.shift + shift) % servers] += share.elements * extent;
  }
  shares_.clear();
  for (std::uint64_t shift = 0; shift < servers; ++shift)
    if (elements[shift] > 0) shares_.push_back({shift, elements[shift]});
}

bool HomeBytes::is_even() const {
  if (std::ssize(shares_) < servers_) return false;
  const auto [least, most] = std::ranges::minmax(shares_, {}, &Share::elements);
  return most.elements - least.elements <= least.elements / 16;
}

void HomeBytes::add(std::span<const std::int64_t> values,
                    std::span<const std::int32_t> process_of_server,
                    std::span<std::int64_t> bytes) const {
  if (shares_.empty()) return;
  std::array<std::int64_t, array::max_order> segments{};
  std::int64_t bound = element_bytes_;
  for (std::size_t k = 0; k < indexes_.size(); ++k) {
    segments[k] = grid_.axis(k).first();
    if (is_free_[k]) continue;
    segments[k] = values[static_cast<std::size_t>(indexes_[k])];
    if (!grid_.contains(k, segments[k])) return;
    bound *= grid_.extent(k, segments[k]);
  }
  const std::uint64_t number = grid_.number_of({segments.data(), indexes_.size()});
  for (const Share& share : shares_) {
    const auto server =
        static_cast<std::size_t>(array::home_of({array_, number + share.shift}, servers_));
    bytes[static_cast<std::size_t>(process_of_server[server])] += bound * share.elements;
  }
}

}  // namespace blockyard::flow
