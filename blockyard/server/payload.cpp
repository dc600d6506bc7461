// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/payload.h"

#include <cstring>
#include <memory>

namespace blockyard::server {

std::span<std::byte> own_bytes_of(const fabric::Payload& payload) noexcept {
  if (!base::is_sole_holder(payload)) return {};
  // All payloads are made as plain buffers; const is the promise of its sharers.
  return const_cast<base::Buffer*>(payload.get())->bytes();
}

fabric::Payload copy_of(std::span<const std::byte> bytes, base::BufferPool& pool) {
  auto buffer = std::make_shared<base::Buffer>(pool.allocate(bytes.size()));
  std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

fabric::Payload zeros(std::size_t count, base::BufferPool& pool) {
  auto buffer = std::make_shared<base::Buffer>(pool.allocate(count));
  std::memset(buffer->data(), 0, count);
  return buffer;
}

}  // namespace blockyard::server
