// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/buffers.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace blockyard::garray {

struct Buffers::Kept {
  std::size_t bytes = 0, most = 0;
  std::mutex mutex;
  std::vector<std::unique_ptr<std::byte[]>> free;  // guarded by mutex
};

Buffers::Buffers(std::size_t bytes, std::size_t kept_bytes) : kept_(std::make_shared<Kept>()) {
  kept_->bytes = bytes;
  kept_->most = std::max<std::size_t>(1, kept_bytes / std::max<std::size_t>(1, bytes));
}

Buffers::Bytes Buffers::take() {
  std::unique_ptr<std::byte[]> memory;
  {
    const std::lock_guard lock(kept_->mutex);
    if (!kept_->free.empty()) {
      memory = std::move(kept_->free.back());
      kept_->free.pop_back();
    }
  }
  if (!memory) memory = std::make_unique_for_overwrite<std::byte[]>(kept_->bytes);
  return {memory.release(), [kept = kept_](std::byte* taken) {
            std::unique_ptr<std::byte[]> back(taken);
            const std::lock_guard lock(kept->mutex);
            if (kept->free.size() < kept->most) kept->free.push_back(std::move(back));
          }};
}

}  // namespace blockyard::garray
