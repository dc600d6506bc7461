// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "blockyard/job/keep.h"
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

std::string guess_label(const std::string& label) { return "guess_" + label; }

/// Those arrays that the file holds. Throws if it cannot be a start of this job.
std::vector<Saved> arrays_of_file(const Job& job, const store::PersistReader& reader) {
  const std::string& path = job.run.guess;
  const std::vector<std::string> there = reader.arrays();
  std::vector<Saved> found;
  for (Saved& saved : saved_arrays(*job.chemistry)) {
    if (std::ranges::find(there, saved.label) == there.end()) continue;
    const auto has = lengths(reader.describe(saved.label).segments);
    const auto wants = lengths(saved.segments);
    if (has != wants)
      throw Error(Errc::bad_input,
                  fmt::format("the guess {} does not fit this job: its {} is {}, here it is {}; a "
                              "guess comes from the same molecule, basis, charge, multiplicity and "
                              "frozen core",
                              path, saved.label, fmt::join(has, " x "), fmt::join(wants, " x ")));
    found.push_back(std::move(saved));
  }
  if (found.empty() || found.front().role != Role::orbitals)
    throw Error(
        Errc::bad_input,
        fmt::format("the guess {} holds no orbitals of {} reference; it was not written by "
                    "--save of a job like this",
                    path, job.chemistry->unrestricted ? "an unrestricted" : "a restricted"));
  return found;
}

bool is_static(const Saved& saved) { return saved.segments.size() == 2; }

store::PersistReader open_guess(const Job& job) {
  if (!std::filesystem::exists(job.run.guess))
    throw Error(Errc::bad_input, fmt::format("no such guess file: {}", job.run.guess));
  return store::PersistReader(job.run.guess);
}

}  // namespace

void set_guess_constants(Job& job) {
  auto& ints = job.environment.ints;
  ints["orbital_guess"] = ints["amplitude_guess"] = ints["multiplier_guess"] = 0;
  if (job.run.guess.empty()) return;
  const store::PersistReader reader = open_guess(job);
  const std::vector<Saved> found = arrays_of_file(job, reader);
  ints["orbital_guess"] = 1;
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
  for (const Saved& saved : arrays_of_file(job, reader)) {
    if (is_static(saved))
      kept.arrays[guess_label(saved.label)] = read_dense(reader, saved.label);
    else
      kept.distributed[guess_label(saved.label)] = saved.segments;
  }
}

void load_guess(const Job& job, worker::Worker& worker) {
  const store::PersistReader reader = open_guess(job);
  for (const Saved& saved : arrays_of_file(job, reader))
    if (!is_static(saved))
      load_array(reader, saved.label, saved.segments, guess_label(saved.label), worker);
}

void save_guess(const Job& job, worker::Worker& worker) {
  worker::Kept kept;
  for (const Saved& saved : saved_arrays(*job.chemistry)) {
    const auto dense = worker.kept().arrays.find(saved.label);
    if (dense != worker.kept().arrays.end()) kept.arrays.insert(*dense);
    const auto blocks = worker.kept().distributed.find(saved.label);
    if (blocks != worker.kept().distributed.end()) kept.distributed.insert(*blocks);
  }
  write_arrays(job.run.save, kept, worker);
}

}  // namespace blockyard::job
