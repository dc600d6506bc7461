// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "blockyard/rpc/address.h"
#include "blockyard/rpc/transport.h"

/// The networks that UCX knows: InfiniBand, RoCE, shared memory, TCP. Its library is opened when
/// the first address names it. Long parts of what is sent are messages of their own, which the
/// network takes from the caller's memory and lands where the receiver wants them.
namespace blockyard::rpc::ucx {

/// Variables of the environment with which UCX takes no signals of the process that loads it,
/// replaces none of its functions for memory, and writes nothing.
inline constexpr std::array<std::pair<const char*, const char*>, 3> quiet_settings = {
    {{"UCX_MEM_EVENTS", "no"}, {"UCX_HANDLE_ERRORS", "none"}, {"UCX_LOG_LEVEL", "fatal"}}};

/// Whether this machine has the library that it takes, and this build was made for it.
[[nodiscard]] bool is_available() noexcept;

/// Throws Error{comm} that names the address if no server answers within `patience_seconds`, or if
/// there is no UCX here.
[[nodiscard]] std::unique_ptr<Transport> connect(const Address& address, double patience_seconds);

/// Listens at the address of a network interface. Port 0: any free one, which is then in `address`.
/// Throws Error{comm} that names the address.
[[nodiscard]] std::unique_ptr<Listener> listen(Address& address);

}  // namespace blockyard::rpc::ucx
