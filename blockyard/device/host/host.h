// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/device/abi.h"

namespace blockyard::device::host {

/// The host as a device: addresses are pointers, work is done inside the call that enqueues it, by
/// the kernels of the tensor room.
/// Options of `open`:
///   memory=BYTES   what can be allocated in total, as "300M"; without it the system decides
[[nodiscard]] const blockyard_device_table& table() noexcept;

}  // namespace blockyard::device::host
