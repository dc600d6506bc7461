// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "blockyard/wire/messages.h"

namespace blockyard::worker::detail {

/// The blocks of an array that exist at the servers that were asked: those that a server listed,
/// and what this worker put since. As long as none go, a server lists each block once. A value; one
/// thread.
class ExistingBlocks {
 public:
  explicit ExistingBlocks(std::int32_t array) : array_(array) {}

  /// False before the first answer of the server, and again once others may have put more.
  [[nodiscard]] bool is_current(int server) const;
  void outdate() noexcept { ++epoch_; }

  /// What to ask a server.
  [[nodiscard]] wire::ListBlocks question(int server) const;
  void take(int server, const wire::BlockList& answer);

  /// This worker puts a block whose home is `server`.
  void add(int server, std::uint64_t number) { of_server_[server].numbers.insert(number); }
  /// REQUIRES: is_current(server), which is the home of the block.
  [[nodiscard]] bool contains(int server, std::uint64_t number) const {
    return of_server_.at(server).numbers.contains(number);
  }

 private:
  struct OfServer {
    std::uint64_t epoch = 0;  // of the last answer
    std::uint64_t generation = 0;
    std::uint64_t listed = 0;  // in this generation; without what this worker put
    std::unordered_set<std::uint64_t> numbers;
  };

  std::int32_t array_;
  std::uint64_t epoch_ = 1;
  std::unordered_map<int, OfServer> of_server_;
};

}  // namespace blockyard::worker::detail
