// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/messages.h"

#include <string>

#include "blockyard/base/bytes.h"

namespace blockyard::remote {

rpc::Digest proof_of(std::string_view direction, std::string_view secret,
                     const rpc::Digest& client_nonce, const rpc::Digest& server_nonce) {
  base::ByteWriter message;
  message.text(direction);
  message.raw(client_nonce);
  message.raw(server_nonce);
  return rpc::hmac(std::as_bytes(std::span(secret)), message.bytes());
}

rpc::Digest join_proof_of(std::uint32_t index, std::string_view secret,
                          const rpc::Digest& client_nonce, const rpc::Digest& server_nonce) {
  return proof_of("join " + std::to_string(index), secret, client_nonce, server_nonce);
}

}  // namespace blockyard::remote
