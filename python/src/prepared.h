// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/src/bindings.h"

namespace blockyard::python {

/// A job compiled and checked, with its super instructions in Python: (name, signature, types,
/// function, text in OpenCL C, text in CUDA C++) each. Null: a program has errors. What the
/// compiler found is added to `found`, as JSON and for people. Collective where there are
/// processes.
[[nodiscard]] std::shared_ptr<PyJob> prepare(const input::Spec& spec, const input::Places& places,
                                             const nb::list& supers, nb::list& found,
                                             std::shared_ptr<PyProcesses> processes);

}  // namespace blockyard::python
