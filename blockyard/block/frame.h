// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "blockyard/base/buffer.h"

namespace blockyard::block {

/// The memory of one block. Shared with messages under way and, through them, with the home of the
/// block and other workers of the process: a sole holder may write.
using Frame = std::shared_ptr<base::Buffer>;
using SharedFrame = std::shared_ptr<const base::Buffer>;

/// Gives frames to one worker and keeps its promise on memory: what the worker holds and what the
/// pool keeps for it stay within the budget. A steady state allocates nothing: frames that come
/// back are kept by size class. One thread.
class FramePool {
 public:
  /// Frees at least one byte that the worker can do without, or returns false.
  using Reclaim = std::function<bool()>;

  FramePool(base::BufferPool& buffers, std::int64_t budget_bytes)
      : buffers_(buffers), budget_bytes_(budget_bytes) {}
  /// `at_once`: the same of what goes without waiting for anything.
  void on_shortage(Reclaim reclaim, Reclaim at_once = nullptr) {
    reclaim_ = std::move(reclaim);
    reclaim_at_once_ = std::move(at_once);
  }

  /// A frame of `size` bytes, contents not defined, charged to the budget.
  /// Throws Error{no_memory} if the budget has no room even after reclaiming.
  [[nodiscard]] Frame allocate(std::size_t size);
  /// Ends the worker's hold on a frame from allocate().
  void recycle(Frame frame) noexcept;

  /// Memory for a message of values that are charged already. Any thread.
  [[nodiscard]] base::Buffer uncharged(std::size_t size) { return buffers_.allocate(size); }

  /// Charges memory that comes from elsewhere (a block to be received).
  /// Throws Error{no_memory} as allocate does.
  void charge(std::size_t size);
  void discharge(std::size_t size) noexcept;
  /// Frees kept frames, before a phase that needs other lengths.
  void free_kept() noexcept;
  /// Whether `size` more bytes are free without reclaiming.
  [[nodiscard]] bool has_room(std::size_t size) const noexcept;
  /// The same after reclaiming what goes without waiting.
  [[nodiscard]] bool finds_room(std::size_t size);

  /// Calls of allocate(), and how many of them were answered by memory that was used before.
  struct Uses {
    std::uint64_t requests = 0;
    std::uint64_t hits = 0;
  };
  [[nodiscard]] const Uses& uses() const noexcept { return uses_; }

  [[nodiscard]] std::int64_t used_bytes() const noexcept { return used_bytes_; }
  [[nodiscard]] std::int64_t peak_bytes() const noexcept { return peak_bytes_; }
  [[nodiscard]] std::int64_t budget_bytes() const noexcept { return budget_bytes_; }

 private:
  void make_room(std::int64_t bytes);

  base::BufferPool& buffers_;
  std::int64_t budget_bytes_;
  std::int64_t used_bytes_ = 0;
  std::int64_t kept_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  Uses uses_;
  std::array<std::vector<Frame>, base::BufferPool::class_count> kept_;
  Reclaim reclaim_;
  Reclaim reclaim_at_once_;
};

}  // namespace blockyard::block
