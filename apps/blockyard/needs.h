// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/job/job.h"

namespace blockyard::app {

/// Warns of a job that may need more memory or room on disk than there is.
void warn_of_needs(const job::Job& job);

}  // namespace blockyard::app
