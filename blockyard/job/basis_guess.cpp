// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/basis_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/input/words.h"
#include "blockyard/job/guess.h"

namespace blockyard::job {

namespace {

using Arrays = std::map<std::string, worker::DenseArray, std::less<>>;

/// What decides how SCF of the job runs, and nothing else of its method.
input::MethodSpec scf_of(const input::MethodSpec& method) {
  constexpr std::array<std::string_view, 4> others = {"unrestricted", "reference", "level_shift",
                                                      "damping"};
  const auto is_other = [&](const auto& option) {
    return !option.first.starts_with("scf_") && std::ranges::count(others, option.first) == 0;
  };
  input::MethodSpec scf = method;
  scf.name = "scf";
  scf.frozen_core = 0;
  std::erase_if(scf.ints, is_other);
  std::erase_if(scf.scalars, is_other);
  return scf;
}

input::Spec spec_of_guess(const input::Spec& spec) {
  input::Spec guess;
  guess.title = spec.title;
  guess.molecule = spec.molecule;
  guess.basis.name = input::guess_basis(spec.run.guess);
  guess.basis.spherical = spec.basis.spherical;
  guess.method = scf_of(spec.method.value_or(input::MethodSpec{}));
  guess.run = spec.run;
  for (std::string* file :
       {&guess.run.guess, &guess.run.save, &guess.run.persistent, &guess.run.checkpoint_folder})
    file->clear();
  guess.run.checkpoint_seconds.reset();
  guess.run.supers.clear();
  guess.run.report = guess.run.has_trace = false;
  guess.run.device.kind = "none";
  return guess;
}

/// From the label in SCF to that of a guess. A job may have orbitals of each spin for its method
/// alone, as for triplets of EOM-CCSD: SCF in the other basis is then of a closed shell.
std::vector<std::pair<std::string, std::string>> labels(const Job& job) {
  const bool has_spins = job.guess_job.front().chemistry->unrestricted;
  const std::string alpha = has_spins ? "ca" : "cmo", beta = has_spins ? "cb" : "cmo";
  if (job.chemistry->unrestricted) return {{alpha, "guess_ca"}, {beta, "guess_cb"}};
  return {{alpha, "guess_mo_coefficients"}};
}

Arrays projected(const Job& job, const Results& results) {
  const qc::AoBasis& basis = job.guess_job.front().chemistry->system.integrals.basis();
  const auto& found = results.steps.front().outcome.arrays;
  Arrays arrays;
  for (const auto& [label, guess] : labels(job)) {
    const method::Orbitals& o = guess == "guess_cb" ? job.chemistry->beta : job.chemistry->alpha;
    arrays[guess] = start_orbitals(job, found.at(label), o.frozen + o.active_occupied, &basis);
  }
  return arrays;
}

/// The arrays of process 0, at all.
Arrays shared(const Job& job, const Results& results, fabric::MpiSession& session) {
  const auto bytes = fabric::share(&session, [&] {
    base::FieldWriter out;
    for (const auto& [label, array] : projected(job, results))
      out.fields(label, array.extents, array.values);
    return out.take();
  });
  base::FieldReader in(bytes);
  Arrays arrays;
  for (std::size_t k = 0; k < labels(job).size(); ++k) {
    std::string label;
    in.field(label);
    in.fields(arrays[label].extents, arrays[label].values);
  }
  return arrays;
}

}  // namespace

Job prepare_guess(const input::Spec& spec, const input::Places& places,
                  const ProcessCount& processes) try {
  Prepared prepared = prepare(spec_of_guess(spec), places, processes);
  base::require(prepared.job.has_value(), "the programs of SCF have no errors");
  return std::move(*prepared.job);
} catch (const base::Error& error) {
  throw base::Error(error.code(), fmt::format("the guess {}: {}", spec.run.guess, error.what()));
}

Arrays orbitals_of_guess(const Job& job, const Hooks& hooks, fabric::MpiSession* session) {
  if (job.guess_job.empty()) return {};
  Hooks silent;
  silent.stop_reason = hooks.stop_reason;
  silent.give_up = hooks.give_up;
  const Results results = run(job.guess_job.front(), silent, nullptr, session);
  return session == nullptr ? projected(job, results) : shared(job, results, *session);
}

}  // namespace blockyard::job
