// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/whole.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "blockyard/base/error.h"
#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/host/lapack.h"
#include "blockyard/device/host/slack.h"
#include "blockyard/device/host/workspaces.h"

namespace blockyard::device::host {
namespace {

using base::Errc;
using base::Error;

void check(bool fits) {
  if (!fits) throw Error(Errc::bad_input, "the operands of an operation on matrices do not fit");
}

/// LAPACK counts with 32 bits.
int extent_of(const blockyard_operand& operand, std::uint32_t index, std::uint32_t order) {
  check(operand.order == order);
  const std::int64_t extent = operand.extent[index];
  check(extent > 0 && extent <= std::numeric_limits<std::int32_t>::max());
  return static_cast<int>(extent);
}

template <class T>
T* pointer(blockyard_address address) noexcept {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

bool Whole::is_known(const blockyard_operation& operation) noexcept {
  const std::uint32_t kind = operation.kind, flags = operation.flags;
  if (kind < BLOCKYARD_SOLVE || kind > BLOCKYARD_FFT || operation.element > BLOCKYARD_C128 ||
      (flags & ~flags_of(kind)) != 0)
    return false;
  const bool is_real = operation.element <= BLOCKYARD_F64;
  const bool conjugates = (flags & blockyard_conjugate_left) != 0;
  const bool transposes = (flags & blockyard_transposed) != 0;
  if (conjugates && !transposes) return false;
  const bool is_general = (flags & blockyard_general) != 0;
  if ((is_general && (flags & blockyard_singular) != 0) ||
      (!is_general && (flags & blockyard_left_vectors) != 0))
    return false;
  return kind != BLOCKYARD_REFLECT || is_real || conjugates == transposes;
}

Whole::Whole(const blockyard_operation& operation) : operation_(operation) {
  const auto check_numbers = [&](int least) { check(extent_of(operation.right, 0, 1) == least); };
  if (operation.kind == BLOCKYARD_FFT) {
    check(operation.left.order <= blockyard_max_order &&
          operation.result.order <= blockyard_max_order &&
          operation.right.order <= blockyard_max_order);
    fft_ = Fft::plan(operation);
    return;
  }
  const bool is_singular = operation.kind == BLOCKYARD_SPECTRUM && has(blockyard_singular);
  const bool is_general = operation.kind == BLOCKYARD_SPECTRUM && has(blockyard_general);
  const blockyard_operand& main = is_singular || is_general ? operation.left : operation.result;
  rows_ = extent_of(main, 0, 2);
  columns_ = extent_of(main, 1, 2);
  const int least = std::min(rows_, columns_);
  const bool is_complex = operation.element > BLOCKYARD_F64;
  const int side = has(blockyard_from_right) ? columns_ : rows_;
  if (operation.kind == BLOCKYARD_SOLVE) {
    check(extent_of(operation.left, 0, 2) == side && extent_of(operation.left, 1, 2) == side);
  } else if (operation.kind == BLOCKYARD_FACTOR) {
    check(!(has(blockyard_cholesky) && (has(blockyard_qr) || rows_ != columns_)));
    check_numbers(has(blockyard_cholesky) ? 1 : least + 1);
  } else if (operation.kind == BLOCKYARD_REFLECT) {
    check(extent_of(operation.left, 0, 2) == side && extent_of(operation.left, 1, 2) <= side);
    check_numbers(extent_of(operation.left, 1, 2));
  } else if (is_singular) {
    if (has(blockyard_vectors))
      check(extent_of(operation.result, 0, 2) == rows_ &&
            extent_of(operation.result, 1, 2) == least);
    check_numbers(least + 1);
    workspaces_fit_ = gesdd_lengths(is_complex, has(blockyard_vectors), rows_, columns_).fit();
  } else if (is_general) {
    check(rows_ == columns_);
    if (has(blockyard_vectors))
      check(extent_of(operation.result, 0, 2) == rows_ &&
            extent_of(operation.result, 1, 2) == rows_);
    check(rows_ <= std::numeric_limits<std::int32_t>::max() / 2 - 1);
    check_numbers((is_complex ? 1 : 2) * rows_ + 1);
  } else {
    check(rows_ == columns_);
    check_numbers(rows_ + 1);
    workspaces_fit_ = syevd_lengths(is_complex, has(blockyard_vectors), rows_).fit();
  }
}

template <class T>
void Whole::factor(T* result, T* numbers) const {
  const int least = std::min(rows_, columns_);
  if (has(blockyard_cholesky)) {
    numbers[0] = T(RealOf<T>(Lapack<T>::potrf(has(blockyard_upper) ? 'U' : 'L', rows_, result)));
  } else if (has(blockyard_qr)) {
    Lapack<T>::geqrf(rows_, columns_, result, numbers);
    numbers[least] = T{};
  } else {
    Workspace<int> pivots(static_cast<std::size_t>(least));
    const int info = Lapack<T>::getrf(rows_, columns_, result, pivots.data());
    for (const int pivot : pivots) *numbers++ = T(RealOf<T>(pivot));
    *numbers = T(RealOf<T>(info));
  }
}

/// Whether the elements are finite that routines for eigenvalues and singular values read. From
/// others LAPACK may iterate for ever (gesdd) or write past its arrays (geev, OpenBLAS 0.3.21).
template <class T>
bool Whole::is_finite(const T* a) const {
  const bool is_triangle = !has(blockyard_singular) && !has(blockyard_general);
  const bool is_upper = has(blockyard_upper);
  for (std::int64_t j = 0; j < columns_; ++j) {
    const std::int64_t first = is_triangle && !is_upper ? j : 0,
                       last = is_triangle && is_upper ? j + 1 : rows_;
    const T* const column = a + j * rows_;
    if (!std::all_of(column + first, column + last, [](const T& value) {
          return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
        }))
      return false;
  }
  return true;
}

/// On copies: other work on the same memory, a mistake or malice, must not put into a matrix what
/// was looked for before.
template <class T>
void Whole::find_spectrum(T* result, T* left, T* numbers) const {
  const auto least = static_cast<std::size_t>(std::min(rows_, columns_));
  const bool is_general = has(blockyard_general);
  const std::size_t count = is_general && std::is_floating_point_v<T> ? 2 * least : least;
  const T* const given = is_general || has(blockyard_singular) ? left : result;
  const auto rows = static_cast<std::size_t>(rows_), columns = static_cast<std::size_t>(columns_);
  Workspace<T> matrix(given, given + rows * columns);
  if (!is_finite(matrix.data())) {
    std::fill_n(numbers, count, T{});
    numbers[count] = T(-1);
    return;
  }
  const bool has_vectors = has(blockyard_vectors);
  if (is_general) {
    Workspace<T> found(count), right_vectors(has_vectors ? rows * rows : 0),
        left_vectors(has(blockyard_left_vectors) ? rows * rows : 0);
    const auto or_null = [](Workspace<T>& one) { return one.empty() ? nullptr : one.data(); };
    const int info = Lapack<T>::geev(rows_, matrix.data(), found.data(), or_null(left_vectors),
                                     or_null(right_vectors));
    std::ranges::copy(left_vectors, left);
    std::ranges::copy(right_vectors, result);
    std::ranges::copy(found, numbers);
    numbers[count] = T(RealOf<T>(info));
    return;
  }
  Workspace<RealOf<T>> values(least);
  int info = 0;
  if (has(blockyard_singular)) {
    Workspace<T> bases(has_vectors ? rows * least : 1), others(has_vectors ? least * columns : 1);
    info = Lapack<T>::gesdd(has_vectors, rows_, columns_, matrix.data(), values.data(),
                            bases.data(), others.data());
    if (has_vectors) {
      std::ranges::copy(bases, result);
      std::ranges::copy(others, left);
    }
  } else {
    info = Lapack<T>::syevd(has_vectors, has(blockyard_upper) ? 'U' : 'L', rows_, matrix.data(),
                            values.data());
    if (has_vectors) std::ranges::copy(matrix, result);
  }
  std::ranges::transform(values, numbers, [](RealOf<T> value) { return T(value); });
  numbers[count] = T(RealOf<T>(info));
}

template <class T>
void scale(T* block, const blockyard_operand& operand, RealOf<T> factor) {
  std::int64_t count = 1;
  for (std::uint32_t k = 0; k < operand.order; ++k) count *= operand.extent[k];
  for (T* element = block; element < block + count; ++element) *element *= factor;
}

template <class T>
void Whole::run_as(const blockyard_run& run) const {
  T *const result = pointer<T>(run.result), *const left = pointer<T>(run.left),
           *const right = pointer<T>(run.right);
  const char side = has(blockyard_from_right) ? 'R' : 'L';
  const char op = !has(blockyard_transposed) ? 'N' : has(blockyard_conjugate_left) ? 'C' : 'T';
  switch (operation_.kind) {
    case BLOCKYARD_SOLVE:
      return Lapack<T>::trsm(side, has(blockyard_upper) ? 'U' : 'L', op,
                             has(blockyard_unit) ? 'U' : 'N', rows_, columns_, number<T>(run.alpha),
                             left, result);
    case BLOCKYARD_FACTOR:
      return factor(result, right);
    case BLOCKYARD_REFLECT: {
      const bool is_real = std::is_floating_point_v<T>;
      return Lapack<T>::ormqr(side, op == 'C' && is_real ? 'T' : op, rows_, columns_,
                              static_cast<int>(operation_.left.extent[1]), left, right, result);
    }
    case BLOCKYARD_SPECTRUM:
      return find_spectrum(result, left, right);
    default:
      fft_->run(result, left);
      if (run.alpha[0] != 1) scale(result, operation_.result, RealOf<T>(run.alpha[0]));
  }
}

void Whole::run(const blockyard_run& run) const {
  switch (operation_.element) {
    case BLOCKYARD_F32:
      return run_as<float>(run);
    case BLOCKYARD_F64:
      return run_as<double>(run);
    case BLOCKYARD_C64:
      return run_as<std::complex<float>>(run);
    default:
      return run_as<std::complex<double>>(run);
  }
}

}  // namespace blockyard::device::host
