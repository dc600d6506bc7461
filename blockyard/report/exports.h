// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/job/run.h"

/// Files for other programs, from the results of a method.
namespace blockyard::report {

/// "homo=h.cube": which part of the SCF wave function goes into which file.
struct CubeWish {
  std::string what;  ///< homo, lumo, density, spin, or the number of an orbital: 5, beta 5b
  std::string file;
};

/// Throws Error{bad_input} unless the text is WHAT=FILE with one of those words.
[[nodiscard]] CubeWish parse_cube(std::string_view text);

struct Exports {
  std::string molden;  ///< files; empty: not wanted
  std::string fcidump;
  std::string qcschema;
  std::vector<CubeWish> cubes;
  [[nodiscard]] bool wants_orbitals() const {
    return !molden.empty() || !fcidump.empty() || !cubes.empty();
  }
};

/// Before the run: throws Error{bad_input} for results this job does not have.
void check_exports(const job::Job& job, const Exports& wanted);

/// The texts of the files. REQUIRES: check_exports.
[[nodiscard]] std::string molden_of(const job::Job& job, const job::Results& results);
[[nodiscard]] std::string fcidump_of(const job::Job& job, const job::Results& results);
[[nodiscard]] std::string cube_of(const job::Job& job, const job::Results& results,
                                  const CubeWish& wish);

}  // namespace blockyard::report
