// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace blockyard::garray {

/// Memory that is taken and given back again and again. Some of it is kept: the kernel clears new
/// pages, which takes as long as a copy. Any thread.
class Buffers {
 public:
  using Bytes = std::shared_ptr<std::byte[]>;  // shared with work that is under way

  /// Each buffer has `bytes`; as many as fit into `kept_bytes` are kept, and one at least.
  Buffers(std::size_t bytes, std::size_t kept_bytes);
  /// The buffer comes back with its last owner, also after the end of this object.
  [[nodiscard]] Bytes take();

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;  // shared with the buffers that were taken
};

}  // namespace blockyard::garray
