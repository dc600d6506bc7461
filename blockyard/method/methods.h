// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The facts about each method and each of our programs. No other file compares the name of one
/// to decide something; a method is a record here, its programs and their page.
namespace blockyard::method {

/// The meaning of the option `triplets` for a method.
enum class Triplets : std::uint8_t {
  ignored,
  from_closed_shell,   ///< found with the orbitals of a closed shell
  from_spin_orbitals,  ///< of a closed shell, with orbitals of both spins
  refused,
};

struct Method {
  std::string_view name;
  std::string_view gives{};
  /// Which integrals over correlated orbitals it needs: 1 (ia|jb), 2 also (ij|ab), 3 all but those
  /// of four virtual orbitals, 4 all.
  std::int64_t integral_kinds = 4;
  /// Its programs in order: files in the folder of our programs, without ending.
  std::vector<std::string> restricted{};
  std::vector<std::string> unrestricted{};  ///< also for open shells; empty: closed shells only
  bool iterates_amplitudes = true;          ///< a guess may have amplitudes for it
  bool is_correlated = true;                ///< works with more than the orbitals of SCF
  bool takes_semicanonical = true;          ///< orbitals of reference = "rohf"
  bool finds_excited_states = false;        ///< the option `roots` means something
  /// The lowest states of single excitations may lie in another order, and others below them.
  bool reorders_states = false;
  Triplets triplets = Triplets::ignored;
  /// The programs for transition moments, where those are separate.
  std::vector<std::string> moments{};
  std::vector<std::string> unrestricted_moments{};
};

/// All of them, in the order of their cost.
[[nodiscard]] const std::vector<Method>& methods();

/// The record of a method; of programs of the user (""), and of a name that is not known, one that
/// asks for all integrals and refuses nothing.
[[nodiscard]] const Method& method_named(std::string_view name);

/// How a method is used in a job.
struct MethodUse {
  bool unrestricted = false;
  bool fitted = false;     ///< correlated integrals come from those of three indexes
  bool correlates = true;  ///< false: only the SCF of the method runs
  bool stability = false;  ///< the solution of SCF is checked
  bool moments = false;    ///< also between the ground and excited states of EOM-CCSD
};

/// The files in the folder of our programs that make up a method, in order.
/// Throws Error{bad_input} that names the nearest method, or that the method has no such form.
[[nodiscard]] std::vector<std::string> programs_of_method(std::string_view method,
                                                          const MethodUse& use = {});

/// The hint for a program that has not converged.
struct ConvergenceHint {
  std::string_view program;  ///< how its name begins
  std::string_view what;     ///< that did not converge, after the name of the program
  std::string_view option;   ///< the most iterations
  std::string_view advice;
  bool goes_on = false;  ///< a later job can start from what it saved
};

/// For programs that no record names: that of the amplitudes.
[[nodiscard]] const ConvergenceHint& convergence_hint(std::string_view program);

}  // namespace blockyard::method
