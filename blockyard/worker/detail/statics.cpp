// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/statics.h"

#include <fmt/format.h>

#include <cstring>

#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;

Statics::Statics(const Naming& naming, block::FramePool& frames)
    : naming_(naming), frames_(frames), arrays_(naming.program.arrays.size()) {
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    const auto& decl = naming.program.arrays[k];
    if (decl.kind != program::ArrayKind::static_) continue;
    arrays_[k].whole =
        frames.allocate(static_cast<std::size_t>(naming.tables.grids[k].element_count()) *
                        array::bytes_of(decl.type));
    std::memset(arrays_[k].whole->data(), 0, arrays_[k].whole->size());  // zero in every type
  }
}

Statics::~Statics() {
  for (Array& array : arrays_) {
    if (array.whole) recycle(std::move(array.whole));
    for (auto& [number, copy] : array.copies) recycle(std::move(copy));
  }
}

void Statics::recycle(block::Frame frame) noexcept {
  if (device_ != nullptr) device_->forget(*frame);
  frames_.recycle(std::move(frame));
}

tensor::Shape Statics::shape(std::int32_t array) const {
  const auto& decl = naming_.program.arrays[static_cast<std::size_t>(array)];
  if (decl.kind != program::ArrayKind::static_)
    throw Error(Errc::bad_input, fmt::format("'{}' is not static: only its blocks are at hand",
                                             naming_.array(array)));
  const array::Grid& grid = naming_.tables.grids[static_cast<std::size_t>(array)];
  if (grid.element_count() == 0)
    throw Error(Errc::bad_input,
                fmt::format("static array '{}' has no elements: an index of it has an empty range",
                            naming_.array(array)));
  std::array<Extent, array::max_order> extents{};
  for (std::size_t k = 0; k < grid.order(); ++k) extents[k] = grid.axis(k).element_count();
  return tensor::Shape({extents.data(), grid.order()});
}

View Statics::whole(std::int32_t array) {
  const tensor::Shape extents = shape(array);
  return View::dense(frame(array)->data(), extents,
                     naming_.program.arrays[static_cast<std::size_t>(array)].type);
}

View Statics::block(const Place& place) {
  View result = whole(place.id.array);
  const array::Grid& grid = naming_.tables.grids[static_cast<std::size_t>(place.id.array)];
  std::array<std::int64_t, array::max_order> segments{};
  grid.segments_of(place.id.number, {segments.data(), grid.order()});
  for (std::size_t k = 0; k < grid.order(); ++k)
    result.advance((grid.offset(k, segments[k]) + place.at[k]) * result.strides[k]);
  result.shape = place.shape;
  return result;
}

block::SharedFrame Statics::copy(std::int32_t array, std::uint64_t number, const View& of) {
  auto& copies = arrays_[static_cast<std::size_t>(array)].copies;
  if (const auto found = copies.find(number); found != copies.end()) return found->second;
  if (!frames_.has_room(of.bytes())) return nullptr;
  block::Frame& copy = copies[number] = frames_.allocate(of.bytes());
  copy_dense(of, copy->data());
  return copy;
}

void Statics::forget_copy(const array::BlockId& id) noexcept {
  auto& copies = arrays_[static_cast<std::size_t>(id.array)].copies;
  for (const std::uint64_t number : {id.number, whole_copy}) {
    const auto found = copies.find(number);
    if (found == copies.end()) continue;
    recycle(std::move(found->second));
    copies.erase(found);
  }
}

void Statics::forget_copies(std::int32_t array) noexcept {
  auto& copies = arrays_[static_cast<std::size_t>(array)].copies;
  for (auto& [number, copy] : copies) recycle(std::move(copy));
  copies.clear();
}

bool Statics::drop_copies() noexcept {
  bool has_dropped = false;
  for (Array& array : arrays_)
    has_dropped |= std::erase_if(array.copies, [this](auto& copy) {
                     if (copy.second.use_count() > 1) return false;
                     recycle(std::move(copy.second));
                     return true;
                   }) > 0;
  return has_dropped;
}

}  // namespace blockyard::worker::detail
