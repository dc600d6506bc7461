// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "blockyard/blas/level3.h"
#include "blockyard/blas/local/entry.h"
#include "blockyard/blas/shim/arguments.h"
#include "blockyard/blas/shim/local_calls.h"
#include "blockyard/blas/shim/routed_level3.h"

/// The functions called by the exported names of level 3: arguments as they come, forwarded as they
/// are unless a device is to have the call.
namespace blockyard::blas {

/// Members of Call, in the order of a routine's arguments.
enum class Slot { side, uplo, op_a, op_b, diag, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc };

/// The member of `call` that a slot names.
template <Slot slot, class C>
constexpr auto& member(C& call) noexcept {
  if constexpr (slot == Slot::side) return call.side;
  if constexpr (slot == Slot::uplo) return call.uplo;
  if constexpr (slot == Slot::op_a) return call.op_a;
  if constexpr (slot == Slot::op_b) return call.op_b;
  if constexpr (slot == Slot::diag) return call.diag;
  if constexpr (slot == Slot::m) return call.m;
  if constexpr (slot == Slot::n) return call.n;
  if constexpr (slot == Slot::k) return call.k;
  if constexpr (slot == Slot::alpha) return call.alpha;
  if constexpr (slot == Slot::a) return call.a;
  if constexpr (slot == Slot::lda) return call.lda;
  if constexpr (slot == Slot::b) return call.b;
  if constexpr (slot == Slot::ldb) return call.ldb;
  if constexpr (slot == Slot::beta) return call.beta;
  if constexpr (slot == Slot::c) return call.c;
  if constexpr (slot == Slot::ldc) return call.ldc;
}

/// A routine of element type T whose arguments are `slots`.
template <class T, Form form, Slot... slots>
class Level3 {
  static constexpr std::size_t count = sizeof...(slots);
  static constexpr std::size_t flags =
      (std::size_t{0} + ... + static_cast<std::size_t>(slots <= Slot::diag));
  template <Slot slot>
  static constexpr bool is_real = (slot == Slot::alpha && has_real_alpha(form)) ||
                                  (slot == Slot::beta && has_real_beta(form));
  template <Slot slot>
  static constexpr Flag kind = slot == Slot::side   ? Flag::side
                               : slot == Slot::uplo ? Flag::uplo
                               : slot == Slot::diag ? Flag::diag
                                                    : Flag::op;
  using Real = decltype(std::real(T{}));

 public:
  static void fortran(Entry& entry, const void* caller, const std::array<const void*, count>& given,
                      const std::array<std::size_t, flags>& lengths) {
    const Site& site = entry.find(caller);
    Call<T> call;
    call.form = form;
    std::size_t at = 0;
    (read<slots>(call, given[at++], site.width), ...);
    const bool is_ours = is_missing(site);
    if (!is_offered(call) && !is_ours) return invoke_fortran(site.function, given, lengths);
    const LocalCalls<T> others(entry.name(), caller, site.width);
    if (!is_offered(call)) return compute_by_gemm(call, others);
    const auto local = [&](const Call<T>& part) {
      is_ours ? compute_by_gemm(part, others) : invoke(site.function, site.width, part);
    };
    route_level3<T>(call, site.thread_count(), others, std::ref(local));
  }

  /// Calls a function of the program's own under a Fortran name.
  static void invoke(void* function, int width, const Call<T>& call) {
    Integers<count> integers(width);
    std::array<std::size_t, flags> ones;
    ones.fill(1);
    invoke_fortran(function,
                   std::array<const void*, count>{integers.address(member<slots>(call))...}, ones);
  }

  template <class... Given>
  static void cblas(Entry& entry, const void* caller, int layout, Given... given) {
    const Site& site = entry.find(caller);
    const auto function = reinterpret_cast<void (*)(int, Given...)>(site.function);
    Call<T> call;
    call.form = form;
    (take_argument(member<slots>(call), given, kind<slots>, site.width), ...);
    if (layout == row_major) call = by_columns(call);
    const bool is_ours = is_missing(site);
    if ((!is_layout(layout) || !is_offered(call)) && !is_ours) return function(layout, given...);
    const LocalCalls<T> others(entry.name(), caller, site.width);
    if (!is_offered(call)) return compute_by_gemm(call, others);
    const auto local = [&](const Call<T>& part) {
      is_ours ? compute_by_gemm(part, others)
              : function(column_major, value<slots, Given>(part)...);
    };
    route_level3<T>(call, site.thread_count(), others, std::ref(local));
  }

 private:
  /// gemmt and gemm3m: the program's library has no such routine, but gemm.
  static constexpr bool is_missing(const Site& site) noexcept {
    return (form == Form::gemmt || form == Form::gemm) && site.function == nullptr;
  }
  static void compute_by_gemm(const Call<T>& call, const LocalCalls<T>& others) {
    form == Form::gemm ? others(call) : compute_by_products(call, others);
  }
  template <Slot slot>
  static void read(Call<T>& call, const void* from, int width) noexcept {
    auto& to = member<slot>(call);
    if constexpr (is_real<slot>)
      to = T(*static_cast<const Real*>(from));
    else
      read_argument(to, from, width);
  }
  template <Slot slot, class Given>
  static Given value(const Call<T>& call) noexcept {
    const auto& from = member<slot>(call);
    using Member = std::remove_cvref_t<decltype(from)>;
    if constexpr (std::is_same_v<Member, char>)
      return number_of(kind<slot>, from);
    else if constexpr (std::is_same_v<Member, std::int64_t> || std::is_pointer_v<Member>)
      return from;
    else if constexpr (std::is_pointer_v<Given>)
      return &from;
    else
      return std::real(from);
  }
};

}  // namespace blockyard::blas
