// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/segments.h"

#include <fmt/format.h>

#include <numeric>

namespace blockyard::array {

static_assert(!kind_names.back().empty() && !kind_keywords.back().empty(),
              "each kind has its name and its keyword");

using base::Errc;
using base::Error;

void Segments::set(IndexKind kind, std::vector<Extent> extents) {
  if (kind == IndexKind::simple)
    throw Error(Errc::bad_input, "a simple index has no segments: its extent is always 1");
  std::vector<Extent> offsets;
  Extent offset = 0;
  for (const Extent extent : extents) {
    if (extent <= 0)
      throw Error(Errc::bad_input,
                  fmt::format("segments of kind {}: an extent of {} is not positive", name_of(kind),
                              extent));
    offsets.push_back(offset);
    offset += extent;
  }
  extents_[static_cast<std::size_t>(kind)] = std::move(extents);
  offsets_[static_cast<std::size_t>(kind)] = std::move(offsets);
}

std::int64_t Segments::count(IndexKind kind) const noexcept {
  return static_cast<std::int64_t>(extents(kind).size());
}

std::span<const Extent> Segments::extents(IndexKind kind) const noexcept {
  return extents_[static_cast<std::size_t>(kind)];
}

void Segments::check(IndexKind kind, std::int64_t number) const {
  if (number >= 1 && number <= count(kind)) return;
  throw Error(Errc::bad_input, fmt::format("no segment {} of kind {}: the job gives {}", number,
                                           name_of(kind), count(kind)));
}

Extent Segments::extent(IndexKind kind, std::int64_t number) const {
  if (kind == IndexKind::simple) return 1;
  check(kind, number);
  return extents(kind)[static_cast<std::size_t>(number - 1)];
}

Extent Segments::offset(IndexKind kind, std::int64_t number) const {
  if (kind == IndexKind::simple) return number - 1;
  const auto extents = this->extents(kind);
  if (number == count(kind) + 1) return std::reduce(extents.begin(), extents.end());
  check(kind, number);
  return offsets_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(number - 1)];
}

void Segments::set_subsegment(Extent at_most) {
  if (at_most <= 0) throw Error(Errc::bad_input, "the subsegment extent must be positive");
  subsegment_ = at_most;
}

}  // namespace blockyard::array
