// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/edge.h"
#include "plugins/device_cuda/machine.h"

using Edge = blockyard::plugin::Edge<blockyard::cuda::Machine>;
static_assert(Edge::locks_host && Edge::copies_peers);

const blockyard_device_table* blockyard_device_plugin(void) { return &Edge::table; }
