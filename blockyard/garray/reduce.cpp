// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <climits>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/mirror.h"

namespace blockyard::garray {

namespace {

using fabric::is_nan;
using fabric::Reduction;
using fabric::with_type;

/// The values that mean "no bound": programs compare with these.
template <class T>
T infinite_step() {
  if constexpr (std::is_same_v<T, double>)
    return 1e307;
  else if constexpr (std::is_same_v<T, float>)
    return 1e37F;
  else
    return std::numeric_limits<T>::max();
}

/// What products of T are added up in: in single precision, a long sum of small ones stops growing.
template <class T>
using SumOf = std::conditional_t<
    std::is_same_v<T, float>, double,
    std::conditional_t<std::is_same_v<T, std::complex<float>>, std::complex<double>, T>>;

fabric::Element sum_element_of(fabric::Element element) noexcept {
  return element == fabric::Element::f32   ? fabric::Element::f64
         : element == fabric::Element::c64 ? fabric::Element::c128
                                           : element;
}

/// No weight is worse.
template <class T>
T last_weight(bool is_max) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity)
    return is_max ? -Limits::infinity() : Limits::infinity();
  else
    return is_max ? Limits::lowest() : Limits::max();
}

template <class Visit>
void with_real_type(const Array& array, const Visit& visit) {
  with_type(element_of(array), [&](auto type) {
    if constexpr (std::is_arithmetic_v<decltype(type)>)
      visit(type);
    else
      refuse(array, "has complex elements, which have no order");
  });
}

/// Collective. Whether it is so at a member of the array's group.
bool is_anywhere(const Runtime& runtime, const Array& array, bool is_here) {
  std::int32_t any = is_here ? 1 : 0;
  runtime.memory().reduce(runtime.team(array.group).group, fabric::Element::i32, Reduction::max,
                          &any, 1);
  return any != 0;
}

void refuse_if_any(const Runtime& runtime, const Array& array, bool is_wrong, const char* text) {
  if (is_anywhere(runtime, array, is_wrong)) refuse(array, text);
}

/// Copies where only members of from's group know both: each reads and writes a share of `to`, cut
/// along its longest axis.
void put_shares(const Runtime& runtime, const Patch& from, const Patch& to, bool is_transposed) {
  Operand source(runtime, from, to.box, is_transposed);
  std::size_t longest = 0;
  for (std::size_t d = 1; d < to.box.axes; ++d)
    if (to.box.extent(d) > to.box.extent(longest)) longest = d;
  const Extent members = static_cast<Extent>(from.array.bases.size()), me = from.array.me;
  const auto cut = [&](Extent member) {
    return to.box.first[longest] + to.box.extent(longest) * member / members;
  };
  Box share = to.box;
  share.first[longest] = cut(me);
  share.end[longest] = cut(me + 1);
  if (share.is_empty()) return;
  const View view = source.part(share);
  put(runtime, to.array, share, {view.data, view.strides});
}

}  // namespace

void copy(const Runtime& runtime, const Patch& from, const Patch& to, bool is_transposed) {
  if (from.array.kind.bytes != to.array.kind.bytes ||
      from.array.kind.element != to.array.kind.element)
    refuse(to.array,
           fmt::format("has elements of type {}, but \"{}\" of type {}", name_of(to.array.kind),
                       from.array.name, name_of(from.array.kind)));
  // A group within the other one's: each member of the smaller one reads or writes for it. Of a
  // mirrored array each rank has a copy on its node.
  if (from.array.bases.size() < to.array.bases.size() && !is_mirrored(runtime, from.array)) {
    Operand mirror(runtime, {to.array, to.box}, from.box, is_transposed, true);
    if (mirror.is_same_shape()) {
      for_each_own(from, [&](const Piece& piece, std::byte* data) {
        Indexes strides{};
        for (std::size_t d = 0; d < from.box.axes; ++d)
          if (mirror.axis_along(d) >= 0)
            strides[static_cast<std::size_t>(mirror.axis_along(d))] = piece.strides[d];
        put(runtime, to.array, mirror.box_of(piece.box), {data, strides});
      });
      return;
    }
    return put_shares(runtime, from, to, is_transposed);
  }
  Operand source(runtime, from, to.box, is_transposed);
  for_each_own(to, [&](const Piece& piece, std::byte* data) {
    source.copy(piece.box, {data, piece.strides});
  });
}

void dot(const Runtime& runtime, const Patch& a, bool a_transposed, const Patch& b,
         bool b_transposed, void* sum) {
  require_same_kind(a.array, b.array);
  Operand right(runtime, b, a.box, a_transposed != b_transposed);
  const fabric::Element element = element_of(a.array);
  with_type(element, [&](auto type) {
    using T = decltype(type);
    using Sum = SumOf<T>;
    Sum total{};
    for_each_own(a, [&](const Piece& piece, std::byte* data) {
      const View vb = right.part(piece.box);
      const T* pa = reinterpret_cast<const T*>(data);
      const T* pb = reinterpret_cast<const T*>(vb.data);
      Sum own{};
      for_each_offset<2>(piece.box, {piece.strides, vb.strides},
                         [&](const auto& at) { own += Sum(pa[at[0]]) * Sum(pb[at[1]]); });
      total += own;
    });
    runtime.memory().reduce(runtime.team(a.array.group).group, sum_element_of(element),
                            Reduction::sum, &total, 1);
    const T result = static_cast<T>(total);
    std::memcpy(sum, &result, sizeof(T));
  });
}

void select(const Runtime& runtime, const Array& array, bool is_max, void* value, Indexes& at) {
  const fabric::Element element = element_of(array);
  const auto group = runtime.team(array.group).group;
  with_type(element, [&](auto type) {
    using T = decltype(type);
    // The weight decides, and what is not a number comes before all numbers; then the number of the
    // element: the first one.
    struct Found {
      T value{};
      std::int64_t number = -1;
    };
    const auto weight = [](T v) {
      if constexpr (std::is_arithmetic_v<T>)
        return v;
      else
        return std::abs(v);
    };
    const Indexes all = array::dense_strides(array.whole());
    const auto is_better = [&](T v, std::int64_t number, const Found& best) {
      if (best.number < 0) return true;
      const bool is_none = is_nan(weight(v));
      if (is_none != is_nan(weight(best.value))) return is_none;
      if (!is_none && weight(v) != weight(best.value))
        return is_max ? weight(v) > weight(best.value) : weight(v) < weight(best.value);
      return number < best.number;
    };
    Found best;
    for_each_own(whole(array), [&](const Piece& piece, std::byte* data) {
      const T* from = reinterpret_cast<const T*>(data);
      Extent begin = 0;
      for (std::size_t d = 0; d < array.axes(); ++d) begin += piece.box.first[d] * all[d];
      for_each_offset<2>(piece.box, {piece.strides, all}, [&](const auto& offset) {
        const T v = from[offset[0]];
        if (is_better(v, begin + offset[1], best)) best = {v, begin + offset[1]};
      });
    });
    // Of all members the best weight, of those who have it the first element, and who holds that.
    using Weight = decltype(weight(T{}));
    const bool has_any = best.number >= 0;
    const auto chosen = [&](Reduction reduction, auto own) {
      runtime.memory().reduce(group, fabric::element_of<decltype(own)>(), reduction, &own, 1);
      return own;
    };
    const Weight top = chosen(is_max ? Reduction::max : Reduction::min,
                              has_any ? weight(best.value) : last_weight<Weight>(is_max));
    const bool is_top =
        has_any && (weight(best.value) == top || (is_nan(top) && is_nan(weight(best.value))));
    const std::int64_t number =
        chosen(Reduction::min, is_top ? best.number : std::numeric_limits<std::int64_t>::max());
    const std::int32_t holder = chosen(
        Reduction::min, is_top && best.number == number ? static_cast<std::int32_t>(array.me)
                                                        : std::numeric_limits<std::int32_t>::max());
    runtime.memory().broadcast(group, std::as_writable_bytes(std::span(&best.value, 1)), holder);
    std::memcpy(value, &best.value, sizeof(T));
    std::int64_t rest = number;
    for (std::size_t d = 0; d < array.axes(); ++d) {
      at[d] = rest % array.extents[d];
      rest /= array.extents[d];
    }
  });
}

void step_max(const Runtime& runtime, const Patch& a, const Patch& b, void* step) {
  require_same_kind(a.array, b.array);
  const fabric::Element element = element_of(a.array);
  with_real_type(a.array, [&](auto type) {
    using T = decltype(type);
    T least = infinite_step<T>();
    bool is_negative = false, has_nan = false;
    if (&a.array != &b.array) {
      Operand right(runtime, b, a.box);
      for_each_own(a, [&](const Piece& piece, std::byte* data) {
        const View vb = right.part(piece.box);
        const T* pa = reinterpret_cast<const T*>(data);
        const T* pb = reinterpret_cast<const T*>(vb.data);
        for_each_offset<2>(piece.box, {piece.strides, vb.strides}, [&](const auto& at) {
          if (pa[at[0]] < 0) is_negative = true;
          if (is_nan(pa[at[0]]) || is_nan(pb[at[1]])) has_nan = true;
          if (pb[at[1]] < 0) least = std::min(least, static_cast<T>(pa[at[0]] / -pb[at[1]]));
        });
      });
    }
    refuse_if_any(runtime, a.array, is_negative, "has a negative element");
    runtime.memory().reduce(runtime.team(a.array.group).group, element, Reduction::min, &least, 1);
    if (is_anywhere(runtime, a.array, has_nan)) least = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(step, &least, sizeof(T));
  });
}

void step_bounds(const Runtime& runtime, const Patch& x, const Patch& v, const Patch& lower,
                 const Patch& upper, const StepBounds& bounds) {
  for (const Patch* other : {&v, &lower, &upper}) require_same_kind(x.array, other->array);
  const fabric::Element element = element_of(x.array);
  Operand ov(runtime, v, x.box), ol(runtime, lower, x.box), ou(runtime, upper, x.box);
  with_real_type(x.array, [&](auto type) {
    using T = decltype(type);
    T least = infinite_step<T>(), least_free = infinite_step<T>(), largest = 0;
    bool is_outside = false, has_nan = false;
    for_each_own(x, [&](const Piece& piece, std::byte* data) {
      const View vv = ov.part(piece.box), vl = ol.part(piece.box), vu = ou.part(piece.box);
      const T* px = reinterpret_cast<const T*>(data);
      const T* pv = reinterpret_cast<const T*>(vv.data);
      const T* pl = reinterpret_cast<const T*>(vl.data);
      const T* pu = reinterpret_cast<const T*>(vu.data);
      for_each_offset<4>(piece.box, {piece.strides, vv.strides, vl.strides, vu.strides},
                         [&](const auto& at) {
                           const T at_x = px[at[0]], d = pv[at[1]], l = pl[at[2]], u = pu[at[3]];
                           if (at_x < l || at_x > u) is_outside = true;
                           if (is_nan(at_x) || is_nan(d) || is_nan(l) || is_nan(u)) has_nan = true;
                           T t = infinite_step<T>();
                           if (d > 0)
                             t = static_cast<T>((u - at_x) / d);
                           else if (d < 0)
                             t = static_cast<T>((at_x - l) / -d);
                           else if (at_x == l || at_x == u)
                             t = 0;
                           least = std::min(least, t);
                           largest = std::max(largest, t);
                           if (d != 0) least_free = std::min(least_free, t);
                         });
    });
    refuse_if_any(runtime, x.array, is_outside, "has an element outside its bounds");
    const auto group = runtime.team(x.array.group).group;
    runtime.memory().reduce(group, element, Reduction::min, &least, 1);
    runtime.memory().reduce(group, element, Reduction::min, &least_free, 1);
    runtime.memory().reduce(group, element, Reduction::max, &largest, 1);
    if (is_anywhere(runtime, x.array, has_nan))
      least = least_free = largest = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(bounds.least, &least, sizeof(T));
    std::memcpy(bounds.least_free, &least_free, sizeof(T));
    std::memcpy(bounds.largest, &largest, sizeof(T));
  });
}

}  // namespace blockyard::garray
