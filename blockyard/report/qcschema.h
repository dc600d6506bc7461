// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/job/run.h"

namespace blockyard::report {

/// The results of a method in QCSchema, version 1 ("qcschema_output"): an energy, and an error
/// where a method has not converged.
[[nodiscard]] std::string qcschema_text(const job::Job& job, const job::Results& results);

}  // namespace blockyard::report
