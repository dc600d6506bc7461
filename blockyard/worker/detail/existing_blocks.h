// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "blockyard/wire/messages.h"

namespace blockyard::worker::detail {

/// The blocks of an array that exist: those that its servers listed, and what this worker put
/// since. As long as none go, a server lists each block once. A value; one thread.
class ExistingBlocks {
 public:
  ExistingBlocks(std::int32_t array, int servers)
      : array_(array), of_server_(static_cast<std::size_t>(servers)) {}

  /// False before the first answers, and again once others may have put more.
  [[nodiscard]] bool is_current() const noexcept { return is_current_; }
  void outdate() noexcept { is_current_ = false; }

  /// What to ask a server.
  [[nodiscard]] wire::ListBlocks question(int server) const;
  /// The answers of all servers, in their order.
  void take(std::span<const wire::BlockList> answers);

  void add(std::uint64_t number) { of_home(number).numbers.insert(number); }
  [[nodiscard]] bool contains(std::uint64_t number) const;

 private:
  struct OfServer {
    std::uint64_t generation = 0;
    std::uint64_t listed = 0;  // in this generation; without what this worker put
    std::unordered_set<std::uint64_t> numbers;
  };
  [[nodiscard]] std::size_t home(std::uint64_t number) const noexcept;
  [[nodiscard]] OfServer& of_home(std::uint64_t number) { return of_server_[home(number)]; }

  std::int32_t array_;
  bool is_current_ = false;
  std::vector<OfServer> of_server_;
};

}  // namespace blockyard::worker::detail
