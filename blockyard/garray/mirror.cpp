// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/mirror.h"

#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/transfer.h"

namespace blockyard::garray {

bool is_mirrored(const Runtime& runtime, const Array& array) {
  return array.group == mirror_group &&
         runtime.team(mirror_group).ranks.size() != runtime.team(world_group).ranks.size();
}

void merge(Runtime& runtime, const Patch& from, const Patch& to) {
  if (from.array.kind != to.array.kind)
    refuse(to.array, "has elements of type " + name_of(to.array.kind) + ", but \"" +
                         from.array.name + "\" of type " + name_of(from.array.kind));
  if (!is_mirrored(runtime, from.array)) return copy(runtime, from, to);
  const fabric::Element element = element_of(from.array);
  zero(to);
  runtime.sync(world_group);
  const Operand target(runtime, to, from.box);
  fabric::with_type(element, [&](auto type) {
    const auto one = static_cast<decltype(type)>(1);
    for_each_own(from, [&](const Piece& piece, std::byte* data) {
      Indexes strides{};
      for (std::size_t d = 0; d < from.box.axes; ++d)
        if (target.axis_along(d) >= 0)
          strides[static_cast<std::size_t>(target.axis_along(d))] = piece.strides[d];
      accumulate(runtime, to.array, target.box_of(piece.box), {data, strides}, &one);
    });
  });
}

void merge(Runtime& runtime, const Array& array) {
  if (!is_mirrored(runtime, array)) return;
  Array& sum = runtime.new_array();
  sum.name = array.name;
  sum.kind = array.kind;
  sum.extents = array.extents;
  sum.group = world_group;
  runtime.allocate(sum);
  merge(runtime, whole(array), whole(sum));
  runtime.sync(world_group);
  copy(runtime, whole(sum), whole(array));
  runtime.sync(world_group);
  runtime.deallocate(sum);
  runtime.forget(sum);
}

}  // namespace blockyard::garray
