// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/payload.h"

#include <algorithm>
#include <memory>

namespace blockyard::server {

std::span<const double> values_of(const fabric::Payload& payload) noexcept {
  return {payload->as<double>(), payload->size() / sizeof(double)};
}

std::span<double> own_values_of(const fabric::Payload& payload) noexcept {
  if (!base::is_sole_holder(payload)) return {};
  // All payloads are made as plain buffers; const is the promise of those who share one.
  auto* buffer = const_cast<base::Buffer*>(payload.get());
  return {buffer->as<double>(), buffer->size() / sizeof(double)};
}

fabric::Payload copy_of(std::span<const double> values, base::BufferPool& pool) {
  auto buffer = std::make_shared<base::Buffer>(pool.allocate(values.size_bytes()));
  std::copy(values.begin(), values.end(), buffer->as<double>());
  return buffer;
}

fabric::Payload zeros(std::size_t count, base::BufferPool& pool) {
  auto buffer = std::make_shared<base::Buffer>(pool.allocate(count * sizeof(double)));
  std::fill_n(buffer->as<double>(), count, 0.0);
  return buffer;
}

}  // namespace blockyard::server
