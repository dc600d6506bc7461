// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "blockyard/server/lent.h"
#include "blockyard/super/super.h"
#include "blockyard/worker/worker.h"

namespace blockyard::job {

/// What a program that runs jobs in its own process (Python) gives to a run and takes from it. It
/// is not part of the job's bytes: each of several processes has its own, with the same names.
struct Embedding {
  std::vector<super::Entry> supers;  ///< called by all workers, also at the same time
  std::vector<server::Lent> lent;    ///< values of the labels in kept.distributed
  worker::Kept kept;                 ///< what every worker begins with, besides the job's own
  /// After the last program, on worker 0: takes what is kept from the servers.
  std::function<void(worker::Worker&)> collect;
  /// Its super instructions work on arrays of their own, and blocks are few: reuse_freed_memory.
  bool reuses_memory = false;
};

}  // namespace blockyard::job
