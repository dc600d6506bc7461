// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/dat_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "blockyard/aces/constants.h"
#include "blockyard/aces/dat/molecule.h"
#include "blockyard/base/error.h"
#include "blockyard/input/find_program.h"

namespace blockyard::aces::dat {

using base::Errc;
using base::Error;

namespace {

worker::DenseArray as_doubles(const Array<std::int32_t>& ints) {
  return {ints.extents, {ints.values.begin(), ints.values.end()}};
}

/// Int arrays for super instructions that look for segments there: the sizes of those of orbitals;
/// of the basis, the last function of each.
constexpr std::array<std::pair<std::string_view, array::IndexKind>, 4> segment_arrays = {
    {{"ao_seg_ranges", array::IndexKind::ao},
     {"mo_seg_ranges", array::IndexKind::mo},
     {"moa_seg_ranges", array::IndexKind::moa},
     {"mob_seg_ranges", array::IndexKind::mob}}};

bool is_int(const input::Spec& spec, std::string_view name) {
  return spec.int_arrays.contains(name) || is_int_name(name) ||
         std::ranges::find(segment_arrays, name, [](const auto& one) { return one.first; }) !=
             segment_arrays.end();
}

void put_array(const std::string& name, const worker::DenseArray& array, bool has_ints,
               DatFile& file) {
  if (!has_ints) {
    file.scalar_arrays[name] = {array.extents, array.values};
    return;
  }
  Array<std::int32_t>& ints = file.int_arrays[name];
  ints.extents = array.extents;
  for (const double value : array.values) {
    if (value != std::round(value))
      throw Error(Errc::bad_input, fmt::format("int array {} has the value {}", name, value));
    ints.values.push_back(narrow(static_cast<std::int64_t>(value), name));
  }
}

void put_segments(const array::Segments& segments, DatFile& file) {
  for (std::size_t k = 1; k < array::kind_count; ++k) {
    const auto kind = static_cast<array::IndexKind>(k);
    const auto extents = segments.extents(kind);
    if (!extents.empty()) file.segments[kind] = {extents.begin(), extents.end()};
  }
}

void put_segment_arrays(DatFile& file) {
  for (const auto& [name, kind] : segment_arrays) {
    const auto found = file.segments.find(kind);
    if (found == file.segments.end()) continue;
    Array<std::int32_t>& numbers = file.int_arrays[std::string(name)];
    numbers.extents = {std::ssize(found->second)};
    Extent sum = 0;
    for (const Extent extent : found->second) {
      sum += extent;
      numbers.values.push_back(narrow(kind == array::IndexKind::ao ? sum : extent, name));
    }
  }
}

/// The constants and arrays of a job, as a file has them.
DatFile file_of(const input::Spec& spec) {
  DatFile file;
  for (const auto& [name, value] : spec.ints) file.ints[name] = narrow(value, name);
  file.scalars = spec.scalars;
  for (const auto& [name, array] : spec.arrays) put_array(name, array, is_int(spec, name), file);
  return file;
}

/// Programs of the user's own: what a file tells them, and not all that ours would want to know.
template <class Map>
void keep_wanted(const std::set<std::string, std::less<>>& wanted, Map& constants) {
  std::erase_if(constants, [&](const auto& one) { return !wanted.contains(one.first); });
}

/// Names that a file of programs of the user's own has: what the job gives, what ACES gives, and
/// what the programs ask for.
std::set<std::string, std::less<>> wanted_names(const ReadyJob& job, const input::Spec& spec) {
  std::set<std::string, std::less<>> wanted;
  const auto add = [&](const auto& map) {
    for (const auto& one : map) wanted.insert(one.first);
  };
  add(spec.ints);
  add(spec.scalars);
  for (const auto& [name, program] : job.programs) {
    for (const program::IntDecl& one : program->ints) wanted.insert(one.name);
    for (const program::ScalarDecl& one : program->scalars) wanted.insert(one.name);
  }
  if (!job.chemistry) return wanted;
  const AcesConstants known =
      aces_constants(*job.chemistry, spec.method.value_or(input::MethodSpec{}));
  add(known.ints);
  add(known.scalars);
  return wanted;
}

}  // namespace

input::Spec make_spec(const DatFile& content) {
  DatFile file = content;
  input::Spec spec;
  std::optional<std::pair<input::MoleculeSpec, input::BasisSpec>> molecule;
  try {
    if (has_basis(file)) molecule = read_molecule(file);
  } catch (const Error&) {
    // A run whose programs need it says what is wrong: see molecule_of_arrays.
  }
  if (molecule) {
    complete_molecule(file);
    spec.molecule = std::move(molecule->first);
    spec.basis = std::move(molecule->second);
    DatFile again;
    again.segments = file.segments;
    put_segment_arrays(again);
    for (const auto& [name, array] : again.int_arrays)
      if (const auto found = file.int_arrays.find(name);
          found != file.int_arrays.end() && found->second == array)
        file.int_arrays.erase(found);
  }
  spec.ints.insert(file.ints.begin(), file.ints.end());
  spec.scalars = file.scalars;
  spec.segments.extents = file.segments;
  spec.configuration = file.configuration;
  for (const auto& [name, array] : file.scalar_arrays)
    spec.arrays[name] = {array.extents, array.values};
  for (const auto& [name, array] : file.int_arrays)
    if (spec.arrays.try_emplace(name, as_doubles(array)).second) spec.int_arrays.insert(name);
  return spec;
}

std::optional<std::pair<input::MoleculeSpec, input::BasisSpec>> molecule_of_arrays(
    const input::Spec& spec) {
  const DatFile file = file_of(spec);
  if (!has_basis(file)) return std::nullopt;
  return read_molecule(file);
}

void check_molecule_arrays(const input::Spec& spec, const qc::System& system) {
  const DatFile file = file_of(spec);
  if (has_basis(file)) check_same_molecule(file, system.molecule, system.integrals.basis());
}

input::Spec read_dat_job(const std::string& path, const std::vector<std::string>& folders) {
  const std::filesystem::path file(path);
  const DatFile content = read_dat_file(path);
  try {
    input::Spec spec = make_spec(content);
    for (const std::string& program : content.programs) {
      spec.programs.push_back(folders.empty()
                                  ? input::find_program(file.parent_path().string(), program)
                                  : input::find_program_below(folders, program));
      if (!std::filesystem::exists(spec.programs.back()))
        throw Error(Errc::bad_input,
                    fmt::format("program \"{}\" has no source (.sialx, .sial) in the folder of the "
                                "file; --programs DIR names the folder of the programs",
                                program));
    }
    spec.title = file.stem().string();
    return spec;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

DatFile make_dat(const ReadyJob& job, const input::Spec& spec) {
  DatFile file;
  for (const auto& [name, program] : job.programs)
    file.programs.push_back(fmt::format("{}.siox", name));
  for (const auto& [name, value] : job.environment.ints) file.ints[name] = narrow(value, name);
  file.scalars = job.environment.scalars;
  put_segments(job.environment.segments, file);
  if (job.is_own && !spec.segments.extents.contains(array::IndexKind::la))
    file.segments.erase(array::IndexKind::la);
  worker::Environment environment = job.environment;
  if (job.chemistry) {
    const qc::System& system = job.chemistry->system;
    add_molecule_arrays(system, environment);
    DatFile molecule;  // its numbers, which go with its arrays; own programs have them already
    write_molecule(system.molecule, system.integrals.basis(), molecule);
    file.ints.merge(molecule.ints);
  }
  for (const auto& [name, array] : environment.arrays)
    put_array(name, array, is_int(spec, name), file);
  if (job.is_own) {
    const auto wanted = wanted_names(job, spec);
    keep_wanted(wanted, file.ints);
    keep_wanted(wanted, file.scalars);
  }
  file.configuration = spec.configuration;
  return file;
}

void add_molecule_arrays(const qc::System& system, worker::Environment& environment) {
  DatFile file;
  put_segments(environment.segments, file);
  put_segment_arrays(file);
  const auto& given = environment.arrays;
  if (!given.contains("alphas") && !given.contains("ivangmom"))
    write_molecule(system.molecule, system.integrals.basis(), file);
  for (const auto& [name, array] : file.scalar_arrays)
    environment.arrays.try_emplace(name, worker::DenseArray{array.extents, array.values});
  for (const auto& [name, array] : file.int_arrays)
    environment.arrays.try_emplace(name, as_doubles(array));
}

}  // namespace blockyard::aces::dat
