// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/device/abi.h"

namespace blockyard::device::sim {

/// Two simulated devices in host memory, to test code that uses devices: addresses are not
/// pointers, and enqueued work runs as late as possible, in an order that a seed decides. Options
/// of `open`:
///   seed=N         0 (default): work waits until a caller waits for it; else every call also runs
///                  a random amount of enqueued work of random streams
///   memory=BYTES   what can be allocated in total (default 2^40)
///   fail_after=N   the work after the first N pieces fails
///   network=1      network_pointer says where the memory really is: any fabric can read it
[[nodiscard]] const blockyard_device_table& table() noexcept;

}  // namespace blockyard::device::sim
