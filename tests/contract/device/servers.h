// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/device/abi.h"

/// Servers of remote devices, in this process: they last as long as the test program.
namespace blockyard::device::contract {

enum class Way { shared_memory, unix_socket, tcp, four_sockets, tls, ucx };

/// The options with which table `remote` opens a device that a server has opened with `options`.
/// The server listens when this returns; over TCP it wants a token, and over TLS nothing but TLS.
[[nodiscard]] std::string served(const blockyard_device_table& table, const std::string& options,
                                 Way way);

}  // namespace blockyard::device::contract
