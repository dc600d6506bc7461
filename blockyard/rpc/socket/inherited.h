// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/rpc/socket/descriptor.h"

/// A child that `fork` makes has the sockets of its parent's connections too. As long as it keeps
/// them the other end does not learn that the parent has ended.
namespace blockyard::rpc::socket {

/// Notes a socket that a child has no use for. Any thread.
void note_connection(const Descriptor& socket) noexcept;

/// Closes all that were noted and are still open. For the child of a fork, which has one thread:
/// takes no lock and no memory. Not to be called where connections are in use.
void close_inherited() noexcept;

}  // namespace blockyard::rpc::socket
