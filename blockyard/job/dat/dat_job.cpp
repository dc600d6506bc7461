// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/dat/dat_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "blockyard/base/error.h"
#include "blockyard/job/dat/molecule.h"
#include "blockyard/job/find_program.h"

namespace blockyard::job::dat {

using base::Errc;
using base::Error;

namespace {

/// Names of int arrays with the sizes of the segments, for super instructions that look there.
constexpr std::array<std::pair<std::string_view, array::IndexKind>, 2> segment_arrays = {
    {{"moa_seg_ranges", array::IndexKind::moa}, {"mob_seg_ranges", array::IndexKind::mob}}};

/// With a molecule these follow the segments of the run.
bool is_segment_array(std::string_view name) {
  return std::ranges::any_of(segment_arrays, [&](const auto& one) { return one.first == name; });
}

std::int32_t narrow(std::int64_t value, std::string_view name) {
  if (value > INT32_MAX || value < INT32_MIN)
    throw Error(Errc::bad_input,
                fmt::format("{} = {} does not fit the 32 bits of a .dat file", name, value));
  return static_cast<std::int32_t>(value);
}

worker::DenseArray as_doubles(const Array<std::int32_t>& ints) {
  return {ints.extents, {ints.values.begin(), ints.values.end()}};
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
    Array<std::int32_t>& sizes = file.int_arrays[std::string(name)];
    sizes.extents = {std::ssize(found->second)};
    for (const Extent extent : found->second) sizes.values.push_back(narrow(extent, name));
  }
}

void check_programs(const DatFile& content, const Spec& spec, const std::string& folder) {
  for (std::size_t k = 0; k < spec.programs.size(); ++k)
    if (!std::filesystem::exists(spec.programs[k]))
      throw Error(Errc::bad_input,
                  fmt::format("program \"{}\" has no source (.sialx, .sial) in {}; --programs DIR "
                              "names the folder of the programs",
                              content.programs[k], folder));
}

}  // namespace

Spec make_spec(const DatFile& file, const std::string& folder) {
  Spec spec;
  for (const std::string& program : file.programs)
    spec.programs.push_back(find_program(folder, program));
  spec.ints.insert(file.ints.begin(), file.ints.end());
  spec.scalars = file.scalars;
  spec.segments.extents = file.segments;
  auto molecule = read_molecule(file);
  if (molecule) {
    spec.molecule = std::move(molecule->first);
    spec.basis = std::move(molecule->second);
  }
  for (const auto& [name, array] : file.scalar_arrays)
    if (!spec.molecule || !is_molecule_name(name))
      spec.arrays[name] = {array.extents, array.values};
  for (const auto& [name, array] : file.int_arrays)
    if (!spec.molecule || !(is_molecule_name(name) || is_segment_array(name)))
      spec.arrays.try_emplace(name, as_doubles(array));
  return spec;
}

Spec read_dat_job(const std::string& path, const std::string& folder) {
  const std::filesystem::path file(path);
  const DatFile content = read_dat_file(path);
  try {
    const std::string from = folder.empty() ? file.parent_path().string() : folder;
    Spec spec = make_spec(content, from);
    check_programs(content, spec, from.empty() ? "the working folder" : from);
    spec.title = file.stem().string();
    return spec;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

DatFile make_dat(const Job& job) {
  DatFile file;
  for (const Step& step : job.steps) file.programs.push_back(step.name + ".siox");
  for (const auto& [name, value] : job.environment.ints) file.ints[name] = narrow(value, name);
  file.scalars = job.environment.scalars;
  put_segments(job.environment.segments, file);
  put_segment_arrays(file);
  if (job.chemistry) {
    const qc::System& system = job.chemistry->system;
    write_molecule(system.molecule, system.integrals.basis(), file);
  }
  for (const auto& [name, array] : job.environment.arrays)
    if (!file.int_arrays.contains(name))
      file.scalar_arrays.try_emplace(name, Array<double>{array.extents, array.values});
  return file;
}

void add_molecule_arrays(const qc::System& system, worker::Environment& environment) {
  DatFile file;
  put_segments(environment.segments, file);
  put_segment_arrays(file);
  write_molecule(system.molecule, system.integrals.basis(), file);
  for (const auto& [name, array] : file.scalar_arrays)
    environment.arrays.try_emplace(name, worker::DenseArray{array.extents, array.values});
  for (const auto& [name, array] : file.int_arrays)
    environment.arrays.try_emplace(name, as_doubles(array));
}

}  // namespace blockyard::job::dat
