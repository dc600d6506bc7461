// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "blockyard/job/run.h"

namespace blockyard::report::detail {

using Json = nlohmann::ordered_json;

/// What a device did for a worker.
[[nodiscard]] Json device_json(const block::ResidencyCounts& counts);

/// The devices, and what each did in all programs for all workers.
[[nodiscard]] Json devices_json(const job::Results& results);

}  // namespace blockyard::report::detail
