// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::job {

using base::Errc;
using base::Error;

namespace {

using Programs = std::vector<std::string>;

struct Method {
  std::string name;
  std::int64_t integral_kinds = 0;
  Programs restricted;
  Programs unrestricted;  ///< also for open shells
};

const std::vector<Method>& methods() {
  static const std::vector<Method> table = {
      {"scf", 1, {"scf_rhf"}, {"scf_uhf"}},
      {"mp2", 1, {"scf_rhf", "transform_rhf", "mp2_rhf"}, {"scf_uhf", "transform_uhf", "mp2_uhf"}},
      {"lccd", 4, {"scf_rhf", "transform_rhf", "mp2_rhf", "lccd_rhf"}, {}},
      {"lccsd", 4, {"scf_rhf", "transform_rhf", "mp2_rhf", "lccsd_rhf"}, {}},
      {"ccd", 4, {"scf_rhf", "transform_rhf", "mp2_rhf", "ccd_rhf"}, {}},
      {"ccsd",
       4,
       {"scf_rhf", "transform_rhf", "mp2_rhf", "ccsd_rhf"},
       {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf"}},
      {"ccsd-density",
       4,
       {"scf_rhf", "transform_rhf", "mp2_rhf", "ccsd_rhf", "lambda_rhf"},
       {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf", "lambda_uhf"}},
      {"ccsd(t)",
       4,
       {"scf_rhf", "transform_rhf", "mp2_rhf", "ccsd_rhf", "triples_rhf"},
       {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf", "triples_uhf"}},
      {"cis", 2, {"scf_rhf", "transform_rhf", "cis_rhf"}, {}},
      {"cis(d)", 3, {"scf_rhf", "transform_rhf", "mp2_rhf", "cis_rhf", "cis_d_rhf"}, {}},
      {"eom-ccsd",
       4,
       {"scf_rhf", "transform_rhf", "mp2_rhf", "cis_rhf", "ccsd_rhf", "eom_ccsd_rhf"},
       {"scf_uhf", "transform_uhf", "mp2_uhf", "ccsd_uhf", "eom_ccsd_uhf"}},
  };
  return table;
}

const Method* find_method(std::string_view name) {
  const auto found = std::ranges::find(methods(), name, &Method::name);
  return found == methods().end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> programs_of_method(const std::string& name, bool unrestricted,
                                            bool fitted) {
  const Method* method = find_method(name);
  if (method == nullptr) {
    std::vector<std::string> known;
    for (const Method& candidate : methods()) known.push_back(candidate.name);
    const std::string nearest = base::nearest_name(name, known);
    throw Error(Errc::bad_input,
                fmt::format("unknown method \"{}\"{}; known are: {}", name,
                            nearest.empty() ? "" : fmt::format(": did you mean \"{}\"?", nearest),
                            fmt::join(known, ", ")));
  }
  Programs programs = unrestricted ? method->unrestricted : method->restricted;
  if (programs.empty())
    throw Error(Errc::bad_input,
                fmt::format("method {} is for closed shells only: multiplicity 1 and not "
                            "unrestricted",
                            name));
  if (fitted) {
    std::ranges::replace(programs, "transform_rhf", "transform_fitted_rhf");
    std::ranges::replace(programs, "transform_uhf", "transform_fitted_uhf");
  }
  for (std::string& program : programs) program += ".sial";
  return programs;
}

std::int64_t integral_kinds(std::string_view name) {
  constexpr std::int64_t all = 4;
  const Method* method = find_method(name);
  return method == nullptr ? all : method->integral_kinds;
}

bool finds_excited_states(std::string_view method) {
  return method.starts_with("cis") || method.starts_with("eom");
}

}  // namespace blockyard::job
