// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "blockyard/base/buffer.h"
#include "blockyard/fabric/fabric.h"

namespace blockyard::server {

/// The values of a block in a payload.
[[nodiscard]] std::span<const double> values_of(const fabric::Payload& payload) noexcept;

/// The values to be changed in place: only if nobody but the caller holds the payload, else an
/// empty span.
[[nodiscard]] std::span<double> own_values_of(const fabric::Payload& payload) noexcept;

/// A payload of the same values as `values` that nobody else holds.
[[nodiscard]] fabric::Payload copy_of(std::span<const double> values, base::BufferPool& pool);

/// A payload of `count` zeros that nobody else holds.
[[nodiscard]] fabric::Payload zeros(std::size_t count, base::BufferPool& pool);

}  // namespace blockyard::server
