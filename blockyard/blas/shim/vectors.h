// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "blockyard/blas/local/entry.h"
#include "blockyard/blas/shim/arguments.h"
#include "blockyard/blas/shim/routed_vectors.h"

/// The functions called by the exported names of levels 1 and 2.
namespace blockyard::blas {

/// Members of VectorCall, in the order of a routine's arguments.
enum class VectorSlot { uplo, op, diag, m, n, lda, incx, incy, alpha, beta, a, x, y, result };

template <VectorSlot slot, class C>
constexpr auto& member(C& call) noexcept {
  if constexpr (slot == VectorSlot::uplo) return call.uplo;
  if constexpr (slot == VectorSlot::op) return call.op;
  if constexpr (slot == VectorSlot::diag) return call.diag;
  if constexpr (slot == VectorSlot::m) return call.m;
  if constexpr (slot == VectorSlot::n) return call.n;
  if constexpr (slot == VectorSlot::lda) return call.lda;
  if constexpr (slot == VectorSlot::incx) return call.incx;
  if constexpr (slot == VectorSlot::incy) return call.incy;
  if constexpr (slot == VectorSlot::alpha) return call.alpha;
  if constexpr (slot == VectorSlot::beta) return call.beta;
  if constexpr (slot == VectorSlot::a) return call.a;
  if constexpr (slot == VectorSlot::x) return call.x;
  if constexpr (slot == VectorSlot::y) return call.y;
  if constexpr (slot == VectorSlot::result) return call.result;
}

/// A routine of element type T whose arguments are `slots`.
template <class T, VectorForm form, VectorSlot... slots>
class Vectors {
  static constexpr std::size_t count = sizeof...(slots);
  static constexpr std::size_t flags =
      (std::size_t{0} + ... + static_cast<std::size_t>(slots <= VectorSlot::diag));
  template <VectorSlot slot>
  static constexpr Flag kind = slot == VectorSlot::uplo   ? Flag::uplo
                               : slot == VectorSlot::diag ? Flag::diag
                                                          : Flag::op;

 public:
  using Pointers = std::array<const void*, count>;

  static void fortran(Entry& entry, const void* caller, const Pointers& given,
                      const std::array<std::size_t, flags>& lengths) {
    const Site& site = entry.find(caller);
    const VectorCall<T> call = read(given, site.width);
    if (!is_offered(call)) return invoke_fortran(site.function, given, lengths);
    const auto local = [&] { invoke_fortran(site.function, given, lengths); };
    route_vectors<T>(call, site.thread_count(), std::ref(local));
  }

  /// A function: of dot.
  static T value(Entry& entry, const void* caller, const Pointers& given) {
    const Site& site = entry.find(caller);
    const auto compute = [&] {
      return [&]<std::size_t... k>(std::index_sequence<k...>) {
        using Function = T (*)(std::remove_cvref_t<decltype(given[k])>...);
        return reinterpret_cast<Function>(site.function)(given[k]...);
      }
      (std::make_index_sequence<count>());
    };
    VectorCall<T> call = read(given, site.width);
    T found{};
    call.result = &found;
    if (!is_offered(call)) return compute();
    const auto local = [&] { found = compute(); };
    route_vectors<T>(call, site.thread_count(), std::ref(local));
    return found;
  }

  template <class... Given>
  static void cblas(Entry& entry, const void* caller, int layout, Given... given) {
    const Site& site = entry.find(caller);
    const auto function = reinterpret_cast<void (*)(int, Given...)>(site.function);
    VectorCall<T> call = take(site.width, given...);
    if (layout == row_major) call = by_columns(call);
    if (!is_layout(layout) || !is_offered(call)) return function(layout, given...);
    const auto local = [&] { function(layout, given...); };
    route_vectors<T>(call, site.thread_count(), std::ref(local));
  }

  /// Of level 1, which has no layout.
  template <class... Given>
  static void cblas_plain(Entry& entry, const void* caller, Given... given) {
    const Site& site = entry.find(caller);
    const auto function = reinterpret_cast<void (*)(Given...)>(site.function);
    const VectorCall<T> call = take(site.width, given...);
    if (!is_offered(call)) return function(given...);
    const auto local = [&] { function(given...); };
    route_vectors<T>(call, site.thread_count(), std::ref(local));
  }

  template <class... Given>
  static T cblas_value(Entry& entry, const void* caller, Given... given) {
    const Site& site = entry.find(caller);
    const auto function = reinterpret_cast<T (*)(Given...)>(site.function);
    VectorCall<T> call = take(site.width, given...);
    T found{};
    call.result = &found;
    if (!is_offered(call)) return function(given...);
    const auto local = [&] { found = function(given...); };
    route_vectors<T>(call, site.thread_count(), std::ref(local));
    return found;
  }

 private:
  static VectorCall<T> read(const Pointers& given, int width) noexcept {
    VectorCall<T> call;
    call.form = form;
    std::size_t at = 0;
    (read_argument(member<slots>(call), given[at++], width), ...);
    return call;
  }
  template <class... Given>
  static VectorCall<T> take(int width, Given... given) noexcept {
    VectorCall<T> call;
    call.form = form;
    (take_argument(member<slots>(call), given, kind<slots>, width), ...);
    return call;
  }
};

}  // namespace blockyard::blas
