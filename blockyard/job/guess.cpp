// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "blockyard/job/keep.h"
#include "blockyard/job/saved_basis.h"
#include "blockyard/method/methods.h"
#include "blockyard/qc/element.h"
#include "blockyard/qc/projection.h"
#include "blockyard/store/persist_file.h"

namespace blockyard::job {

using base::Errc;
using base::Error;
using base::Extent;

namespace {

using Segments = std::vector<std::vector<Extent>>;

enum class Role { orbitals, amplitudes, multipliers };

/// An array of sialib/README.md that is worth saving.
struct Saved {
  std::string label;
  Role role = Role::orbitals;
  Segments segments;  ///< of this job, index by index
};

std::vector<Extent> part(const method::Orbitals& orbitals, bool is_virtual) {
  const auto begin = orbitals.segments.begin() + orbitals.frozen_segments;
  const auto middle = begin + orbitals.occupied_segments;
  return is_virtual ? std::vector<Extent>(middle, orbitals.segments.end())
                    : std::vector<Extent>(begin, middle);
}

std::vector<Extent> joined(std::vector<Extent> first, const std::vector<Extent>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<Saved> saved_arrays(const method::Chemistry& chemistry) {
  const std::vector<Extent>& ao = chemistry.system.segments.extents;
  const method::Orbitals& alpha = chemistry.alpha;
  const method::Orbitals& beta = chemistry.beta;
  auto occupied = part(alpha, false), virtual_ = part(alpha, true);
  using enum Role;
  if (!chemistry.unrestricted)
    return {{"mo_coefficients", orbitals, {ao, alpha.segments}},
            {"cc_t1", amplitudes, {virtual_, occupied}},
            {"cc_t2", amplitudes, {virtual_, occupied, virtual_, occupied}},
            {"cc_l1", multipliers, {virtual_, occupied}},
            {"cc_l2", multipliers, {virtual_, occupied, virtual_, occupied}}};
  occupied = joined(std::move(occupied), part(beta, false));
  virtual_ = joined(std::move(virtual_), part(beta, true));
  return {{"ca", orbitals, {ao, alpha.segments}},
          {"cb", orbitals, {ao, beta.segments}},
          {"so_coefficients", amplitudes, {ao, joined(occupied, virtual_)}},
          {"so_t1", amplitudes, {virtual_, occupied}},
          {"so_t2", amplitudes, {virtual_, occupied, virtual_, occupied}},
          {"so_l1", multipliers, {virtual_, occupied}},
          {"so_l2", multipliers, {virtual_, occupied, virtual_, occupied}}};
}

std::vector<Extent> lengths(const Segments& segments) {
  std::vector<Extent> result;
  for (const auto& extents : segments)
    result.push_back(std::accumulate(extents.begin(), extents.end(), Extent{0}));
  return result;
}

std::string guess_label(const std::string& label) { return std::string(guess_prefix) + label; }

bool is_there(const store::PersistReader& reader, const std::string& label) {
  const std::vector<std::string> labels = reader.arrays();
  return std::ranges::find(labels, label) != labels.end();
}

/// Those arrays that the file holds and the method can start from. Throws if one of them has other
/// extents than here.
std::vector<Saved> arrays_of_file(const Job& job, const store::PersistReader& reader) {
  std::vector<Saved> found;
  for (Saved& saved : saved_arrays(*job.chemistry)) {
    if (saved.role != Role::orbitals && !method::method_named(job.method).iterates_amplitudes)
      continue;
    if (!is_there(reader, saved.label)) continue;
    const auto has = lengths(reader.describe(saved.label).segments);
    const auto wants = lengths(saved.segments);
    if (has != wants)
      throw Error(
          Errc::bad_input,
          fmt::format("the guess {} does not fit this job: its {} is {}, here it is {}; "
                      "amplitudes come from the same molecule, basis, charge, multiplicity "
                      "and frozen core",
                      job.run.guess, saved.label, fmt::join(has, " x "), fmt::join(wants, " x ")));
    found.push_back(std::move(saved));
  }
  return found;
}

/// Orbitals that a job starts from, and the label of those in a file that they come from.
struct Source {
  std::string to;
  std::string from;
  Extent occupied = 0;
};

/// Orbitals of the same reference, or those of the other one: a closed shell's for both spins, and
/// the alpha orbitals for a closed shell. Throws if the file has neither.
std::vector<Source> sources_of(const Job& job, const store::PersistReader& reader) {
  const auto occupied = [](const method::Orbitals& o) { return o.frozen + o.active_occupied; };
  const bool has_restricted = is_there(reader, "mo_coefficients");
  const bool has_unrestricted = is_there(reader, "ca") && is_there(reader, "cb");
  if (!has_restricted && !has_unrestricted)
    throw Error(Errc::bad_input, fmt::format("the guess {} holds no orbitals: it was not written "
                                             "by --save of a job with a method",
                                             job.run.guess));
  const bool is_restricted = job.chemistry->unrestricted ? !has_unrestricted : has_restricted;
  const auto from = [&](const char* unrestricted) {
    return is_restricted ? std::string("mo_coefficients") : std::string(unrestricted);
  };
  if (!job.chemistry->unrestricted)
    return {{"mo_coefficients", from("ca"), occupied(job.chemistry->alpha)}};
  return {{"ca", from("ca"), occupied(job.chemistry->alpha)},
          {"cb", from("cb"), occupied(job.chemistry->beta)}};
}

}  // namespace

void check_guess_atoms(const Job& job, const qc::Molecule& saved) {
  const auto& atoms = job.chemistry->system.molecule.atoms;
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::bad_input,
                fmt::format("the guess {} does not fit this molecule: {}", job.run.guess, why));
  };
  if (atoms.size() != saved.atoms.size())
    refuse(fmt::format("it has {} atoms, here there are {}", saved.atoms.size(), atoms.size()));
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    const auto [theirs, ours] = std::pair(saved.atoms[k], atoms[k]);
    if (theirs.atomic_number != ours.atomic_number)
      refuse(fmt::format("atom {} is {}, here it is {}", k + 1,
                         qc::element_symbol(theirs.atomic_number),
                         qc::element_symbol(ours.atomic_number)));
    if (theirs.core_electrons != ours.core_electrons)
      refuse(fmt::format("atom {} ({}) has an effective core of {} electrons, here of {}", k + 1,
                         qc::element_symbol(ours.atomic_number), theirs.core_electrons,
                         ours.core_electrons));
  }
}

namespace {

/// What a file offers a job.
struct Start {
  std::vector<Saved> arrays;        ///< as they are in the file
  std::vector<Source> orbitals;     ///< or only orbitals, of another basis or reference,
  std::optional<SavedBasis> basis;  ///< and the basis from which they are to be projected
};

/// Throws if the file cannot be a start of this job.
Start start_of(const Job& job, const store::PersistReader& reader) {
  std::vector<Source> sources = sources_of(job, reader);
  std::optional<SavedBasis> saved = read_basis_arrays(reader);
  const qc::AoBasis& here = job.chemistry->system.integrals.basis();
  const bool is_other_basis = saved && !have_same_functions(saved->basis, here);
  if (!is_other_basis) saved.reset();
  const bool is_other_reference =
      std::ranges::any_of(sources, [](const Source& s) { return s.from != s.to; });
  if (!is_other_basis && !is_other_reference) return {arrays_of_file(job, reader), {}, {}};
  if (saved) check_guess_atoms(job, saved->molecule);
  const Extent functions = saved ? saved->basis.function_count : here.function_count;
  for (const Source& source : sources) {
    const auto has = lengths(reader.describe(source.from).segments);
    if (has.size() != 2 || has[0] != functions || has[1] < source.occupied)
      throw Error(Errc::bad_input,
                  fmt::format("the guess {} does not fit this job: its {} is {}, which should hold "
                              "{} occupied orbitals over {} functions",
                              job.run.guess, source.from, fmt::join(has, " x "), source.occupied,
                              functions));
  }
  return {{}, std::move(sources), std::move(saved)};
}

bool is_static(const Saved& saved) { return saved.segments.size() == 2; }

store::PersistReader open_guess(const Job& job) {
  if (!std::filesystem::exists(job.run.guess))
    throw Error(Errc::bad_input, fmt::format("no such guess file: {}", job.run.guess));
  return store::PersistReader(job.run.guess);
}

}  // namespace

bool has_guess_file(const Job& job) { return !job.run.guess.empty() && job.guess_job.empty(); }

worker::DenseArray start_orbitals(const Job& job, worker::DenseArray orbitals, Extent occupied,
                                  const qc::AoBasis* basis) {
  const Extent functions = job.chemistry->basis_functions();
  orbitals.values.resize(static_cast<std::size_t>(orbitals.extents[0] * occupied));
  if (basis != nullptr)
    orbitals.values =
        qc::project_orbitals(job.chemistry->system.molecule, *basis,
                             job.chemistry->system.integrals.basis(), orbitals.values);
  orbitals.extents = {functions, functions};
  orbitals.values.resize(static_cast<std::size_t>(functions * functions));
  return orbitals;
}

void set_guess_constants(Job& job) {
  auto& ints = job.environment.ints;
  ints["orbital_guess"] = job.run.guess.empty() ? 0 : 1;
  ints["amplitude_guess"] = ints["multiplier_guess"] = 0;
  if (!has_guess_file(job)) return;
  const store::PersistReader reader = open_guess(job);
  const std::vector<Saved> found = start_of(job, reader).arrays;
  const std::vector<Saved> all = saved_arrays(*job.chemistry);
  const auto has_all = [&](Role role) {
    return std::ranges::count(found, role, &Saved::role) ==
           std::ranges::count(all, role, &Saved::role);
  };
  if (has_all(Role::amplitudes)) ints["amplitude_guess"] = 1;
  if (has_all(Role::amplitudes) && has_all(Role::multipliers)) ints["multiplier_guess"] = 1;
}

void read_guess(const Job& job, worker::Kept& kept) {
  const store::PersistReader reader = open_guess(job);
  const Start start = start_of(job, reader);
  for (const Saved& saved : start.arrays) {
    if (is_static(saved))
      kept.arrays[guess_label(saved.label)] = read_dense(reader, saved.label);
    else
      kept.distributed[guess_label(saved.label)] = saved.segments;
  }
  for (const Source& source : start.orbitals)
    kept.arrays[guess_label(source.to)] =
        start_orbitals(job, read_dense(reader, source.from), source.occupied,
                       start.basis ? &start.basis->basis : nullptr);
}

void load_guess(const Job& job, worker::Worker& worker) {
  const store::PersistReader reader = open_guess(job);
  for (const Saved& saved : start_of(job, reader).arrays)
    if (!is_static(saved))
      load_array(reader, saved.label, saved.segments, guess_label(saved.label), worker);
}

void save_guess(const Job& job, worker::Worker& worker) {
  worker::Kept kept;
  const qc::System& system = job.chemistry->system;
  kept.arrays = basis_arrays(system.molecule, system.integrals.basis());
  for (const Saved& saved : saved_arrays(*job.chemistry)) {
    const auto dense = worker.kept().arrays.find(saved.label);
    if (dense != worker.kept().arrays.end()) kept.arrays.insert(*dense);
    const auto blocks = worker.kept().distributed.find(saved.label);
    if (blocks != worker.kept().distributed.end()) kept.distributed.insert(*blocks);
  }
  write_arrays(job.run.save, kept, worker);
}

}  // namespace blockyard::job
