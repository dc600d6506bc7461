// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/device/test_kernels.h"

#include <string>

namespace blockyard::device::contract {
namespace {

const Kernel::Parameter numbers{}, number{BLOCKYARD_VALUE, 8, "double"},
    opencl_count{BLOCKYARD_VALUE, 8, "int64_t"}, local_numbers{BLOCKYARD_LOCAL, 8, "double"};

template <class T>
T value(void* const* arguments, std::size_t n) {
  return *static_cast<const T*>(arguments[n]);
}
double* pointer(void* const* arguments, std::size_t n) {
  return static_cast<double*>(arguments[n]);
}

void host_saxpy(const blockyard_range* range, void* const* arguments) {
  double* const y = pointer(arguments, 0);
  const double* const x = pointer(arguments, 1);
  const auto a = value<double>(arguments, 2);
  for (std::int64_t i = range->first; i < range->first + range->count; ++i) y[i] += a * x[i];
}

void host_stencil(const blockyard_range* range, void* const* arguments) {
  const auto columns = value<std::int64_t>(arguments, 2);
  double* const made = pointer(arguments, 0) + (range->j + 1) * columns + 1;
  const double* const old = pointer(arguments, 1) + (range->j + 1) * columns + 1;
  for (std::int64_t i = range->first; i < range->first + range->count; ++i)
    made[i] = old[i - 1] + old[i + 1] + old[i - columns] + old[i + columns] - 4 * old[i];
}

void host_numbered(const blockyard_range* range, void* const* arguments) {
  const auto n = value<std::int64_t>(arguments, 1), j = value<std::int64_t>(arguments, 2);
  const std::int64_t row = (range->k * j + range->j) * n;
  for (std::int64_t i = range->first; i < range->first + range->count; ++i)
    pointer(arguments, 0)[row + i] = static_cast<double>(row + i + 1);
}

void host_group_sum(const blockyard_range* range, void* const* arguments) {
  double* const partial = pointer(arguments, 2);
  partial[0] = 0;
  for (std::int64_t i = 0; i < range->count; ++i)
    partial[0] += pointer(arguments, 1)[range->first + i];
  pointer(arguments, 0)[range->group] = partial[0];
}

void host_running_sum(const blockyard_range* range, void* const* arguments) {
  double* const x = pointer(arguments, 0);
  for (std::int64_t i = range->first; i < range->first + range->count; ++i) x[i + 1] += x[i];
}

/// One text for OpenCL C and CUDA C: the words that differ are written as FUNCTION, GLOBAL, LOCAL.
void set_texts(Kernel& kernel, const std::string& text) {
  const std::string opencl =
      "#define FUNCTION\n#define GLOBAL global\n#define LOCAL local\n#define int64_t long\n"
      "#define ITEM get_local_id(0)\n#define ITEMS get_local_size(0)\n#define GROUP "
      "get_group_id(0)\n"
      "#define MEET barrier(CLK_LOCAL_MEM_FENCE)\n#define INT long\n";
  const std::string cuda =
      "#define FUNCTION __device__\n#define GLOBAL\n#define LOCAL\n"
      "#define ITEM threadIdx.x\n#define ITEMS blockDim.x\n#define GROUP blockIdx.x\n"
      "#define MEET __syncthreads()\n#define INT long long\n#define int64_t long long\n";
  kernel.opencl = opencl + text;
  kernel.cuda = cuda + text;
}

}  // namespace

Kernel saxpy() {
  Kernel kernel{"saxpy", 1, false, {numbers, numbers, number}, host_saxpy, {}, {}, {}};
  set_texts(kernel, R"(
FUNCTION void saxpy(INT first, INT count, GLOBAL double* y, GLOBAL const double* x, double a) {
  for (INT i = first; i < first + count; ++i) y[i] += a * x[i];
})");
  return kernel;
}

Kernel stencil() {
  Kernel kernel{"stencil", 2, false, {numbers, numbers, opencl_count}, host_stencil, {}, {}, {}};
  set_texts(kernel, R"(
FUNCTION void stencil(INT first, INT count, INT j, GLOBAL double* made, GLOBAL const double* old,
                      INT columns) {
  made += (j + 1) * columns + 1;
  old += (j + 1) * columns + 1;
  for (INT i = first; i < first + count; ++i)
    made[i] = old[i - 1] + old[i + 1] + old[i - columns] + old[i + columns] - 4 * old[i];
})");
  return kernel;
}

Kernel numbered() {
  Kernel kernel{"numbered",    3,  false, {numbers, opencl_count, opencl_count},
                host_numbered, {}, {},    {}};
  set_texts(kernel, R"(
FUNCTION void numbered(INT first, INT count, INT j, INT k, GLOBAL double* x, INT in_row, INT rows) {
  const INT row = (k * rows + j) * in_row;
  for (INT i = row + first; i < row + first + count; ++i) x[i] = i + 1;
})");
  return kernel;
}

Kernel group_sum() {
  Kernel kernel{"group_sum",    1,  true, {numbers, numbers, local_numbers},
                host_group_sum, {}, {},   {}};
  set_texts(kernel, R"(
FUNCTION void group_sum(INT first, INT count, GLOBAL double* sums, GLOBAL const double* x,
                        LOCAL double* partial) {
  double sum = 0;
  for (INT i = first; i < first + count; ++i) sum += x[i];
  partial[ITEM] = sum;
  MEET;
  for (int step = (int)ITEMS / 2; step > 0; step /= 2) {
    if ((int)ITEM < step) partial[ITEM] += partial[ITEM + step];
    MEET;
  }
  if (ITEM == 0) sums[GROUP] = partial[0];
})");
  return kernel;
}

Kernel running_sum() { return {"running_sum", 1, false, {numbers}, host_running_sum, {}, {}, {}}; }

}  // namespace blockyard::device::contract
