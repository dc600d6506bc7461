// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/cusolver.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "plugins/device_cuda/kernels.h"

namespace blockyard::cuda {
namespace {

constexpr std::uint64_t alignment = 256;

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

void check(cusolverStatus_t code, const char* call) {
  if (code != CUSOLVER_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + " failed: " + std::to_string(code));
}

void expect(cudaError_t code) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string("numbers next to a result: ") + cudaGetErrorString(code));
}

cudaDataType type_of(const plugin::Whole& whole) {
  if (whole.is_real()) return whole.is_single() ? CUDA_R_32F : CUDA_R_64F;
  return whole.is_single() ? CUDA_C_32F : CUDA_C_64F;
}
cudaDataType real_type_of(const plugin::Whole& whole) {
  return whole.is_single() ? CUDA_R_32F : CUDA_R_64F;
}
cublasFillMode_t triangle_of(const plugin::Whole& whole) {
  return whole.has(blockyard_upper) ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
cusolverEigMode_t mode_of(bool has_vectors) {
  return has_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}
signed char job_of(const plugin::Whole& whole) { return whole.has(blockyard_vectors) ? 'S' : 'N'; }

cublasOperation_t operation_of(const plugin::Whole& whole) {
  if (!whole.has(blockyard_transposed)) return CUBLAS_OP_N;
  return whole.is_real() ? CUBLAS_OP_T : CUBLAS_OP_C;
}

}  // namespace

std::optional<CusolverLibrary> CusolverLibrary::find() {
  const std::string name = "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR);
  // It stays: what it has registered with the driver does not end before the process.
  void* const opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) return std::nullopt;
  CusolverLibrary library{};
  bool is_whole = true;
  const auto look_up = [&](auto& member, const char* function) {
    void* const found = dlsym(opened, function);
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(found);
    return found != nullptr;
  };
  const auto take = [&](auto& member, const char* function) {
    is_whole = look_up(member, function) && is_whole;
  };
  take(library.create, "cusolverDnCreate");
  take(library.destroy, "cusolverDnDestroy");
  take(library.set_stream, "cusolverDnSetStream");
  take(library.create_parameters, "cusolverDnCreateParams");
  take(library.destroy_parameters, "cusolverDnDestroyParams");
  take(library.lu_size, "cusolverDnXgetrf_bufferSize");
  take(library.lu, "cusolverDnXgetrf");
  take(library.cholesky_size, "cusolverDnXpotrf_bufferSize");
  take(library.cholesky, "cusolverDnXpotrf");
  take(library.qr_size, "cusolverDnXgeqrf_bufferSize");
  take(library.qr, "cusolverDnXgeqrf");
  take(library.symmetric_size, "cusolverDnXsyevd_bufferSize");
  take(library.symmetric, "cusolverDnXsyevd");
  take(library.singular_size, "cusolverDnXgesvd_bufferSize");
  take(library.singular, "cusolverDnXgesvd");
  take(library.s_reflect_size, "cusolverDnSormqr_bufferSize");
  take(library.s_reflect, "cusolverDnSormqr");
  take(library.d_reflect_size, "cusolverDnDormqr_bufferSize");
  take(library.d_reflect, "cusolverDnDormqr");
  take(library.c_reflect_size, "cusolverDnCunmqr_bufferSize");
  take(library.c_reflect, "cusolverDnCunmqr");
  take(library.z_reflect_size, "cusolverDnZunmqr_bufferSize");
  take(library.z_reflect, "cusolverDnZunmqr");
  if (!look_up(library.general_size, "cusolverDnXgeev_bufferSize") ||
      !look_up(library.general, "cusolverDnXgeev"))
    library.general = nullptr;
  if (!is_whole) return std::nullopt;
  return library;
}

std::int64_t CusolverPlan::least() const noexcept { return std::min(whole_.rows, whole_.columns); }
std::uint64_t CusolverPlan::element_bytes() const noexcept {
  return (whole_.is_single() ? 4U : 8U) * (whole_.is_real() ? 1U : 2U);
}

std::optional<CusolverPlan> CusolverPlan::make(const CusolverLibrary& library,
                                               const plugin::Whole& whole) {
  const bool is_general = whole.has(blockyard_general);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if ((whole.has(blockyard_singular) && whole.rows < whole.columns) ||
      (is_general && (library.general == nullptr || whole.has(blockyard_left_vectors))) ||
      (whole.kind == BLOCKYARD_REFLECT && std::max(whole.rows, whole.columns) > most))
    return std::nullopt;
  CusolverPlan made;
  made.library_ = &library;
  made.whole_ = whole;
  cusolverDnHandle_t handle = nullptr;
  if (library.create(&handle) != CUSOLVER_STATUS_SUCCESS) return std::nullopt;
  made.handle_ = {handle, {library.destroy}};
  cusolverDnParams_t parameters = nullptr;
  if (library.create_parameters(&parameters) != CUSOLVER_STATUS_SUCCESS) return std::nullopt;
  made.parameters_ = {parameters, {library.destroy_parameters}};
  if (!made.find_sizes()) return std::nullopt;
  return made;
}

bool CusolverPlan::find_sizes() {
  const std::int64_t m = whole_.rows, n = whole_.columns;
  const cudaDataType type = type_of(whole_), real = real_type_of(whole_);
  const cusolverDnHandle_t handle = handle_.get();
  const cusolverDnParams_t parameters = parameters_.get();
  std::size_t host = 0;
  cusolverStatus_t code = CUSOLVER_STATUS_SUCCESS;
  if (whole_.kind == BLOCKYARD_REFLECT) {
    const auto side = whole_.has(blockyard_from_right) ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
    int elements = 0;
    const auto ask = [&](auto function, auto* none) {
      return function(handle, side, operation_of(whole_), static_cast<int>(m), static_cast<int>(n),
                      static_cast<int>(whole_.left_columns), none,
                      static_cast<int>(whole_.left_rows), none, none, static_cast<int>(m),
                      &elements);
    };
    if (whole_.is_real())
      code = whole_.is_single() ? ask(library_->s_reflect_size, static_cast<float*>(nullptr))
                                : ask(library_->d_reflect_size, static_cast<double*>(nullptr));
    else
      code = whole_.is_single()
                 ? ask(library_->c_reflect_size, static_cast<cuComplex*>(nullptr))
                 : ask(library_->z_reflect_size, static_cast<cuDoubleComplex*>(nullptr));
    device_bytes_ = static_cast<std::size_t>(std::max(elements, 0)) * element_bytes();
  } else if (whole_.kind == BLOCKYARD_FACTOR) {
    if (whole_.has(blockyard_cholesky))
      code = library_->cholesky_size(handle, parameters, triangle_of(whole_), n, type, nullptr, n,
                                     type, &device_bytes_, &host);
    else if (whole_.has(blockyard_qr))
      code = library_->qr_size(handle, parameters, m, n, type, nullptr, m, type, nullptr, type,
                               &device_bytes_, &host);
    else
      code = library_->lu_size(handle, parameters, m, n, type, nullptr, m, type, &device_bytes_,
                               &host);
  } else if (whole_.has(blockyard_singular)) {
    code = library_->singular_size(handle, parameters, job_of(whole_), job_of(whole_), m, n, type,
                                   nullptr, m, real, nullptr, type, nullptr, m, type, nullptr, n,
                                   type, &device_bytes_, &host);
  } else if (whole_.has(blockyard_general)) {
    code = library_->general_size(handle, parameters, CUSOLVER_EIG_MODE_NOVECTOR,
                                  mode_of(whole_.has(blockyard_vectors)), n, type, nullptr, n, type,
                                  nullptr, type, nullptr, n, type, nullptr, n, type, &device_bytes_,
                                  &host);
  } else {
    code = library_->symmetric_size(handle, parameters, mode_of(whole_.has(blockyard_vectors)),
                                    triangle_of(whole_), n, type, nullptr, n, real, nullptr, type,
                                    &device_bytes_, &host);
  }
  host_.resize(host);
  return code == CUSOLVER_STATUS_SUCCESS;
}

/// Pivots or values, as 8 bytes each; info; the vectors of a singular decomposition.
CusolverPlan::Room CusolverPlan::room_in(std::byte* workspace) const noexcept {
  Room room{};
  room.work = reinterpret_cast<std::byte*>(padded(reinterpret_cast<std::uintptr_t>(workspace)));
  room.numbers = room.work + padded(device_bytes_);
  room.info = room.numbers + padded(static_cast<std::uint64_t>(least()) * sizeof(std::int64_t));
  room.vectors = room.info + alignment;
  return room;
}

std::uint64_t CusolverPlan::workspace_bytes() const noexcept {
  const auto n = static_cast<std::uint64_t>(whole_.columns);
  const bool has_vectors = whole_.has(blockyard_singular) && whole_.has(blockyard_vectors);
  return alignment + padded(device_bytes_) +
         padded(static_cast<std::uint64_t>(least()) * sizeof(std::int64_t)) + alignment +
         (has_vectors ? padded(n * n * element_bytes()) : 0);
}

void CusolverPlan::reflect(const Blocks& blocks, const Room& room) const {
  const auto side = whole_.has(blockyard_from_right) ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
  const auto call = [&](auto function, auto* type) {
    const auto at = [&](std::byte* place) { return reinterpret_cast<decltype(type)>(place); };
    const int m = static_cast<int>(whole_.rows), n = static_cast<int>(whole_.columns);
    check(function(handle_.get(), side, operation_of(whole_), m, n,
                   static_cast<int>(whole_.left_columns), at(blocks.left),
                   static_cast<int>(whole_.left_rows), at(blocks.right), at(blocks.result), m,
                   at(room.work), static_cast<int>(device_bytes_ / element_bytes()),
                   reinterpret_cast<int*>(room.info)),
          "cusolverDn ormqr");
  };
  if (whole_.is_real())
    whole_.is_single() ? call(library_->s_reflect, static_cast<float*>(nullptr))
                       : call(library_->d_reflect, static_cast<double*>(nullptr));
  else
    whole_.is_single() ? call(library_->c_reflect, static_cast<cuComplex*>(nullptr))
                       : call(library_->z_reflect, static_cast<cuDoubleComplex*>(nullptr));
}

void CusolverPlan::enqueue(const Blocks& blocks, const Room& room) const {
  const std::int64_t m = whole_.rows, n = whole_.columns;
  const cudaDataType type = type_of(whole_), real = real_type_of(whole_);
  const cusolverDnHandle_t handle = handle_.get();
  const cusolverDnParams_t parameters = parameters_.get();
  int* const info = reinterpret_cast<int*>(room.info);
  const bool has_vectors = whole_.has(blockyard_vectors);
  if (whole_.kind == BLOCKYARD_FACTOR) {
    if (whole_.has(blockyard_cholesky))
      return check(
          library_->cholesky(handle, parameters, triangle_of(whole_), n, type, blocks.result, n,
                             type, room.work, device_bytes_, host_.data(), host_.size(), info),
          "cusolverDnXpotrf");
    if (whole_.has(blockyard_qr))
      return check(
          library_->qr(handle, parameters, m, n, type, blocks.result, m, type, blocks.right, type,
                       room.work, device_bytes_, host_.data(), host_.size(), info),
          "cusolverDnXgeqrf");
    return check(library_->lu(handle, parameters, m, n, type, blocks.result, m,
                              reinterpret_cast<std::int64_t*>(room.numbers), type, room.work,
                              device_bytes_, host_.data(), host_.size(), info),
                 "cusolverDnXgetrf");
  }
  if (whole_.has(blockyard_singular))
    return check(library_->singular(handle, parameters, job_of(whole_), job_of(whole_), m, n, type,
                                    blocks.left, m, real, room.numbers, type,
                                    has_vectors ? blocks.result : nullptr, m, type,
                                    has_vectors ? room.vectors : nullptr, n, type, room.work,
                                    device_bytes_, host_.data(), host_.size(), info),
                 "cusolverDnXgesvd");
  if (whole_.has(blockyard_general))  // W of real matrices: real parts, then imaginary ones
    return check(
        library_->general(handle, parameters, CUSOLVER_EIG_MODE_NOVECTOR, mode_of(has_vectors), n,
                          type, blocks.left, n, type, blocks.right, type, nullptr, n, type,
                          has_vectors ? blocks.result : nullptr, n, type, room.work, device_bytes_,
                          host_.data(), host_.size(), info),
        "cusolverDnXgeev");
  check(library_->symmetric(handle, parameters, mode_of(has_vectors), triangle_of(whole_), n, type,
                            blocks.result, n, real, room.numbers, type, room.work, device_bytes_,
                            host_.data(), host_.size(), info),
        "cusolverDnXsyevd");
}

/// As elements, with info after them.
void CusolverPlan::tell_numbers(cudaStream_t stream, const Blocks& blocks, const Room& room) const {
  Numbers numbers{};
  numbers.info = reinterpret_cast<const int*>(room.info);
  const bool is_lu = whole_.kind == BLOCKYARD_FACTOR && !whole_.has(blockyard_cholesky) &&
                     !whole_.has(blockyard_qr);
  if (is_lu) {
    numbers.kind = Numbers::Kind::integers;
    numbers.from = room.numbers;
  } else if (whole_.kind == BLOCKYARD_SPECTRUM && !whole_.has(blockyard_general)) {
    numbers.kind = Numbers::Kind::reals;
    numbers.from = room.numbers;
  }
  launch_numbers(stream, whole_.element, numbers, static_cast<std::uint64_t>(whole_.numbers() - 1),
                 blocks.right);
}

/// Of others the library may fail, or loop. Waits.
bool CusolverPlan::is_finite(cudaStream_t stream, const Blocks& blocks, const Room& room) const {
  const bool is_of_left = whole_.has(blockyard_singular) || whole_.has(blockyard_general);
  const Triangle triangle = is_of_left                    ? Triangle::whole
                            : whole_.has(blockyard_upper) ? Triangle::upper
                                                          : Triangle::lower;
  int* const info = reinterpret_cast<int*>(room.info);
  int found = 0;
  expect(cudaMemsetAsync(info, 0, sizeof *info, stream));
  launch_look_for_infinite(stream, whole_.element, is_of_left ? blocks.left : blocks.result,
                           whole_.rows, whole_.columns, triangle, info);
  expect(cudaGetLastError());
  expect(cudaMemcpyAsync(&found, info, sizeof found, cudaMemcpyDeviceToHost, stream));
  expect(cudaStreamSynchronize(stream));
  return found == 0;
}

/// Zeros, and info that says so.
void CusolverPlan::tell_of_none(cudaStream_t stream, const Blocks& blocks, const Room& room) const {
  const auto count = static_cast<std::uint64_t>(whole_.numbers() - 1);
  expect(cudaMemsetAsync(blocks.right, 0, count * element_bytes(), stream));
  expect(cudaMemsetAsync(room.info, 0xff, sizeof(int), stream));  // -1
  Numbers numbers{};
  numbers.info = reinterpret_cast<const int*>(room.info);
  launch_numbers(stream, whole_.element, numbers, count, blocks.right);
  expect(cudaGetLastError());
}

void CusolverPlan::run(cudaStream_t stream, const Blocks& blocks) const {
  const Room room = room_in(blocks.workspace);
  check(library_->set_stream(handle_.get(), stream), "cusolverDnSetStream");
  if (whole_.kind == BLOCKYARD_REFLECT) return reflect(blocks, room);
  if (whole_.kind == BLOCKYARD_SPECTRUM && !is_finite(stream, blocks, room))
    return tell_of_none(stream, blocks, room);
  enqueue(blocks, room);
  tell_numbers(stream, blocks, room);
  expect(cudaGetLastError());
  const auto n = static_cast<std::uint64_t>(whole_.columns);
  if (whole_.has(blockyard_singular) && whole_.has(blockyard_vectors))
    expect(cudaMemcpyAsync(blocks.left, room.vectors, n * n * element_bytes(),
                           cudaMemcpyDeviceToDevice, stream));
  if (!host_.empty()) expect(cudaStreamSynchronize(stream));
}

}  // namespace blockyard::cuda
