// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace blockyard::python {

void bind_plans(nanobind::module_& module);

}  // namespace blockyard::python
