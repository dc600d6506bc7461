// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "blockyard/base/buffer.h"
#include "blockyard/fabric/fabric.h"

namespace blockyard::server {

/// The bytes of a payload to be changed in place: only if the caller is the sole holder, else an
/// empty span.
[[nodiscard]] std::span<std::byte> own_bytes_of(const fabric::Payload& payload) noexcept;

/// A payload of the same bytes as `bytes` without other holders.
[[nodiscard]] fabric::Payload copy_of(std::span<const std::byte> bytes, base::BufferPool& pool);

/// A payload of `count` bytes, all zero (as is a zero of any element type), without other holders.
[[nodiscard]] fabric::Payload zeros(std::size_t count, base::BufferPool& pool);

/// The elements that bytes hold. REQUIRES: aligned, as payloads are.
template <class T>
[[nodiscard]] std::span<T> values_of(std::span<std::byte> bytes) noexcept {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <class T>
[[nodiscard]] std::span<const T> values_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace blockyard::server
