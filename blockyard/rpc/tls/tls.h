// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "blockyard/rpc/hmac.h"
#include "blockyard/rpc/transport.h"

/// TLS 1.3 over any other transport, with a secret that both sides have in place of certificates
/// (RFC 8446, 2.2): a handshake that succeeds has proven it both ways, and keys of the connection
/// are forgotten with it.
namespace blockyard::rpc::tls {

/// Whether this machine has the library that it takes.
[[nodiscard]] bool is_available() noexcept;

/// Made of a secret; the secret itself is used elsewhere too.
[[nodiscard]] Digest key_of(std::string_view secret);

/// The client's end, known as `identity`. The handshake happens in the first `send`, which throws
/// Error{comm} that says what to do where it fails.
[[nodiscard]] std::unique_ptr<Transport> connect(std::unique_ptr<Transport> inner,
                                                 std::string identity, const Digest& key);

/// The key of an identity; nothing: it is not known. Called by the thread that receives.
using Keys = std::function<std::optional<Digest>(std::string_view identity)>;

/// The server's end. The first byte tells what a client speaks: one without TLS is let
/// through as it is, or refused if TLS is `required`. The handshake happens in the first `receive`,
/// which takes at most 64 KiB for it.
[[nodiscard]] std::unique_ptr<Transport> accept(std::unique_ptr<Transport> inner, Keys keys,
                                                bool required);

}  // namespace blockyard::rpc::tls
