// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/garray/addresses.h"

// Lists of elements of arrays that lie on this node: each is copied by its address.
namespace blockyard::ga {

using Line = garray::Addresses::Line;

/// Reads `count` elements of a caller's list, axes in the order of the model.
template <class Int>
void read_list(Tongue tongue, const Int* flat, std::size_t count, std::span<Line> at) noexcept {
  for (std::size_t d = 0; d < at.size(); ++d) {
    const Int* from = flat + tongue.axis(d, at.size());
    for (std::size_t i = 0; i < count; ++i) at[d][i] = from[i * at.size()] - tongue.first();
  }
}
inline void read_list(Tongue tongue, Ints flat, std::size_t begin, std::size_t count,
                      std::span<Line> at) noexcept {
  if (flat.wide() != nullptr)
    read_list(tongue, flat.wide() + begin * at.size(), count, at);
  else
    read_list(tongue, flat.narrow() + begin * at.size(), count, at);
}
inline void read_list(Tongue tongue, IntLists lists, std::size_t begin, std::size_t count,
                      std::span<Line> at) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const Ints list = lists[begin + i];
    for (std::size_t d = 0; d < at.size(); ++d)
      at[d][i] = list[tongue.axis(d, at.size())] - tongue.first();
  }
}

/// What the checks and the report are told of a list, if there are any.
class ListRecord {
 public:
  ListRecord(const Array& array, std::size_t count)
      : array_(array), checks_(edge().checks.get()), report_(edge().report.get()) {
    if (checks_ != nullptr) numbers_.resize(count);
  }
  void begin(garray::Addresses& addresses) const {
    if (report_ != nullptr) addresses.count();
  }
  void add(std::span<const Line> at, std::size_t first, std::size_t count) {
    if (checks_ != nullptr) number(at, first, count);
  }
  /// values: of a gather, else null. They are looked at.
  void end(const garray::Addresses& addresses, Use use, const void* values);

 private:
  void number(std::span<const Line> at, std::size_t first, std::size_t count);

  const Array& array_;
  Checks* checks_;
  Report* report_;
  std::vector<Extent> numbers_;
};

/// Calls visit(first, places): the addresses of the elements from number `first` on. False: the
/// array or an element is not for this, and the caller does all of it in another way. use, values:
/// as ListRecord has them.
template <class Lists, class Visit>
bool for_each_address(Tongue tongue, const Array& array, Lists lists, Extent count, Use use,
                      const void* values, const Visit& visit) {
  // Fewer look-ups than blocks are not worth the tables.
  if (!array.is_near || count < array.distribution.block_count()) return false;
  const auto all = static_cast<std::size_t>(count);
  garray::Addresses addresses(array);
  ListRecord record(array, all);
  record.begin(addresses);
  const auto at = std::make_unique_for_overwrite<Line[]>(array.axes());
  std::array<std::byte*, garray::Addresses::most> places;
  for (std::size_t begin = 0; begin < all; begin += garray::Addresses::most) {
    const std::size_t some = std::min(garray::Addresses::most, all - begin);
    const std::span lines(at.get(), array.axes());
    read_list(tongue, lists, begin, some, lines);
    if (!addresses.find(lines, some, places.data())) return false;
    record.add(lines, begin, some);
    visit(begin, std::span(places.data(), some));
  }
  record.end(addresses, use, values);
  return true;
}

/// Calls copy(bytes) with the size of an element, a constant for the usual ones.
template <class Copy>
void with_width(std::size_t bytes, const Copy& copy) {
  switch (bytes) {
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    case 16:
      return copy(std::integral_constant<std::size_t, 16>{});
    default:
      return copy(bytes);
  }
}

template <class Lists>
[[nodiscard]] bool gather_near(Tongue tongue, const Array& array, Lists lists, Extent count,
                               void* values) {
  return for_each_address(tongue, array, lists, count, Use::get, values,
                          [&](std::size_t first, auto places) {
                            with_width(array.kind.bytes, [&](auto bytes) {
                              auto* to = static_cast<std::byte*>(values) + first * bytes;
                              for (std::size_t i = 0; i < places.size(); ++i)
                                std::memcpy(to + i * bytes, places[i], bytes);
                            });
                          });
}

template <class Lists>
[[nodiscard]] bool scatter_near(Tongue tongue, const Array& array, Lists lists, Extent count,
                                const void* values) {
  if (!array.property.empty()) return false;
  return for_each_address(
      tongue, array, lists, count, Use::put, nullptr, [&](std::size_t first, auto places) {
        with_width(array.kind.bytes, [&](auto bytes) {
          const auto* from = static_cast<const std::byte*>(values) + first * bytes;
          for (std::size_t i = 0; i < places.size(); ++i)
            std::memcpy(places[i], from + i * bytes, bytes);
        });
      });
}

}  // namespace blockyard::ga
