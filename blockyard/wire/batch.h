// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/wire/messages.h"

namespace blockyard::wire {

/// Small puts to one server on their way into one Batch. One thread.
class BatchWriter {
 public:
  void add(const Any& put, std::span<const std::byte> values);
  [[nodiscard]] std::size_t count() const noexcept { return batch_.head_bytes.size(); }
  [[nodiscard]] std::span<const std::byte> values() const noexcept { return values_; }
  /// The message; its payload is a copy of values(), made before. Empty
  /// afterwards, without memory: a worker has one of these for each server.
  [[nodiscard]] Batch take();

 private:
  Batch batch_;
  std::vector<std::byte> values_;
};

/// One put of a batch with its values (none for a scalar).
struct Part {
  Any put;
  std::span<const std::byte> values;  ///< within the payload
};

/// The puts in the order of sending. Throws Error{comm} where the lengths do not fit the bytes.
[[nodiscard]] std::vector<Part> parts(const Batch& batch, std::span<const std::byte> payload);

}  // namespace blockyard::wire
