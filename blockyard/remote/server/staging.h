// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace blockyard::remote {

/// Bytes that were received and are not on a device yet: the receiver waits for room. Memory is
/// used again: fresh memory costs more time than what is copied into it.
class Staging {
 public:
  using Bytes = std::vector<std::byte>;
  explicit Staging(std::size_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}
  /// Waits for room; memory for at least `bytes`, which count until it goes. Null after `end`.
  [[nodiscard]] std::shared_ptr<Bytes> take(std::size_t bytes);
  void end() noexcept;

 private:
  void give_back(std::unique_ptr<Bytes> memory, std::size_t bytes) noexcept;

  std::size_t limit_bytes_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::size_t used_bytes_ = 0;
  std::vector<std::unique_ptr<Bytes>> free_;
  bool is_ended_ = false;
};

}  // namespace blockyard::remote
