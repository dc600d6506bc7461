// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::job {

/// The files in the folder of our programs that make up a method, in order.
/// fitted: integrals over correlated orbitals come from those of three indexes.
/// Throws Error{bad_input} that names the nearest method, or that the method has no such form.
[[nodiscard]] std::vector<std::string> programs_of_method(const std::string& method,
                                                          bool unrestricted, bool fitted = false);

/// Which integrals over correlated orbitals a method needs: 1 (ia|jb), 2 also (ij|ab), 3 all but
/// those of four virtual orbitals, 4 all; for programs of the user ("") all.
[[nodiscard]] std::int64_t integral_kinds(std::string_view method);

/// Whether the option `roots` means something for it.
[[nodiscard]] bool finds_excited_states(std::string_view method);

}  // namespace blockyard::job
