// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "blockyard/remote/messages.h"
#include "blockyard/rpc/transport.h"

namespace blockyard::remote {

/// Brings the further sockets of a connection, each of which comes as one of its own, to the
/// session that waits for them. Any thread.
class Joins {
 public:
  /// Lets sockets come that prove to be number 1, 2, ... of the connection with this nonce.
  void expect(const rpc::Digest& nonce, std::vector<rpc::Digest> proofs);
  /// All of them, in the order of their numbers; fewer: `seconds` have passed. They may be used
  /// until `release`.
  [[nodiscard]] std::vector<rpc::Transport*> wait(const rpc::Digest& nonce, double seconds);
  /// Returns when no one has them any more.
  void release(const rpc::Digest& nonce);

  /// Lends a socket to the session that expects it, and returns when that released it. False at
  /// once: none expects it.
  [[nodiscard]] bool lend(const Join& join, rpc::Transport& transport);

 private:
  struct Expected {
    std::vector<rpc::Digest> proofs;
    std::vector<rpc::Transport*> came;  ///< null: not yet
    int lent = 0;
    bool is_over = false;
  };
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::map<rpc::Digest, Expected> expected_;
};

}  // namespace blockyard::remote
