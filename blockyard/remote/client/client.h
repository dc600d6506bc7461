// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/device/abi.h"
#include "blockyard/remote/client/link.h"
#include "blockyard/rpc/address.h"

/// Devices that live in a server.
namespace blockyard::remote {

/// The table of devices whose work is done by a server. Options of `open`:
///   server=ADDRESS   where it listens: HOST:PORT or unix:PATH; needed
///   token=FILE       name and secret that it knows us by
///   patience=TIME    of silence, after which the link counts as lost (20s)
///   sockets=COUNT    that the link has, up to 16 (1): long payloads are divided among them
///   alone=1          a link of its own, in addition to others to the same server
///   memory=BYTES     what can be allocated in total
/// `count` has no options and cannot know a server; it answers 1. Devices opened from one server
/// with one token share a link, unless they are to be alone, so that copies between its devices
/// stay there. copy, copy_peer, fill, plan_run, event_record, stream_wait and release make no round
/// trip, nor does plan_open for a descriptor that was asked before.
[[nodiscard]] const blockyard_device_table& table() noexcept;

/// A flag of an operation for plan_open of this table: the server is asked to make the plan, and
/// nothing waits for it; UNSUPPORTED where it is known to be unable. The plan is for closing only;
/// opened again without the flag it is there, or is waited for. The server never sees the flag.
inline constexpr std::uint32_t plan_ahead = std::uint32_t{1} << 31U;

/// The address of a server and our identity there: from the options above.
struct ServerOptions {
  std::string server;
  std::string token_file;
  double patience_seconds = Link::default_patience_seconds;
  double connect_seconds = 5;  ///< that connecting may take, and then the greeting
  std::uint32_t sockets = 1;
  bool is_alone = false;  ///< a link that no other device shares
  std::string rest;       ///< for the device itself
};

/// Throws Error{bad_input} without a server= among them.
[[nodiscard]] ServerOptions read_options(std::string_view text);

/// A link to the server, the one that this process has or a new one.
/// Throws Error{comm} or Error{bad_input}.
[[nodiscard]] std::shared_ptr<Link> link_to(const ServerOptions& options);

/// In the child of a fork: the links are the parent's, and a thread that is not there may be making
/// one. They are left as they are.
void forget_links() noexcept;

/// Whether a link goes by TLS: as its address says, or if not, because the server is in another
/// machine and we have a token for it.
[[nodiscard]] bool uses_tls(const rpc::Address& address, bool has_token);

/// The devices of a server. Throws as link_to.
[[nodiscard]] std::vector<Offer> devices_of(const std::string& options);

/// What clients have of them now. Throws as link_to.
[[nodiscard]] Usage usage_of(const std::string& options);

}  // namespace blockyard::remote
