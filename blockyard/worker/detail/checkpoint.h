// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "blockyard/worker/checkpoint.h"
#include "blockyard/worker/detail/state.h"
#include "blockyard/worker/detail/transport.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// In place of Transport::meet: workers meet, and agree on the strongest wish of them all; on none
/// if one of them cannot take a checkpoint here.
[[nodiscard]] Wish meet_with_wish(Transport& transport, const Options& options, Collective kind,
                                  bool is_possible);

/// Collective among workers, with no put under way and no copies of blocks: servers and workers
/// write their files, then the checkpoint counts. `program` adds the state of the program, if there
/// is one. Throws Error{io}, and Error{comm} with the reason if the job is to stop.
void save(Transport& transport, const Options& options, Wish wish, const Kept& kept,
          const Environment& environment, const std::function<void(RecordSink&)>& program);

/// Collective among workers: servers take their blocks, the worker what it held. Returns whether
/// the state of a program follows in `from`.
[[nodiscard]] bool load(Transport& transport, const Options& options, const Resume& from,
                        Kept& kept, Environment& environment);

}  // namespace blockyard::worker::detail
