// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/kernel_update.h"

#include <fmt/format.h>

#include <array>

#include "blockyard/base/error.h"

namespace blockyard::ring {

std::optional<KernelUpdate> KernelUpdate::open(device::Device& device, const KernelForms& forms,
                                               const Range& range, Extent values) {
  constexpr Extent most_values = Extent{1} << 31;  // of a grid; a kernel cannot begin within it
  if (values > most_values)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("kernel '{}' would work on a slice of {} values; at most 2^31 are possible: "
                    "start more processes, or longer rings",
                    forms.entry, values));
  device::Kernel kernel;
  kernel.entry = forms.entry;
  kernel.host = forms.host;
  kernel.opencl = forms.opencl;
  kernel.cuda = forms.cuda;
  kernel.parameters = {{BLOCKYARD_MEMORY, forms.slice_bytes, forms.slice_type},
                       {BLOCKYARD_MEMORY, forms.item_bytes, forms.item_type}};
  for (int k = 0; k < 3; ++k) kernel.parameters.push_back({BLOCKYARD_VALUE, 8, "long"});
  if (!forms.head_type.empty())
    kernel.parameters.push_back({BLOCKYARD_VALUE, forms.head_bytes, forms.head_type});
  auto plan = device.open_kernel(kernel);
  if (!plan) return std::nullopt;
  return KernelUpdate(std::move(*plan), forms, range);
}

void KernelUpdate::apply(std::span<const Item> items, const Slice& slice, device::Stream* stream) {
  base::require(stream != nullptr, "a kernel works on a slice that is on a device");
  for (const Item& item : items) {
    if (item.bytes % forms_.item_bytes != 0)
      throw base::Error(
          base::Errc::bad_input,
          fmt::format("kernel '{}' reads items of '{}', of {} bytes a value; one came "
                      "with {} bytes",
                      forms_.entry, forms_.item_type, forms_.item_bytes, item.bytes));
    device::KernelRun run({slice.bytes / forms_.slice_bytes, 1, 1});
    run.memory(slice.address, slice.bytes).memory(item.address, item.bytes);
    for (const std::int64_t value : {range_.begin, range_.end, item.bytes}) run.value(value);
    if (!forms_.head_type.empty()) {
      if (item.head.size() < forms_.head_bytes)
        throw base::Error(base::Errc::bad_input,
                          fmt::format("kernel '{}' reads {} bytes of the head of an item, which "
                                      "has {}",
                                      forms_.entry, forms_.head_bytes, item.head.size()));
      run.value_bytes(item.head.first(forms_.head_bytes));
    }
    stream->run(plan_, run);
  }
}

}  // namespace blockyard::ring
