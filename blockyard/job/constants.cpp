// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/input/method_options.h"
#include "blockyard/input/settings.h"

namespace blockyard::job {

namespace {

using base::Errc;
using base::Error;

/// The only int that a super instruction of ours asks for where no program declares it:
/// eigen_calc_sqr_inv.
constexpr std::string_view asked_for = "lindep_tol";

bool is_option(std::string_view name) { return input::find_method_option(name) != nullptr; }

/// "--set roots", as the user gave it.
std::string place_of(const input::Spec& spec, const std::string& name) {
  const auto where = spec.asked.find(name);
  return where == spec.asked.end() ? fmt::format("the constant {}", name)
                                   : fmt::format("{} {}", where->second, name);
}

template <class Map>
void refuse_options(const input::Spec& spec, const Map& given) {
  for (const auto& [name, value] : given)
    if (is_option(name))
      throw Error(Errc::bad_input,
                  fmt::format("{}: this is an option of the method, from which the job is made: "
                              "give it as method.{}",
                              place_of(spec, name), name));
}

/// What the user may have meant by a name that the job does not know; empty: nothing like it.
std::string meant_by(const std::string& name, const KnownConstants& known) {
  std::string near = input::setting_named(name);
  if (!near.empty()) return near;
  near = base::nearest_name(name, std::vector(known.all.begin(), known.all.end()));
  return is_option(near) ? input::setting_named(near) : near;
}

/// Whether the user's scalar of this name can only be meant for an int. A .dat file may have more
/// constants than its programs declare, called as they are.
bool is_int(const input::Spec& spec, const Job& job, const KnownConstants& known,
            const std::string& name) {
  if (known.scalars.contains(name) || spec.ints.contains(name)) return false;
  if (spec.asked.contains(name)) return known.ints.contains(name) || name == asked_for;
  return std::ranges::any_of(job.steps, [&](const Step& step) {
    return std::ranges::any_of(step.program.ints, [&](const program::IntDecl& one) {
      return one.is_predefined && one.name == name;
    });
  });
}

}  // namespace

KnownConstants give_constants(const input::Spec& spec, worker::Environment& environment) {
  if (spec.programs.empty()) {
    refuse_options(spec, spec.ints);
    refuse_options(spec, spec.scalars);
  }
  KnownConstants known;
  for (const auto& one : environment.ints) known.ints.insert(one.first);
  for (const auto& one : environment.scalars) known.scalars.insert(one.first);
  known.all = known.ints;
  known.all.insert(known.scalars.begin(), known.scalars.end());
  for (const auto& [name, value] : spec.ints) {
    environment.ints[name] = value;
    if (known.scalars.contains(name)) environment.scalars[name] = static_cast<double>(value);
  }
  for (const auto& [name, value] : spec.scalars) environment.scalars[name] = value;
  return known;
}

void add_declared(const program::Program& program, KnownConstants& known) {
  const auto add = [&](const auto& declared, KnownConstants::Names& names) {
    for (const auto& one : declared) {
      if (!one.is_predefined) continue;
      names.insert(one.name);
      known.all.insert(one.name);
    }
  };
  add(program.ints, known.ints);
  add(program.scalars, known.scalars);
  known.all.insert(program.unused.begin(), program.unused.end());
}

void check_constants(const input::Spec& spec, const Job& job, const KnownConstants& known) {
  for (const auto& [name, value] : spec.scalars)
    if (is_int(spec, job, known, name))
      throw Error(Errc::bad_input, fmt::format("{} = {}: this constant is an int: give an integer",
                                               place_of(spec, name), value));
  if (!job.libraries.empty() || !job.embedding.supers.empty()) return;
  for (const auto& [name, where] : spec.asked) {
    if (known.all.contains(name) || name == asked_for) continue;
    const std::string near = meant_by(name, known);
    throw Error(Errc::bad_input,
                fmt::format("{} {}: the job has no predefined int or scalar of this name{}", where,
                            name, near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
}

}  // namespace blockyard::job
