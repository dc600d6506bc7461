// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "plugins/device_opencl/machine.h"

/// How kernels of ours are launched: their arguments, and places in them.
namespace blockyard::opencl {

/// An element as an argument or a pattern: one or two numbers of 4 or 8 bytes.
struct Element {
  std::array<double, 2> space{};
  std::size_t bytes = 0;
};

inline Element element_of(std::uint32_t type, const double parts[2]) {
  Element element;
  element.bytes = plugin::element_bytes(type);
  if (type == BLOCKYARD_F64 || type == BLOCKYARD_C128) {
    element.space = {parts[0], parts[1]};
  } else {
    const std::array<float, 2> narrow = {static_cast<float>(parts[0]),
                                         static_cast<float>(parts[1])};
    std::copy_n(reinterpret_cast<const std::byte*>(narrow.data()), sizeof narrow,
                reinterpret_cast<std::byte*>(element.space.data()));
  }
  return element;
}

/// Local memory of a work group.
struct Local {
  std::size_t bytes = 0;
};

template <class T>
inline void set(cl_kernel kernel, cl_uint position, const T& value) {
  check(clSetKernelArg(kernel, position, sizeof value, &value), "clSetKernelArg");
}
inline void set(cl_kernel kernel, cl_uint position, const Element& value) {
  check(clSetKernelArg(kernel, position, value.bytes, value.space.data()), "clSetKernelArg");
}
inline void set(cl_kernel kernel, cl_uint position, const Local& value) {
  check(clSetKernelArg(kernel, position, value.bytes, nullptr), "clSetKernelArg");
}

inline std::size_t pieces(std::int64_t extent, std::int64_t of) {
  return static_cast<std::size_t>((extent + of - 1) / of);
}

template <class... Arguments>
void Machine::launch(Stream& stream, const Kernel& kernel, Grid grid,
                     const Arguments&... arguments) {
  cl_uint position = 0;
  (set(kernel.get(), position++, arguments), ...);
  // A work item here is a loop of its own: on a CPU groups of more than one gain nothing, and each
  // size of group is compiled anew.
  if (!grid.group && is_cpu_) grid.group = 1;
  const std::array<std::size_t, 3> group = {grid.group.value_or(1), 1, 1};
  enqueue(stream, "clEnqueueNDRangeKernel", [&](auto queue, auto... events) {
    return clEnqueueNDRangeKernel(queue, kernel.get(), 3, nullptr, grid.items.data(),
                                  grid.group ? group.data() : nullptr, events...);
  });
}

/// Bytes to elements: places are multiples of the element where they are used as such.
inline cl_long elements(const Machine::Place& place, const Machine::Plan& plan) {
  return static_cast<cl_long>(place.offset / plugin::element_bytes(plan.operation.element));
}

}  // namespace blockyard::opencl
