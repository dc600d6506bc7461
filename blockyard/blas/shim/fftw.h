// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "blockyard/blas/local/entry.h"
#include "blockyard/blas/transform.h"

/// The functions that the exported names of FFTW call. A plan is the one of the program's own
/// library: what it computes is noted separately, so that an execution can go to a device, and
/// every other function of the library works on it as ever.
namespace blockyard::blas {

/// As FFTW declares them.
struct GuruAxis {
  int n, in_stride, out_stride;
};
struct GuruAxis64 {
  std::ptrdiff_t n, in_stride, out_stride;
};

/// What a planner was told. The guru interface gives axes, all others extents and layouts.
struct Told {
  Transform::Sort sort = Transform::Sort::c2c;
  int sign = -1;
  int rank = 1;
  const int* n = nullptr;
  int count = 1;
  Layout in_layout = {}, out_layout = {};
  const int* kinds = nullptr;
  Arrays arrays = {};
};

/// Notes what a plan computes, if that may be worth a device. Any thread.
void note_plan(bool is_single, void* plan, Transform transform) noexcept;
/// Whether a plan may be one of those. Any thread.
[[nodiscard]] bool may_go(const void* plan) noexcept;
void forget_plan(bool is_single, const void* plan) noexcept;

/// Executes a plan, here or there. arrays.in null: on those of the plan.
void execute_plan(bool is_single, const void* plan, const Arrays& arrays,
                  const std::function<void()>& local) noexcept;

template <class Real>
class Fftw {
  static constexpr bool is_single = sizeof(Real) == sizeof(float);
  using Sort = Transform::Sort;

 public:
  /// What the program would have reached.
  template <class Result, class... Arguments>
  static Result call(Entry& entry, const void* caller, Arguments... arguments) noexcept {
    return reinterpret_cast<Result (*)(Arguments...)>(entry.find(caller).function)(arguments...);
  }
  /// Not a plan of a planner that another planner of FFTW calls. A program that called that one by
  /// a handle, past us, ends the plan in that way too: a note would outlive it, and be taken for
  /// that of a later plan in the same place.
  [[nodiscard]] static bool is_to_note(Entry& entry, const void* caller, void* plan) noexcept {
    if (plan == nullptr) return false;
    if (!is_inner(caller, entry.find(caller).function, "fftw")) return true;
    forget_plan(is_single, plan);  // one at its place whose end was not seen
    return false;
  }
  /// `plan` is not null: the library takes the arguments.
  static void* note(void* plan, const Told& told) noexcept try {
    Transform made = many(told.sort, told.rank, told.n, told.count, told.in_layout, told.out_layout,
                          told.arrays.in == told.arrays.out);
    return note(plan, told, std::move(made));
  } catch (const std::exception&) {  // no memory: the plan is executed here
    return plan;
  }
  template <class Dims>
  static void* note_guru(void* plan, const Told& told, const Dims* dims, int many_rank,
                         const Dims* many_dims) noexcept try {
    Transform made;
    made.sort = told.sort;
    for (int k = 0; k < told.rank; ++k)
      made.transformed.push_back({dims[k].n, dims[k].in_stride, dims[k].out_stride});
    for (int k = 0; k < many_rank; ++k)
      made.batch.push_back({many_dims[k].n, many_dims[k].in_stride, many_dims[k].out_stride});
    return note(plan, told, std::move(made));
  } catch (const std::exception&) {  // no memory: the plan is executed here
    return plan;
  }
  template <class... Arguments>
  static void execute(Entry& entry, const void* caller, const Arrays& arrays, void* plan,
                      Arguments... arguments) noexcept {
    if (!may_go(plan)) return call<void>(entry, caller, plan, arguments...);
    const auto local = [&] { call<void>(entry, caller, plan, arguments...); };
    execute_plan(is_single, plan, arrays, std::ref(local));
  }
  static void destroy_plan(Entry& entry, const void* caller, void* plan) noexcept {
    forget_plan(is_single, plan);
    call<void>(entry, caller, plan);
  }

 private:
  static void* note(void* plan, const Told& told, Transform made) {
    made.is_backward = told.sort == Sort::c2r || told.sign != -1;  // as FFTW takes it
    made.arrays = told.arrays;
    if (told.kinds != nullptr) made.kinds.assign(told.kinds, told.kinds + told.rank);
    note_plan(is_single, plan, std::move(made));
    return plan;
  }
};

/// Fortran's first index is the fastest, FFTW's the last.
class Reversed {
 public:
  Reversed(const int* values, int count) {
    if (values != nullptr && count > 0) reversed_.assign(values, values + count);
    std::reverse(reversed_.begin(), reversed_.end());
  }
  [[nodiscard]] const int* data() const noexcept {
    return reversed_.empty() ? nullptr : reversed_.data();
  }

 private:
  std::vector<int> reversed_;
};

/// Of three arrays, as Fortran gives them.
[[nodiscard]] inline std::vector<GuruAxis> guru_axes(int rank, const int* n, const int* in_strides,
                                                     const int* out_strides) {
  std::vector<GuruAxis> axes;
  for (int k = 0; k < rank; ++k) axes.push_back({n[k], in_strides[k], out_strides[k]});
  return axes;
}

}  // namespace blockyard::blas
