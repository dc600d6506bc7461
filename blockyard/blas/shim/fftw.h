// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "blockyard/blas/local/entry.h"
#include "blockyard/blas/transform.h"

/// What stands behind the exported names of FFTW. A plan is the one of the program's own library:
/// what it computes is noted beside it, so that an execution can go to a device, and every other
/// function of the library works on it as ever.
namespace blockyard::blas {

/// As FFTW declares them.
struct GuruAxis {
  int n, in_stride, out_stride;
};
struct GuruAxis64 {
  std::ptrdiff_t n, in_stride, out_stride;
};

/// Notes what a plan computes; null is no plan. Any thread.
void note_plan(bool is_single, void* plan, Transform transform) noexcept;
void forget_plan(bool is_single, const void* plan) noexcept;

/// Executes a plan on arrays, here or there. in null: on those of the plan.
void execute_plan(bool is_single, const void* plan, const void* in, void* out,
                  const std::function<void()>& local) noexcept;

template <class Real>
class Fftw {
  static constexpr bool is_single = sizeof(Real) == sizeof(float);
  using Sort = Transform::Sort;
  using Plan = void*;

 public:
  // Each of the three kinds ends in one function, whose arguments begin as the caller's do.
  static Plan plan_dft_1d(Entry& e, const void* caller, int n0, const void* in, void* out, int sign,
                          unsigned flags) noexcept {
    const int n[] = {n0};
    return note(call<Plan>(e, caller, n0, in, out, sign, flags), Sort::c2c, sign, 1, n, in, out);
  }
  static Plan plan_dft_2d(Entry& e, const void* caller, int n0, int n1, const void* in, void* out,
                          int sign, unsigned flags) noexcept {
    const int n[] = {n0, n1};
    return note(call<Plan>(e, caller, n0, n1, in, out, sign, flags), Sort::c2c, sign, 2, n, in,
                out);
  }
  static Plan plan_dft_3d(Entry& e, const void* caller, int n0, int n1, int n2, const void* in,
                          void* out, int sign, unsigned flags) noexcept {
    const int n[] = {n0, n1, n2};
    return note(call<Plan>(e, caller, n0, n1, n2, in, out, sign, flags), Sort::c2c, sign, 3, n, in,
                out);
  }
  static Plan plan_dft(Entry& e, const void* caller, int rank, const int* n, const void* in,
                       void* out, int sign, unsigned flags) noexcept {
    return note(call<Plan>(e, caller, rank, n, in, out, sign, flags), Sort::c2c, sign, rank, n, in,
                out);
  }
  static Plan plan_dft_r2c_1d(Entry& e, const void* caller, int n0, const void* in, void* out,
                              unsigned flags) noexcept {
    return real_1d(Sort::r2c, e, caller, n0, in, out, flags);
  }
  static Plan plan_dft_r2c_2d(Entry& e, const void* caller, int n0, int n1, const void* in,
                              void* out, unsigned flags) noexcept {
    return real_2d(Sort::r2c, e, caller, n0, n1, in, out, flags);
  }
  static Plan plan_dft_r2c_3d(Entry& e, const void* caller, int n0, int n1, int n2, const void* in,
                              void* out, unsigned flags) noexcept {
    return real_3d(Sort::r2c, e, caller, n0, n1, n2, in, out, flags);
  }
  static Plan plan_dft_r2c(Entry& e, const void* caller, int rank, const int* n, const void* in,
                           void* out, unsigned flags) noexcept {
    return note(call<Plan>(e, caller, rank, n, in, out, flags), Sort::r2c, 0, rank, n, in, out);
  }
  static Plan plan_dft_c2r_1d(Entry& e, const void* caller, int n0, const void* in, void* out,
                              unsigned flags) noexcept {
    return real_1d(Sort::c2r, e, caller, n0, in, out, flags);
  }
  static Plan plan_dft_c2r_2d(Entry& e, const void* caller, int n0, int n1, const void* in,
                              void* out, unsigned flags) noexcept {
    return real_2d(Sort::c2r, e, caller, n0, n1, in, out, flags);
  }
  static Plan plan_dft_c2r_3d(Entry& e, const void* caller, int n0, int n1, int n2, const void* in,
                              void* out, unsigned flags) noexcept {
    return real_3d(Sort::c2r, e, caller, n0, n1, n2, in, out, flags);
  }
  static Plan plan_dft_c2r(Entry& e, const void* caller, int rank, const int* n, const void* in,
                           void* out, unsigned flags) noexcept {
    return note(call<Plan>(e, caller, rank, n, in, out, flags), Sort::c2r, 0, rank, n, in, out);
  }
  static Plan plan_many_dft(Entry& e, const void* caller, int rank, const int* n, int count,
                            const void* in, const int* in_whole, int in_stride, int in_next,
                            void* out, const int* out_whole, int out_stride, int out_next, int sign,
                            unsigned flags) noexcept {
    const Plan plan = call<Plan>(e, caller, rank, n, count, in, in_whole, in_stride, in_next, out,
                                 out_whole, out_stride, out_next, sign, flags);
    return note(plan, Sort::c2c, sign, rank, n, in, out, count, {in_whole, in_stride, in_next},
                {out_whole, out_stride, out_next});
  }
  static Plan plan_many_dft_r2c(Entry& e, const void* caller, int rank, const int* n, int count,
                                const void* in, const int* in_whole, int in_stride, int in_next,
                                void* out, const int* out_whole, int out_stride, int out_next,
                                unsigned flags) noexcept {
    const Plan plan = call<Plan>(e, caller, rank, n, count, in, in_whole, in_stride, in_next, out,
                                 out_whole, out_stride, out_next, flags);
    return note(plan, Sort::r2c, 0, rank, n, in, out, count, {in_whole, in_stride, in_next},
                {out_whole, out_stride, out_next});
  }
  static Plan plan_many_dft_c2r(Entry& e, const void* caller, int rank, const int* n, int count,
                                const void* in, const int* in_whole, int in_stride, int in_next,
                                void* out, const int* out_whole, int out_stride, int out_next,
                                unsigned flags) noexcept {
    const Plan plan = call<Plan>(e, caller, rank, n, count, in, in_whole, in_stride, in_next, out,
                                 out_whole, out_stride, out_next, flags);
    return note(plan, Sort::c2r, 0, rank, n, in, out, count, {in_whole, in_stride, in_next},
                {out_whole, out_stride, out_next});
  }
  template <class Dims>
  static Plan plan_guru_dft(Entry& e, const void* caller, int rank, const Dims* dims, int many,
                            const Dims* many_dims, const void* in, void* out, int sign,
                            unsigned flags) noexcept {
    const Plan plan = call<Plan>(e, caller, rank, dims, many, many_dims, in, out, sign, flags);
    return note_guru(plan, Sort::c2c, sign, rank, dims, many, many_dims, in, out);
  }
  template <class Dims>
  static Plan plan_guru_dft_r2c(Entry& e, const void* caller, int rank, const Dims* dims, int many,
                                const Dims* many_dims, const void* in, void* out,
                                unsigned flags) noexcept {
    const Plan plan = call<Plan>(e, caller, rank, dims, many, many_dims, in, out, flags);
    return note_guru(plan, Sort::r2c, 0, rank, dims, many, many_dims, in, out);
  }
  template <class Dims>
  static Plan plan_guru_dft_c2r(Entry& e, const void* caller, int rank, const Dims* dims, int many,
                                const Dims* many_dims, const void* in, void* out,
                                unsigned flags) noexcept {
    const Plan plan = call<Plan>(e, caller, rank, dims, many, many_dims, in, out, flags);
    return note_guru(plan, Sort::c2r, 0, rank, dims, many, many_dims, in, out);
  }

  static void execute(Entry& e, const void* caller, Plan plan) noexcept {
    execute_plan(is_single, plan, nullptr, nullptr, [&] { call<void>(e, caller, plan); });
  }
  static void execute_dft(Entry& e, const void* caller, Plan plan, void* in, void* out) noexcept {
    execute_plan(is_single, plan, in, out, [&] { call<void>(e, caller, plan, in, out); });
  }
  static void destroy_plan(Entry& e, const void* caller, Plan plan) noexcept {
    forget_plan(is_single, plan);
    call<void>(e, caller, plan);
  }

 private:
  template <class Result, class... Arguments>
  static Result call(Entry& entry, const void* caller, Arguments... arguments) noexcept {
    return reinterpret_cast<Result (*)(Arguments...)>(entry.find(caller).function)(arguments...);
  }
  static Plan real_1d(Sort sort, Entry& e, const void* caller, int n0, const void* in, void* out,
                      unsigned flags) noexcept {
    const int n[] = {n0};
    return note(call<Plan>(e, caller, n0, in, out, flags), sort, 0, 1, n, in, out);
  }
  static Plan real_2d(Sort sort, Entry& e, const void* caller, int n0, int n1, const void* in,
                      void* out, unsigned flags) noexcept {
    const int n[] = {n0, n1};
    return note(call<Plan>(e, caller, n0, n1, in, out, flags), sort, 0, 2, n, in, out);
  }
  static Plan real_3d(Sort sort, Entry& e, const void* caller, int n0, int n1, int n2,
                      const void* in, void* out, unsigned flags) noexcept {
    const int n[] = {n0, n1, n2};
    return note(call<Plan>(e, caller, n0, n1, n2, in, out, flags), sort, 0, 3, n, in, out);
  }
  static Plan note(Plan plan, Sort sort, int sign, int rank, const int* n, const void* in,
                   void* out, int count = 1, const Layout& in_layout = {},
                   const Layout& out_layout = {}) noexcept {
    if (plan == nullptr) return plan;
    Transform made = blas::many(sort, rank, n, count, in_layout, out_layout, in == out);
    made.is_backward = sort == Sort::c2r || sign > 0;
    made.in = in;
    made.out = out;
    note_plan(is_single, plan, std::move(made));
    return plan;
  }
  template <class Dims>
  static Plan note_guru(Plan plan, Sort sort, int sign, int rank, const Dims* dims, int many,
                        const Dims* many_dims, const void* in, void* out) noexcept {
    if (plan == nullptr) return plan;
    Transform made;
    made.sort = sort;
    made.is_backward = sort == Sort::c2r || sign > 0;
    made.in = in;
    made.out = out;
    for (int k = 0; k < rank; ++k)
      made.transformed.push_back({dims[k].n, dims[k].in_stride, dims[k].out_stride});
    for (int k = 0; k < many; ++k)
      made.batch.push_back({many_dims[k].n, many_dims[k].in_stride, many_dims[k].out_stride});
    note_plan(is_single, plan, std::move(made));
    return plan;
  }
};

}  // namespace blockyard::blas
