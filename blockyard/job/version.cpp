// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/version.h"

namespace blockyard::job {

std::string_view version() noexcept { return BLOCKYARD_VERSION; }

}  // namespace blockyard::job
