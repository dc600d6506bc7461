// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/fft.h"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::device::host {
namespace {

using base::Errc;
using base::Error;

/// As FFTW declares it.
struct Dimension {
  std::ptrdiff_t n, in_stride, out_stride;
};
using FftwPlan = void*;
using PlanComplex = FftwPlan (*)(int, const Dimension*, int, const Dimension*, void*, void*, int,
                                 unsigned);
using PlanReal = FftwPlan (*)(int, const Dimension*, int, const Dimension*, void*, void*, unsigned);
using PlanRealOnly = FftwPlan (*)(int, const Dimension*, int, const Dimension*, void*, void*,
                                  const int*, unsigned);
using Execute = void (*)(FftwPlan, void*, void*);
using Destroy = void (*)(FftwPlan);
constexpr unsigned unaligned_estimate = (1U << 1) | (1U << 6), preserve_input = 1U << 4;

/// The functions of one precision.
struct Library {
  explicit Library(bool is_single) {
    void* const opened =
        ::dlopen(is_single ? "libfftw3f.so.3" : "libfftw3.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (opened == nullptr) return;
    const std::string prefix = is_single ? "fftwf_" : "fftw_";
    const auto find = [&]<class Function>(Function& function, const char* name) {
      function = reinterpret_cast<Function>(::dlsym(opened, (prefix + name).c_str()));
      is_whole = is_whole && function != nullptr;
    };
    is_whole = true;
    find(plan_c2c, "plan_guru64_dft");
    find(plan_r2c, "plan_guru64_dft_r2c");
    find(plan_c2r, "plan_guru64_dft_c2r");
    find(plan_r2r, "plan_guru64_r2r");
    find(run_c2c, "execute_dft");
    find(run_r2c, "execute_dft_r2c");
    find(run_c2r, "execute_dft_c2r");
    find(run_r2r, "execute_r2r");
    find(destroy, "destroy_plan");
  }
  bool is_whole = false;
  PlanComplex plan_c2c = nullptr;
  PlanReal plan_r2c = nullptr, plan_c2r = nullptr;
  PlanRealOnly plan_r2r = nullptr;
  Execute run_c2c = nullptr, run_r2c = nullptr, run_c2r = nullptr, run_r2r = nullptr;
  Destroy destroy = nullptr;
  std::mutex planning;  ///< FFTW's planner is for one thread at a time
};

/// Loaded at the first use and kept: plans may exist till the process ends.
Library& library(bool is_single) {
  static Library* const both[2] = {new Library(false), new Library(true)};
  return *both[is_single ? 1 : 0];
}

enum class Sort { c2c, r2c, c2r, r2r };

class FftwFft final : public Fft {
 public:
  /// plan_in_place: null where left is copied first, as result would take its place, or FFTW would
  /// overwrite it. left_bytes: of that copy.
  FftwFft(Library& library, FftwPlan plan, FftwPlan plan_in_place, Sort sort, bool keeps_left,
          std::size_t left_bytes)
      : library_(library),
        plan_(plan),
        plan_in_place_(plan_in_place),
        sort_(sort),
        keeps_left_(keeps_left),
        left_bytes_(left_bytes) {}
  ~FftwFft() override {
    const std::lock_guard lock(library_.planning);
    library_.destroy(plan_);
    if (plan_in_place_ != nullptr) library_.destroy(plan_in_place_);
  }
  FftwFft(const FftwFft&) = delete;
  FftwFft& operator=(const FftwFft&) = delete;
  void run(void* result, void* left) const override {
    const Execute execute = sort_ == Sort::c2c   ? library_.run_c2c
                            : sort_ == Sort::r2c ? library_.run_r2c
                            : sort_ == Sort::c2r ? library_.run_c2r
                                                 : library_.run_r2r;
    if (left != result && keeps_left_) return execute(plan_, left, result);
    if (left == result && plan_in_place_ != nullptr) return execute(plan_in_place_, left, result);
    const auto* const bytes = static_cast<const std::byte*>(left);
    std::vector<std::byte> copy(bytes, bytes + left_bytes_);
    execute(plan_, copy.data(), result);
  }

 private:
  Library& library_;
  FftwPlan plan_;
  FftwPlan plan_in_place_;  ///< null: there is none
  Sort sort_;
  bool keeps_left_;  ///< plan_ reads left only
  std::size_t left_bytes_;
};

bool has_parts(const blockyard_operand& operand) {
  return operand.order > 0 && operand.name[0] == blockyard_parts;
}

[[noreturn]] void refuse() {
  throw Error(Errc::bad_input, "the operands of a transform do not fit each other");
}

/// An index, with its extents in left and result and the strides, in elements or pairs of them.
struct Index {
  std::int32_t name;
  std::int64_t in, out;
  std::ptrdiff_t in_stride, out_stride;
};

std::vector<Index> indexes_of(const blockyard_operation& operation) {
  const blockyard_operand &left = operation.left, &result = operation.result;
  const std::uint32_t skip_in = has_parts(left) ? 1 : 0, skip_out = has_parts(result) ? 1 : 0;
  const bool is_real = operation.element == BLOCKYARD_F32 || operation.element == BLOCKYARD_F64;
  if (left.order - skip_in != result.order - skip_out || skip_in + skip_out > (is_real ? 1U : 0U) ||
      (skip_in == 1 && left.extent[0] != 2) || (skip_out == 1 && result.extent[0] != 2))
    refuse();
  std::vector<Index> found;
  std::ptrdiff_t in_stride = 1, out_stride = 1;
  for (std::uint32_t k = 0; k < left.order - skip_in; ++k) {
    const Index index{left.name[k + skip_in], left.extent[k + skip_in], result.extent[k + skip_out],
                      in_stride, out_stride};
    if (result.name[k + skip_out] != index.name || index.in <= 0 || index.out <= 0) refuse();
    if (std::ranges::find(found, index.name, &Index::name) != found.end()) refuse();
    found.push_back(index);
    in_stride *= index.in;
    out_stride *= index.out;
  }
  return found;
}

/// The indexes of a transform and of its batch, as FFTW wants them: the last one is halved.
struct Axes {
  std::vector<Dimension> transformed, batch;
  std::vector<int> kinds;  ///< of r2r
};

Sort sort_of(const blockyard_operation& operation) {
  if (operation.element == BLOCKYARD_C64 || operation.element == BLOCKYARD_C128) return Sort::c2c;
  if (has_parts(operation.result)) return Sort::r2c;
  return has_parts(operation.left) ? Sort::c2r : Sort::r2r;
}

Axes axes_of(const blockyard_operation& operation, Sort sort) {
  const std::span names(operation.right.name, operation.right.order);
  if (names.empty()) refuse();
  Axes axes;
  const bool has_half = sort == Sort::r2c || sort == Sort::c2r;
  for (const Index& index : indexes_of(operation)) {
    const auto at = std::ranges::find(names, index.name);
    const bool is_halved = has_half && at == names.begin();
    const std::int64_t whole = sort == Sort::c2r ? index.out : index.in;
    const std::int64_t half = sort == Sort::c2r ? index.in : index.out;
    if (half != (is_halved ? whole / 2 + 1 : whole)) refuse();
    const Dimension one{whole, index.in_stride, index.out_stride};
    if (is_halved || at == names.end()) {
      (is_halved ? axes.transformed : axes.batch).push_back(one);
      continue;
    }
    axes.transformed.insert(axes.transformed.begin(), one);
    if (sort != Sort::r2r) continue;
    const std::int64_t kind = operation.right.extent[at - names.begin()];
    if (kind < blockyard_first_real_transform || kind > blockyard_last_real_transform) refuse();
    axes.kinds.insert(axes.kinds.begin(), static_cast<int>(kind - blockyard_first_real_transform));
  }
  if (axes.transformed.size() != names.size()) refuse();
  return axes;
}

}  // namespace

std::unique_ptr<const Fft> Fft::plan(const blockyard_operation& operation) {
  const Sort sort = sort_of(operation);
  const Axes axes = axes_of(operation, sort);
  const bool is_single = operation.element == BLOCKYARD_F32 || operation.element == BLOCKYARD_C64;
  Library& fftw = library(is_single);
  if (!fftw.is_whole) return nullptr;
  // Planning by estimate reads no array, but wants to see whether left and result differ.
  std::vector<std::max_align_t> arrays(2);
  const int rank = static_cast<int>(axes.transformed.size()),
            many = static_cast<int>(axes.batch.size());
  const int sign = (operation.flags & blockyard_backward) != 0 ? 1 : -1;
  // FFTW overwrites what it transforms to real numbers unless told, and cannot but with several
  // indexes.
  const bool keeps_left = sort != Sort::c2r || rank == 1;
  const unsigned flags = unaligned_estimate | (keeps_left ? preserve_input : 0);
  const auto plan_to = [&](std::max_align_t& result) {
    const auto plan = [&](auto planner, const auto&... more) {
      return planner(rank, axes.transformed.data(), many, axes.batch.data(), &arrays[0], &result,
                     more..., flags);
    };
    return sort == Sort::c2c   ? plan(fftw.plan_c2c, sign)
           : sort == Sort::r2r ? plan(fftw.plan_r2r, axes.kinds.data())
                               : plan(sort == Sort::r2c ? fftw.plan_r2c : fftw.plan_c2r);
  };
  std::size_t left_bytes = operation.element == BLOCKYARD_F32    ? 4
                           : operation.element == BLOCKYARD_C128 ? 16
                                                                 : 8;
  for (std::uint32_t k = 0; k < operation.left.order; ++k)
    left_bytes *= static_cast<std::size_t>(operation.left.extent[k]);
  const std::lock_guard lock(fftw.planning);
  FftwPlan const made = plan_to(arrays[1]);
  if (made == nullptr) return nullptr;
  // Real and complex blocks do not lie alike without padding.
  const bool lie_alike = sort == Sort::c2c || sort == Sort::r2r;
  return std::make_unique<const FftwFft>(fftw, made, lie_alike ? plan_to(arrays[0]) : nullptr, sort,
                                         keeps_left, left_bytes);
}

}  // namespace blockyard::device::host
