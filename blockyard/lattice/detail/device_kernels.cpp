// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/detail/device_kernels.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include "blockyard/lattice/detail/g4_text.h"

namespace blockyard::lattice::detail {

namespace {

using DeviceVoid = void;
using DeviceIndex = Index;
using Numbers = const double*;
using Wholes = const int*;
using Singles = const float*;
using Values = double*;
using WholeValues = int*;
using Integers = Index*;
inline Index to_integer(double x) { return std::llrint(x); }
#include "blockyard/lattice/detail/g4_kernels.cl"

const char* const opencl_words = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef long Index;
typedef void DeviceVoid;
typedef long DeviceIndex;
typedef global const double* Numbers;
typedef global const int* Wholes;
typedef global const float* Singles;
typedef global double* Values;
typedef global int* WholeValues;
typedef global long* Integers;
#define to_integer(x) convert_long_rte(x)
)";
const char* const cuda_words = R"(typedef long long Index;
#define DeviceVoid __device__ void
#define DeviceIndex __device__ long long
typedef const double* Numbers;
typedef const int* Wholes;
typedef const float* Singles;
typedef double* Values;
typedef int* WholeValues;
typedef long long* Integers;
#define to_integer(x) __double2ll_rn(x)
)";

/// The parameter that an argument of type T is.
template <class T>
device::Kernel::Parameter parameter() {
  using Pointed = std::remove_cv_t<std::remove_pointer_t<T>>;
  const auto kind = std::is_pointer_v<T> ? BLOCKYARD_MEMORY : BLOCKYARD_VALUE;
  const auto named = [&](const char* name) {
    return device::Kernel::Parameter{kind, sizeof(Pointed), name};
  };
  if constexpr (std::is_same_v<Pointed, double>)
    return named("double");
  else if constexpr (std::is_same_v<Pointed, float>)
    return named("float");
  else if constexpr (std::is_same_v<Pointed, int>)
    return named("int");
  else if constexpr (std::is_same_v<Pointed, Index>)
    return named("Index");
  else if constexpr (std::is_same_v<Pointed, G4Extents>)
    return named("G4Extents");
  else if constexpr (std::is_same_v<Pointed, G4Item>)
    return named("G4Item");
  else if constexpr (std::is_same_v<Pointed, G4Batch>)
    return named("G4Batch");
  else
    return named("G4Spin");
}

template <class T>
T argument(void* given) {
  if constexpr (std::is_pointer_v<T>)
    return static_cast<T>(given);
  else
    return *static_cast<const T*>(given);
}

/// The forms of a function over a grid of two or three extents.
template <auto function>
struct Forms;
template <class... Arguments, void (*function)(Index, Index, Index, Arguments...)>
struct Forms<function> {
  // A third extent is the first of the arguments, and the only one of type Index there.
  using First = std::tuple_element_t<0, std::tuple<Arguments...>>;
  static constexpr std::size_t more = std::is_same_v<First, Index> ? 1 : 0;

  template <class T, std::size_t n>
  static T pick(const blockyard_range* range, void* const* arguments) {
    if constexpr (n < more)
      return range->k;
    else
      return argument<T>(arguments[n - more]);
  }
  template <std::size_t... n>
  static void call(const blockyard_range* range, void* const* arguments,
                   std::index_sequence<n...> /*all*/) {
    function(range->first, range->count, range->j, pick<Arguments, n>(range, arguments)...);
  }
  static void host(const blockyard_range* range, void* const* arguments) {
    call(range, arguments, std::index_sequence_for<Arguments...>());
  }

  static device::Kernel kernel(const char* name) {
    device::Kernel kernel;
    kernel.entry = name;
    kernel.order = 2 + more;
    const std::array parameters{parameter<Arguments>()...};
    kernel.parameters.assign(parameters.begin() + more, parameters.end());
    kernel.host = host;
    kernel.opencl = fmt::format("{}{}", opencl_words, g4_text);
    kernel.cuda = fmt::format("{}{}", cuda_words, g4_text);
    return kernel;
  }
};

}  // namespace

device::Kernel unpack_kernel() { return Forms<g4_unpack>::kernel("g4_unpack"); }
device::Kernel pick_kernel() { return Forms<g4_pick>::kernel("g4_pick"); }
device::Kernel phases_kernel() { return Forms<g4_phases>::kernel("g4_phases"); }
device::Kernel right_kernel() { return Forms<g4_right>::kernel("g4_right"); }
device::Kernel tiles_kernel() { return Forms<g4_tiles>::kernel("g4_tiles"); }
device::Kernel add_kernel() { return Forms<g4_add>::kernel("g4_add"); }
device::Kernel add_exactly_kernel() { return Forms<g4_add_exactly>::kernel("g4_add_exactly"); }

}  // namespace blockyard::lattice::detail
