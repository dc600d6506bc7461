// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "blockyard/rpc/transport.h"

/// Two processes of one machine: bytes go through memory that both have, and a Unix socket says
/// when there is something, and when the other end has gone. The memory is the client's, sealed so
/// that it cannot shrink below what the server has mapped; its descriptor goes over the socket.
namespace blockyard::rpc::shared {

/// Over a connected Unix socket, which this owns: offers the server memory. A server that does not
/// get it, because something between the two passes bytes only, says so, and the socket carries
/// everything. Throws Error{comm} if no answer comes in time.
[[nodiscard]] std::unique_ptr<Transport> offer(int socket, std::string peer,
                                               double patience_seconds);

/// The other end: takes up an offer, if one comes first. Nothing happens before the first receive.
[[nodiscard]] std::unique_ptr<Transport> accept(int socket, std::string peer);

}  // namespace blockyard::rpc::shared
