// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "blockyard/device/kernel.h"
#include "blockyard/ring/layout.h"
#include "blockyard/ring/update.h"

namespace blockyard::ring {

/// An update of the user's own as an operation of devices (device/abi_kernel.h), in any of the
/// forms: a function of the host, OpenCL C, CUDA C++. The text defines, with its own types,
///   void entry(long first, long count, global T* slice, global const U* item,
///              long begin, long end, long bytes, H head)
/// in OpenCL C; in CUDA C++ `long long`, __device__ and no `global`. It takes an item into values
/// first .. first + count - 1 of the slice, which others do not touch; begin and end: the range of
/// units that lies here; bytes: of the item; head: the first bytes of its head, if `head_type` is
/// given. A host form has the same arguments after its range.
struct KernelForms {
  std::string entry;
  blockyard_host_kernel host = nullptr;
  std::string opencl, cuda;  ///< empty: there is none
  std::string slice_type = "double";
  std::uint32_t slice_bytes = sizeof(double);  ///< of a value
  std::string item_type = "double";
  std::uint32_t item_bytes = sizeof(double);
  std::string head_type = {};  ///< empty: the kernel gets no head
  std::uint32_t head_bytes = 0;
};

/// Runs a kernel for each item, in order on the stream. One thread.
class KernelUpdate final : public Update {
 public:
  /// Nothing: the device can use no form; then the caller keeps the slice on the host. `range`: of
  /// this rank; `values`: of its slice. Throws Error{bad_input} with the text of the compiler if a
  /// form is wrong, and if the slice has more values than a kernel has elements (2^31).
  [[nodiscard]] static std::optional<KernelUpdate> open(device::Device& device,
                                                        const KernelForms& forms,
                                                        const Range& range, Extent values);
  /// REQUIRES: a slice on the device. Throws Error{bad_input} if a head is shorter than the
  /// kernel's, or an item is no whole number of values.
  void apply(std::span<const Item> items, const Slice& slice, device::Stream* stream) override;

 private:
  KernelUpdate(device::Plan plan, const KernelForms& forms, const Range& range)
      : plan_(std::move(plan)), forms_(forms), range_(range) {}
  device::Plan plan_;
  KernelForms forms_;
  Range range_;
};

}  // namespace blockyard::ring
