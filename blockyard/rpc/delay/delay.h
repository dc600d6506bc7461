// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "blockyard/rpc/transport.h"

/// A slower link over a faster one, for measurements: what another network would make of it.
namespace blockyard::rpc::delay {

/// Of each direction by itself.
struct Pace {
  double latency_seconds = 0;
  double bytes_a_second = 0;  ///< 0: as fast as the link below
};

/// "100us,1.25GB/s": a time in s, ms or us, and after a comma bytes a second with decimal k, M or
/// G. Either may be left out. Throws Error{bad_input}.
[[nodiscard]] Pace parse_pace(std::string_view text);

/// Bytes arrive in both directions when they would over such a link; waiting takes no processor
/// time. At most what is under way on it, and 1 MiB, is held.
[[nodiscard]] std::unique_ptr<Transport> over(std::unique_ptr<Transport> inner, const Pace& pace);

}  // namespace blockyard::rpc::delay
