// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include <cstdint>
#include <type_traits>

#include "blockyard/tensor/detail/element_parts.h"
#include "blockyard/tensor/detail/loop_walk.h"
#include "blockyard/tensor/detail/sum_kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// Numbers that make up an element, as wide as there are in copies.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == sizeof(float), float, double>;
template <class T>
constexpr int lanes_each = sizeof(T) / sizeof(LaneOf<T>);
template <class T>
constexpr Extent most_turned =
    picks_lanes ? Turn::most_vectors* native_width<LaneOf<T>> / lanes_each<T> : 0;

static_assert(most_turned<c128> >= (picks_lanes ? Turn::fits_all : 0));

/// `vectors` of the operand hold a group, and as many of the result, the last of them in part
/// unless they pass the caches.
template <class T, int vectors, bool streams>
void turn_groups(const Turn& turn, const CopyLoop* loops, int count, const T* in, T* out) {
  using R = LaneOf<T>;
  constexpr int width = native_width<R>;
  const int last = turn.extent * lanes_each<T> - (vectors - 1) * width;
  std::int32_t lanes[vectors * width];
  for (int i = 0; i < vectors * width; ++i)
    lanes[i] = turn.from[i / lanes_each<T>] * lanes_each<T> + i % lanes_each<T>;
  Places from[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) from[v] = load_places(lanes + v * width, R());
  const CopyLoop inner = loops[0];
  LoopWalk<T> now(loops, count, 1, in, out);
  do
    for (Extent n = 0; n < inner.extent; ++n) {
      // Only copied, by intrinsics and memcpy: so any type of lanes will do.
      const auto* const x = reinterpret_cast<const R*>(now.in + n * inner.in_stride);
      auto* const y = reinterpret_cast<R*>(now.out + n * inner.out_stride);
      Native<R> part[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors - 1; ++v) part[v] = load_whole(x + v * width);
      part[vectors - 1] = load_first(x + (vectors - 1) * width, last);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        Native<R> turned = pick(part[0], part[vectors > 1 ? 1 : 0], from[v]);
        if constexpr (vectors > 2)
          turned = choose(turned, pick(part[2], part[vectors - 1], from[v]), from[v]);
        if constexpr (streams)
          stream(y + v * width, turned);
        else if (v < vectors - 1)
          __builtin_memcpy(y + v * width, &turned, sizeof turned);
        else
          store_first(y + v * width, turned, last);
      }
    }
  while (now.advance());
}

template <class T, bool streams>
void turn_all(const Turn& of, const CopyLoop* loops, int count, const T* in, T* out) {
  constexpr Extent width = native_width<LaneOf<T>> / lanes_each<T>;
  if (of.extent <= width) return turn_groups<T, 1, streams>(of, loops, count, in, out);
  if (of.extent <= 2 * width) return turn_groups<T, 2, streams>(of, loops, count, in, out);
  if (of.extent <= 3 * width) return turn_groups<T, 3, streams>(of, loops, count, in, out);
  turn_groups<T, 4, streams>(of, loops, count, in, out);
}

/// Writes that pass the caches may go anywhere: the loops go through the operand, in long runs.
template <class T>
void turn_past_caches(const Turn& of, const CopyLoop* loops, int count, const T* in, T* out) {
  CopyLoop sorted[CopyLoop::most];
  for (int k = 0; k < count; ++k) {
    int place = k;
    for (; place > 0 && sorted[place - 1].in_stride > loops[k].in_stride; --place)
      sorted[place] = sorted[place - 1];
    sorted[place] = loops[k];
  }
  turn_all<T, true>(of, sorted, count, in, out);
}

template <class T>
void turn(const Turn& of, const CopyLoop* loops, int count, const T* in, T* out, Reach reach) {
  if (reach == Reach::streamed) {
    Extent places = of.extent;
    for (int k = 0; k < count; ++k) places |= loops[k].out_stride;
    const auto bytes = static_cast<std::uintptr_t>(places) * sizeof(T);
    if (((bytes | reinterpret_cast<std::uintptr_t>(out)) & 63u) == 0)
      return turn_past_caches<T>(of, loops, count, in, out);
  }
  turn_all<T, false>(of, loops, count, in, out);
}

template <class T>
constexpr auto turn_of_set() -> decltype(Kernels<T>::turn) {
  if constexpr (picks_lanes)
    return turn<T>;
  else
    return nullptr;
}

}  // namespace
}  // namespace blockyard::tensor::detail
