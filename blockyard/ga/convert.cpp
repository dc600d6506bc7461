// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace blockyard::ga {

using garray::refuse;

std::string Tongue::element(std::string_view name, std::size_t axis) const {
  return is_fortran ? fmt::format("{}({})", name, axis + 1) : fmt::format("{}[{}]", name, axis);
}

std::string describe(Tongue tongue, const Array& array) {
  std::vector<Extent> extents(array.axes());
  for (std::size_t d = 0; d < array.axes(); ++d)
    extents[tongue.axis(d, array.axes())] = array.extents[d];
  return fmt::format("extents {}, {}", fmt::join(extents, " x "), name_of(array.kind));
}

void require_flat(const Array& array) {
  if (array.axes() > 2)
    refuse(array, fmt::format("has {} axes; this call is for two", array.axes()));
}

std::vector<Extent> extents_of(Tongue tongue, std::size_t axes, Ints extents) {
  std::vector<Extent> all(axes);
  for (std::size_t d = 0; d < axes; ++d) all[d] = extents[tongue.axis(d, axes)];
  return all;
}

namespace {

void check_end(Tongue tongue, const Array& array, std::string_view name, std::size_t d,
               Extent value) {
  const Extent least = tongue.first(), most = array.extents[d] + tongue.first() - 1;
  if (value >= least && value <= most) return;
  refuse(array, fmt::format("{} = {} is outside {}..{} ({})",
                            tongue.element(name, tongue.axis(d, array.axes())), value, least, most,
                            describe(tongue, array)));
}

void check_order(Tongue tongue, const Array& array, std::size_t d, Extent lo, Extent hi,
                 std::string_view lo_name, std::string_view hi_name) {
  if (hi >= lo) return;
  const std::size_t axis = tongue.axis(d, array.axes());
  refuse(array, fmt::format("{} = {} is less than {} = {} ({})", tongue.element(hi_name, axis), hi,
                            tongue.element(lo_name, axis), lo, describe(tongue, array)));
}

Box checked_box(Tongue tongue, const Array& array, Ints lo, Ints hi, std::string_view lo_name,
                std::string_view hi_name, bool may_be_empty) {
  const std::size_t axes = array.axes();
  Box box{.axes = axes};
  const Extent first = tongue.first();
  for (std::size_t d = 0; d < axes; ++d) {
    const std::size_t axis = tongue.axis(d, axes);
    const Extent from = lo[axis] - first, to = hi[axis] - first;
    const Extent least = may_be_empty ? from - 1 : from;
    if (from < 0 || to >= array.extents[d] || to < least) [[unlikely]] {
      check_end(tongue, array, lo_name, d, lo[axis]);
      check_end(tongue, array, hi_name, d, hi[axis]);
      check_order(tongue, array, d, lo[axis], hi[axis], lo_name, hi_name);
    }
    box.first[d] = from;
    box.end[d] = to + 1;
  }
  return box;
}

}  // namespace

Box box_of(Tongue tongue, const Array& array, Ints lo, Ints hi, std::string_view lo_name,
           std::string_view hi_name) {
  return checked_box(tongue, array, lo, hi, lo_name, hi_name, false);
}

std::optional<Box> box_within(Tongue tongue, const Array& array, Ints lo, Ints hi) {
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const std::size_t axis = tongue.axis(d, array.axes());
    const Extent from = lo[axis] - tongue.first(), to = hi[axis] - tongue.first();
    if (from < 0 || to >= array.extents[d] || to < from) return std::nullopt;
  }
  return box_of(tongue, array, lo, hi);
}

Box operand_box_of(Tongue tongue, const Array& array, Ints lo, Ints hi, std::string_view lo_name,
                   std::string_view hi_name) {
  return checked_box(tongue, array, lo, hi, lo_name, hi_name, true);
}

Box wide_box_of(Tongue tongue, const Array& array, Ints lo, Ints hi) {
  Box box{.axes = array.axes()};
  for (std::size_t d = 0; d < box.axes; ++d) {
    const std::size_t axis = tongue.axis(d, box.axes);
    check_order(tongue, array, d, lo[axis], hi[axis], "lo", "hi");
    box.first[d] = lo[axis] - tongue.first();
    box.end[d] = hi[axis] - tongue.first() + 1;
  }
  return box;
}

Indexes indexes_of(Tongue tongue, const Array& array, Ints subscripts) {
  Indexes at{};
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const Extent value = subscripts[tongue.axis(d, array.axes())];
    at[d] = value - tongue.first();
    if (at[d] < 0 || at[d] >= array.extents[d]) [[unlikely]]
      check_end(tongue, array, "subscript", d, value);
  }
  return at;
}

namespace {

/// With one line only its length does not matter, and programs pass any.
bool has_lines_after(const Box& box, std::size_t axis) {
  for (std::size_t d = axis; d < box.axes; ++d)
    if (box.extent(d) > 1) return true;
  return false;
}

}  // namespace

Local local_of(Tongue tongue, const Array& array, const Box& box, void* memory, Ints ld) {
  Local local{.data = memory};
  local.strides[0] = 1;
  for (std::size_t d = 1; d < box.axes; ++d) {
    // ld has an entry for each axis but the slowest: in C these are the axes from 1 on.
    const std::size_t entry = tongue.is_fortran ? d - 1 : box.axes - 1 - d;
    const Extent length = ld[entry];
    if (length < box.extent(d - 1) && has_lines_after(box, d)) [[unlikely]]
      refuse(array, fmt::format("{} = {} is less than the {} elements of the patch on that axis",
                                tongue.element("ld", entry), length, box.extent(d - 1)));
    local.strides[d] = local.strides[d - 1] * length;
  }
  return local;
}

void write_box(Tongue tongue, const Box& box, Ints lo, Ints hi) {
  for (std::size_t d = 0; d < box.axes; ++d) {
    const std::size_t axis = tongue.axis(d, box.axes);
    lo.set(axis, box.first[d] + tongue.first());
    hi.set(axis, box.end[d] + tongue.first() - 1);
  }
}

void write_indexes(Tongue tongue, std::size_t axes, const Indexes& at, Ints subscripts) {
  for (std::size_t d = 0; d < axes; ++d)
    subscripts.set(tongue.axis(d, axes), at[d] + tongue.first());
}

void write_ld(Tongue tongue, std::size_t axes, const Indexes& strides, Ints ld) {
  for (std::size_t d = 1; d < axes; ++d) {
    const std::size_t entry = tongue.is_fortran ? d - 1 : axes - 1 - d;
    ld.set(entry, strides[d] == 0 ? 1 : strides[d] / strides[d - 1]);
  }
}

}  // namespace blockyard::ga
