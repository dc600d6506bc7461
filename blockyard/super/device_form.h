// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/device/abi_range.h"
#include "blockyard/super/super.h"

namespace blockyard::super {

/// What one call of a device form computes.
struct DeviceCall {
  static constexpr std::size_t most_value_bytes = 64;

  /// Of the grid. Before: the elements of the first operand that is written, 1, 1.
  std::array<Extent, 3> extents{1, 1, 1};
  /// One for each value of the form, zeroed before.
  std::vector<std::array<std::byte, most_value_bytes>> values;

  template <class T>
  void set(std::size_t k, const T& value) {
    static_assert(sizeof(T) <= most_value_bytes);
    std::memcpy(values.at(k).data(), &value, sizeof value);
  }
};

/// A super instruction as a kernel (device/abi_kernel.h), as well as the host form, which stays the
/// reference. The arguments of the kernel are those of the instruction in their order, then values
/// of its own: a block or an array is a pointer to its elements, first index fastest; a scalar or a
/// number is a double. Operands that are only written are zero before, as on the host.
struct DeviceForm {
  struct Value {
    std::string type;  ///< as the texts say it
    std::uint32_t bytes = 0;
  };
  std::string entry;                             ///< the function's name in the texts
  std::uint32_t order = 1;                       ///< extents of the grid
  std::vector<Value> values = {};                ///< after the operands
  blockyard_host_kernel host = nullptr;          ///< for devices that are simulated
  std::string opencl = {}, cuda = {}, ptx = {};  ///< empty: there is none
  /// The element type of each operand, or one word for all; "" is f64. Operands of another type
  /// are the host's.
  std::string types = {};
  /// Gets the operands without the elements of blocks and arrays. Says what is computed; false: the
  /// host is to do it, and to report what is wrong with the operands. May be null.
  std::function<bool(std::span<const Operand>, const Context&, DeviceCall&)> prepare = {};

  /// Both texts from one, in which the words that differ between OpenCL C and CUDA C++ are FUNCTION
  /// before the entry, GLOBAL before a pointer, INT for its numbers. Lines count as in `text`.
  void set_texts(const std::string& text);
  /// Throws Error{bad_input} that says what is wrong with the form.
  void check(std::string_view signature) const;
  /// The element type of operand `k`.
  [[nodiscard]] array::ElementType type_of(std::size_t k) const;
};

/// What a call computes. Nothing: the host is to do it.
[[nodiscard]] std::optional<DeviceCall> prepared(const Entry& entry,
                                                 std::span<const Operand> operands,
                                                 const Context& context);

/// The elements that a call writes: what its work is measured by.
[[nodiscard]] double work_of(std::span<const Operand> operands) noexcept;

/// Elements of a block or an array. Its values may be anywhere, so they are not asked.
[[nodiscard]] Extent element_count(const Operand& operand) noexcept;

}  // namespace blockyard::super
