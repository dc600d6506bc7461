// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "blockyard/base/integer.h"
#include "blockyard/device/abi_kernel.h"

/// Kernels in C++ (abi_kernel.h), for Device::open_kernel and Stream::run.
namespace blockyard::device {

/// A function in several forms.
struct Kernel {
  struct Parameter {
    blockyard_parameter_kind kind = BLOCKYARD_MEMORY;
    std::uint32_t bytes = 8;
    std::string type = "double";
  };
  std::string entry;
  std::uint32_t order = 1;  ///< extents of its grids
  bool has_groups = false;
  std::vector<Parameter> parameters;
  blockyard_host_kernel host = nullptr;
  std::string opencl, cuda, ptx;  ///< empty: there is none

  [[nodiscard]] std::vector<blockyard_parameter> c_parameters() const;
  /// The struct of the ABI, valid as long as this and `parameters`, which c_parameters() made.
  [[nodiscard]] blockyard_kernel described(
      const std::vector<blockyard_parameter>& parameters) const;
};

/// The grid of one run, and its arguments in the order of the parameters.
class KernelRun {
 public:
  explicit KernelRun(std::array<base::Extent, 3> extents) : extents_(extents) {}
  KernelRun(const KernelRun&) = delete;  // arguments point into values
  KernelRun& operator=(const KernelRun&) = delete;

  KernelRun& memory(blockyard_address address, base::Extent bytes) {
    arguments_.push_back({address, static_cast<std::uint64_t>(bytes), nullptr});
    return *this;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> &&
      (sizeof(T) <= blockyard_max_value_bytes) KernelRun& value(const T& value) {
    return value_bytes(std::as_bytes(std::span(&value, 1)));
  }
  /// At most blockyard_max_value_bytes.
  KernelRun& value_bytes(std::span<const std::byte> bytes);
  KernelRun& local(base::Extent bytes) { return memory(0, bytes); }
  /// How the device cuts the grid; 0: the device chooses.
  KernelRun& shape(base::Extent group, base::Extent per_item) {
    group_ = group;
    per_item_ = per_item;
    return *this;
  }
  [[nodiscard]] blockyard_kernel_run described() const;

 private:
  using Value = std::array<std::byte, blockyard_max_value_bytes>;
  std::array<base::Extent, 3> extents_;
  base::Extent group_ = 0, per_item_ = 0;
  std::vector<blockyard_argument> arguments_;
  std::deque<Value> values_;  ///< which do not move
};

}  // namespace blockyard::device
