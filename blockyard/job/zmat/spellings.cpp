// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/zmat/spellings.h"

namespace blockyard::job::zmat {

const std::map<std::string, std::string>& other_spellings() {
  static const std::map<std::string, std::string> names = {{"calclevel", "calc"},
                                                           {"calc_level", "calc"},
                                                           {"calculation", "calc"},
                                                           {"calc_type", "calc"},
                                                           {"basis_set", "basis"},
                                                           {"basisset", "basis"},
                                                           {"spher", "spherical"},
                                                           {"chrg", "charge"},
                                                           {"cc_convergence", "cc_conv"},
                                                           {"cc_converge", "cc_conv"},
                                                           {"scf_convergence", "scf_conv"},
                                                           {"scf_converge", "scf_conv"},
                                                           {"cc_maxcycles", "cc_maxcyc"},
                                                           {"scf_maxcycles", "scf_maxcyc"},
                                                           {"cc_maxiter", "cc_maxcyc"},
                                                           {"scf_maxiter", "scf_maxcyc"},
                                                           {"drop_mo", "dropmo"},
                                                           {"drop", "dropmo"},
                                                           {"coordinate", "coordinates"},
                                                           {"damp_typ", "damp_type"},
                                                           {"damptyp", "damp_type"},
                                                           {"damptype", "damp_type"},
                                                           {"damping", "damp_type"},
                                                           {"guess_type", "guess"},
                                                           {"initial_guess", "guess"},
                                                           {"reference", "ref"},
                                                           {"multiplicty", "mult"},
                                                           {"multiplicity", "mult"},
                                                           {"cc_max_cycle", "cc_maxcyc"},
                                                           {"cc_maxcycle", "cc_maxcyc"},
                                                           {"scf_max_cycle", "scf_maxcyc"},
                                                           {"scf_maxcycle", "scf_maxcyc"},
                                                           {"coord", "coordinates"},
                                                           {"coords", "coordinates"},
                                                           {"symmetry", "sym"},
                                                           {"frozen_core", "frozen"},
                                                           {"core", "frozen"},
                                                           {"dropcore", "frozen"},
                                                           {"unit", "units"},
                                                           {"mem", "memory"},
                                                           {"memory_unit", "mem_unit"},
                                                           {"excitation", "excite"},
                                                           {"estate_symmetry", "estate_sym"},
                                                           {"props", "prop"},
                                                           {"property", "prop"},
                                                           {"memory_size", "memory"}};
  return names;
}

}  // namespace blockyard::job::zmat
