// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "blockyard/blas/local/entry.h"
#include "blockyard/blas/shim/arguments.h"
#include "blockyard/blas/shim/routed_level3.h"

/// The functions called by the exported names of gemm_batch and gemm_batch_strided: each product of
/// a batch is a call of its own.
namespace blockyard::blas {

/// Products that are offered go to the router, others to the program's gemm; where none is offered,
/// `forward` passes the batch on as it came, if the program has that routine.
template <class T>
void compute_batch(const std::vector<Call<T>>& products, const Site& site,
                   const LocalCalls<T>& others, const std::function<void()>& forward);

/// Products in groups: what is common to those of a group stands in arrays by group, the addresses
/// of matrices in arrays by product.
template <class T>
class GroupedBatch {
 public:
  using Pointers = std::array<const void*, 15>;
  static void fortran(Entry& entry, const void* caller, const Pointers& given,
                      const std::array<std::size_t, 0>& lengths) {
    const Site& site = entry.find(caller);
    const auto op = [](const void* all, std::int64_t at) {
      return upper(static_cast<const char*>(all)[at]);
    };
    const auto forward = [&] { invoke_fortran(site.function, given, lengths); };
    compute_batch<T>(read(given, read_integer(given[13], site.width), site.width, op), site,
                     {entry.name(), caller, site.width}, std::ref(forward));
  }
  template <class... Given>
  static void cblas(Entry& entry, const void* caller, int layout, const void* op_a,
                    const void* op_b, Given... given) {
    const Site& site = entry.find(caller);
    const auto op = [](const void* all, std::int64_t at) {
      return letter_of(Flag::op, static_cast<const int*>(all)[at]);
    };
    const auto pointer = []<class One>(const One& one) -> const void* {
      if constexpr (std::is_pointer_v<One>)
        return one;
      else
        return &one;
    };
    const auto forward = [&] {
      const auto function =
          reinterpret_cast<void (*)(int, const void*, const void*, Given...)>(site.function);
      function(layout, op_a, op_b, given...);
    };
    if (!is_layout(layout) && site.function != nullptr) return forward();
    const Pointers all = {op_a, op_b, pointer(given)...};
    const std::int64_t groups = cut_integer(*static_cast<const std::int64_t*>(all[13]), site.width);
    std::vector<Call<T>> products = read(all, groups, site.width, op);
    if (layout == row_major)
      for (Call<T>& one : products) one = by_columns(one);
    compute_batch<T>(products, site, {entry.name(), caller, site.width}, std::ref(forward));
  }

 private:
  template <class Op>
  static std::vector<Call<T>> read(const Pointers& x, std::int64_t groups, int width, Op op) {
    const auto integer = [width](const void* all, std::int64_t at) {
      return read_integer(static_cast<const char*>(all) + at * (width / 8), width);
    };
    std::vector<Call<T>> made;
    for (std::int64_t g = 0; g < groups; ++g)
      for (std::int64_t left = integer(x[14], g); left > 0; --left) {
        const std::size_t at = made.size();
        made.push_back({.op_a = op(x[0], g),
                        .op_b = op(x[1], g),
                        .m = integer(x[2], g),
                        .n = integer(x[3], g),
                        .k = integer(x[4], g),
                        .alpha = static_cast<const T*>(x[5])[g],
                        .a = static_cast<const T* const*>(x[6])[at],
                        .lda = integer(x[7], g),
                        .b = static_cast<const T* const*>(x[8])[at],
                        .ldb = integer(x[9], g),
                        .beta = static_cast<const T*>(x[10])[g],
                        .c = static_cast<T* const*>(x[11])[at],
                        .ldc = integer(x[12], g)});
      }
    return made;
  }
};

/// Products that differ in where their matrices begin, at constant steps.
template <class T>
class StridedBatch {
 public:
  using Pointers = std::array<const void*, 17>;
  static void fortran(Entry& entry, const void* caller, const Pointers& given,
                      const std::array<std::size_t, 2>& lengths) {
    const Site& site = entry.find(caller);
    Numbers x;
    std::size_t at = 0;
    const auto read = [&](auto& to) { read_argument(to, given[at++], site.width); };
    each(x, read);
    const auto forward = [&] { invoke_fortran(site.function, given, lengths); };
    compute_batch<T>(products(x), site, {entry.name(), caller, site.width}, std::ref(forward));
  }
  template <class... Given>
  static void cblas(Entry& entry, const void* caller, int layout, Given... given) {
    const Site& site = entry.find(caller);
    const auto forward = [&] {
      reinterpret_cast<void (*)(int, Given...)>(site.function)(layout, given...);
    };
    if (!is_layout(layout) && site.function != nullptr) return forward();
    Numbers x;
    take(x, site.width, given...);
    if (layout == row_major) {
      x.call = by_columns(x.call);
      std::swap(x.step_a, x.step_b);
    }
    compute_batch<T>(products(x), site, {entry.name(), caller, site.width}, std::ref(forward));
  }

 private:
  struct Numbers {
    Call<T> call;
    std::int64_t step_a = 0, step_b = 0, step_c = 0, count = 0;
  };
  /// In the order of the arguments.
  template <class Each>
  static void each(Numbers& x, Each&& body) {
    Call<T>& c = x.call;
    body(c.op_a), body(c.op_b), body(c.m), body(c.n), body(c.k), body(c.alpha);
    body(c.a), body(c.lda), body(x.step_a), body(c.b), body(c.ldb), body(x.step_b);
    body(c.beta), body(c.c), body(c.ldc), body(x.step_c), body(x.count);
  }
  template <class A, class B, class M, class N, class K, class Alpha, class Pa, class La, class Sa,
            class Pb, class Lb, class Sb, class Beta, class Pc, class Lc, class Sc, class Count>
  static void take(Numbers& x, int width, A op_a, B op_b, M m, N n, K k, Alpha alpha, Pa a, La lda,
                   Sa step_a, Pb b, Lb ldb, Sb step_b, Beta beta, Pc c, Lc ldc, Sc step_c,
                   Count count) {
    Call<T>& to = x.call;
    const auto one = [width](auto& member, auto given) {
      take_argument(member, given, Flag::op, width);
    };
    one(to.op_a, op_a), one(to.op_b, op_b), one(to.m, m), one(to.n, n), one(to.k, k);
    one(to.alpha, alpha), one(to.a, a), one(to.lda, lda), one(x.step_a, step_a), one(to.b, b);
    one(to.ldb, ldb), one(x.step_b, step_b), one(to.beta, beta), one(to.c, c), one(to.ldc, ldc);
    one(x.step_c, step_c), one(x.count, count);
  }
  static std::vector<Call<T>> products(const Numbers& x) {
    std::vector<Call<T>> made;
    for (std::int64_t k = 0; k < x.count; ++k) {
      made.push_back(x.call);
      made.back().a += k * x.step_a;
      made.back().b += k * x.step_b;
      made.back().c += k * x.step_c;
    }
    return made;
  }
};

}  // namespace blockyard::blas
