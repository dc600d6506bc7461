// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

/// Electrons by angular momentum: s, p, d, f.
namespace blockyard::qc {

/// Of the ground state of a free atom.
[[nodiscard]] std::array<int, 4> atomic_configuration(int atomic_number);

/// Of a core, of a noble gas or an effective one: the shells of the lowest principal quantum
/// numbers, but 5s and 5p before 4f in a core of 54.
[[nodiscard]] std::array<int, 4> core_configuration(int electrons);

}  // namespace blockyard::qc
