// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/flow/environment.h"

namespace blockyard::worker {

using array::DenseArray;
using base::Extent;
using flow::Environment;
using flow::Kept;
using flow::KeptScalar;

}  // namespace blockyard::worker
