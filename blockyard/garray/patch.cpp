// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/patch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace blockyard::garray {

namespace {

std::vector<int> long_axes(const Box& box) {
  std::vector<int> axes;
  for (std::size_t d = 0; d < box.axes; ++d)
    if (box.extent(d) != 1) axes.push_back(static_cast<int>(d));
  return axes;
}

std::string extents_of(const Box& box) {
  std::vector<Extent> extents;
  for (std::size_t d = 0; d < box.axes; ++d) extents.push_back(box.extent(d));
  return fmt::format("{}", fmt::join(extents, " x "));
}

}  // namespace

Operand::Operand(const Runtime& runtime, const Patch& patch, const Box& result, bool is_transposed,
                 bool may_reshape)
    : runtime_(runtime),
      array_(patch.array),
      box_(patch.box),
      result_(result),
      is_transposed_(is_transposed) {
  axis_along_.fill(-1);
  const auto to = long_axes(result);
  auto from = long_axes(patch.box);
  if (is_transposed) std::reverse(from.begin(), from.end());
  is_same_ = std::equal(to.begin(), to.end(), from.begin(), from.end(), [&](int d, int s) {
    return result.extent(static_cast<std::size_t>(d)) ==
           patch.box.extent(static_cast<std::size_t>(s));
  });
  if (is_same_) {
    for (std::size_t k = 0; k < to.size(); ++k)
      axis_along_[static_cast<std::size_t>(to[k])] = from[k];
    return;
  }
  if (!may_reshape || patch.box.element_count() != result.element_count())
    refuse(patch.array,
           fmt::format("a patch of {} elements does not fit one of {}{}", extents_of(patch.box),
                       extents_of(result), is_transposed ? " as its transpose" : ""));
}

Box Operand::box_of(const Box& part) const {
  Box box = box_;
  for (std::size_t d = 0; d < part.axes; ++d) {
    if (axis_along_[d] < 0) continue;
    const auto s = static_cast<std::size_t>(axis_along_[d]);
    box.first[s] = box_.first[s] + part.first[d] - result_.first[d];
    box.end[s] = box.first[s] + part.extent(d);
  }
  return box;
}

View Operand::part(const Box& part) {
  View view;
  if (is_same_) {
    const Box box = box_of(part);
    bool is_in_place = false;
    array_.distribution.for_each_piece(box, [&](const Piece& piece) {
      std::byte* base = array_.bases[static_cast<std::size_t>(piece.rank)];
      if (piece.box != box || base == nullptr) return;
      is_in_place = true;
      view.data = base + static_cast<std::size_t>(piece.offset) * array_.kind.bytes;
      for (std::size_t d = 0; d < part.axes; ++d)
        view.strides[d] =
            axis_along_[d] < 0 ? 0 : piece.strides[static_cast<std::size_t>(axis_along_[d])];
    });
    if (is_in_place) return view;
  }
  copy_.resize(static_cast<std::size_t>(part.element_count()) * array_.kind.bytes);
  view = {copy_.data(), array::dense_strides(part)};
  copy(part, {view.data, view.strides});
  return view;
}

void Operand::copy(const Box& part, Local to) {
  if (!is_same_) return copy_in_order(part, to);
  Indexes strides{};
  for (std::size_t d = 0; d < part.axes; ++d)
    if (axis_along_[d] >= 0) strides[static_cast<std::size_t>(axis_along_[d])] = to.strides[d];
  get(runtime_, array_, box_of(part), {to.data, strides});
}

void Operand::copy_in_order(const Box& part, Local to) {
  const std::size_t unit = array_.kind.bytes;
  const Indexes all = array::dense_strides(result_);
  const auto axis = [&](std::size_t k) { return is_transposed_ ? box_.axes - 1 - k : k; };
  Box lines = part;
  lines.end[0] = lines.first[0] + 1;
  array::for_each_index(lines, [&](const Indexes& at) {
    Extent number = 0, near = 0;
    for (std::size_t d = 0; d < part.axes; ++d) {
      number += (at[d] - result_.first[d]) * all[d];
      near += (at[d] - part.first[d]) * to.strides[d];
    }
    for (Extent left = part.extent(0); left > 0;) {
      Box run{.axes = box_.axes};
      Extent rest = number;
      for (std::size_t k = 0; k < box_.axes; ++k) {
        const std::size_t s = axis(k);
        run.first[s] = box_.first[s] + rest % box_.extent(s);
        run.end[s] = run.first[s] + 1;
        rest /= box_.extent(s);
      }
      const Extent length = std::min(left, box_.end[axis(0)] - run.first[axis(0)]);
      run.end[axis(0)] = run.first[axis(0)] + length;
      Indexes strides{};
      strides[axis(0)] = to.strides[0];
      get(runtime_, array_, run,
          {static_cast<std::byte*>(to.data) + near * static_cast<Extent>(unit), strides});
      number += length;
      near += length * to.strides[0];
      left -= length;
    }
  });
}

fabric::Element element_of(const Array& array) {
  if (!array.kind.element)
    refuse(array,
           fmt::format("has elements that are not calculated with ({})", name_of(array.kind)));
  return *array.kind.element;
}

void require_same_kind(const Array& array, const Array& other) {
  if (array.kind.element != other.kind.element || array.kind.bytes != other.kind.bytes)
    refuse(array, fmt::format("has elements of type {}, but \"{}\" of type {}", name_of(array.kind),
                              other.name, name_of(other.kind)));
  if (array.group != other.group && array.bases.size() != other.bases.size())
    refuse(array, fmt::format("and \"{}\" belong to different groups", other.name));
}

void require_same_shape(const Array& array, const Array& other) {
  if (array.extents != other.extents)
    refuse(array, fmt::format("has {} elements, but \"{}\" {}", extents_of(array.whole()),
                              other.name, extents_of(other.whole())));
}

}  // namespace blockyard::garray
