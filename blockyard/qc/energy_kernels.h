// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "blockyard/super/device_form.h"

namespace blockyard::qc {

/// The device form of divide_by_energies (denominators.h): operands t and fock, and where
/// `has_shift` the shift; fock is a matrix, of which the diagonal counts, or has one index.
[[nodiscard]] std::shared_ptr<const super::DeviceForm> dividing_form(bool has_shift);

/// That of multiply_by_energies: operands t and fock.
[[nodiscard]] std::shared_ptr<const super::DeviceForm> multiplying_form();

}  // namespace blockyard::qc
