// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace blockyard::qc {

inline constexpr int heaviest_element = 86;  // radon
inline constexpr int last_element = 118;     // oganesson

/// "H" of 1, "Kr" of 36. `atomic_number` is 1 .. heaviest_element.
[[nodiscard]] std::string_view element_symbol(int atomic_number);

/// Atomic number of a symbol in any letter case ("cl", "CL"), or nothing.
[[nodiscard]] std::optional<int> find_element(std::string_view symbol);

/// Atomic number of a symbol, or of the number itself ("8").
/// Throws Error{bad_input} that names the nearest symbol.
[[nodiscard]] int atomic_number(std::string_view symbol);

/// The same for the basis sets of any element: also Fr to Og, 87 to 118, which molecules here have
/// not.
[[nodiscard]] int any_atomic_number(std::string_view symbol);

/// Spatial orbitals of the noble gas core below the valence shell: 0 for H and He, 1 for Li to Ne,
/// 5 for Na to Ar, 9 for K to Kr, 18 for Rb to Xe, 27 for Cs to Rn.
[[nodiscard]] int core_orbitals(int atomic_number);

}  // namespace blockyard::qc
