// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/job_bytes.h"

#include <type_traits>

#include "blockyard/base/fields.h"
#include "blockyard/program/file.h"

namespace blockyard::job {

using base::Extent;

namespace {

// Each template lists the fields of one struct, for writing (Stream = FieldWriter) and reading.

template <class Stream, class Basis>
void basis_fields(Stream& stream, Basis& basis) {
  stream.fields(basis.spherical, basis.function_count);
  stream.each(basis.shells, [&](auto& shell) {
    stream.fields(shell.atom, shell.center_bohr, shell.contraction.angular_momentum,
                  shell.contraction.exponents, shell.contraction.coefficients, shell.first_function,
                  shell.function_count);
  });
  stream.each(basis.cores, [&](auto& placed) {
    stream.fields(placed.atom, placed.center_bohr, placed.core.electrons);
    stream.each(placed.core.parts, [&](auto& part) {
      stream.fields(part.angular_momentum, part.powers, part.exponents, part.coefficients);
    });
  });
}

template <class Stream, class AnyOrbitals>
void orbital_fields(Stream& stream, AnyOrbitals& o) {
  stream.fields(o.frozen, o.active_occupied, o.virtual_, o.segments, o.frozen_segments,
                o.occupied_segments, o.virtual_segments);
}

template <class Stream, class AnyChemistry>
void chemistry_fields(Stream& stream, AnyChemistry& c) {
  stream.fields(c.basis_name, c.auxiliary_name, c.electrons, c.unrestricted);
  orbital_fields(stream, c.alpha);
  orbital_fields(stream, c.beta);
  stream.fields(c.system.segments.extents, c.system.segments.shells);
  stream.fields(c.system.fitting.extents, c.system.fitting.shells);
}

template <class Stream, class Run>
void run_fields(Stream& stream, Run& run) {
  stream.fields(run.workers, run.servers, run.memory_bytes, run.scratch, run.persistent, run.guess,
                run.save, run.supers, run.pardo, run.check, run.deterministic, run.seed,
                run.checkpoint_folder, run.checkpoint_seconds, run.prefetch, run.fabric_delay,
                run.report, run.has_trace);
  stream.fields(run.device.kind, run.device.count, run.device.memory_bytes, run.device.options,
                run.device.plugins, run.device.learns_placement, run.device.respects_hints,
                run.device.honours_intents, run.device.locks_pages, run.device.keeps_memory,
                run.device.streams, run.device.after_seconds, run.device.feeds_network);
}

template <class Stream, class AnyJob, class Run>
void job_fields(Stream& stream, AnyJob& job, Run& run) {
  stream.fields(job.title, job.method, job.no_molecule, job.workers, job.servers, job.processes,
                job.processes_on_node, job.cores, job.serves_apart, job.memory);
  stream.fields(job.environment.ints, job.environment.scalars, job.environment.restored,
                job.environment.persistent);
  run_fields(stream, run);
  stream.each(job.decisions, [&](auto& d) { stream.fields(d.what, d.choice, d.reason); });
}

void write_segments(base::FieldWriter& out, const array::Segments& segments) {
  for (std::size_t kind = 1; kind < array::kind_count; ++kind) {
    const auto extents = segments.extents(static_cast<array::IndexKind>(kind));
    out.field(std::vector<Extent>(extents.begin(), extents.end()));
  }
  out.field(segments.subsegment());
}

void read_segments(base::FieldReader& in, array::Segments& segments) {
  for (std::size_t kind = 1; kind < array::kind_count; ++kind) {
    std::vector<Extent> extents;
    in.field(extents);
    if (!extents.empty()) segments.set(static_cast<array::IndexKind>(kind), std::move(extents));
  }
  Extent subsegment = 1;
  in.field(subsegment);
  segments.set_subsegment(subsegment);
}

void write_arrays(base::FieldWriter& out, const worker::Environment& environment) {
  out.field(std::uint64_t{environment.arrays.size()});
  for (const auto& [name, array] : environment.arrays)
    out.fields(name, array.extents, array.values, array.type);
}

void read_arrays(base::FieldReader& in, worker::Environment& environment) {
  std::uint64_t count = 0;
  for (in.field(count); count > 0; --count) {
    std::string name;
    in.field(name);
    worker::DenseArray& array = environment.arrays[name];
    in.fields(array.extents, array.values, array.type);
  }
}

method::Chemistry read_chemistry_bytes(base::FieldReader& in) {
  qc::AoBasis basis, auxiliary;
  basis_fields(in, basis);
  basis_fields(in, auxiliary);
  qc::Molecule molecule;
  in.fields(molecule.atoms, molecule.charge, molecule.multiplicity);
  method::Chemistry chemistry{
      .system = {molecule, qc::Integrals(molecule, std::move(basis), {}, std::move(auxiliary)), {}},
      .basis_name = {},
      .auxiliary_name = {},
      .alpha = {},
      .beta = {}};
  in.each(chemistry.system.pivots, [&](auto& pair) { in.fields(pair.first, pair.second); });
  chemistry_fields(in, chemistry);
  return chemistry;
}

}  // namespace

std::vector<std::byte> encode(const Job& job) { return encode(job, job.run); }

std::vector<std::byte> encode(const Job& job, const input::RunSpec& run) {
  base::FieldWriter out;
  job_fields(out, job, run);
  write_segments(out, job.environment.segments);
  write_arrays(out, job.environment);
  out.each(job.steps,
           [&](const Step& step) { out.fields(step.name, program::write(step.program)); });
  out.each(job.guess_job, [&](const Job& guess) { out.field(encode(guess)); });
  out.field(job.chemistry.has_value());
  if (job.chemistry) {
    const qc::System& system = job.chemistry->system;
    basis_fields(out, system.integrals.basis());
    basis_fields(out, system.integrals.auxiliary());
    out.fields(system.molecule.atoms, system.molecule.charge, system.molecule.multiplicity);
    out.each(system.pivots, [&](const auto& pair) { out.fields(pair.first, pair.second); });
    chemistry_fields(out, *job.chemistry);
  }
  return out.take();
}

Job decode_job(std::span<const std::byte> bytes) {
  base::FieldReader in(bytes);
  Job job;
  job_fields(in, job, job.run);
  read_segments(in, job.environment.segments);
  read_arrays(in, job.environment);
  in.each(job.steps, [&](Step& step) {
    std::vector<std::byte> program;
    in.fields(step.name, program);
    step.program = program::read(program);
  });
  in.each(job.guess_job, [&](Job& guess) {
    std::vector<std::byte> of_guess;
    in.field(of_guess);
    guess = decode_job(of_guess);
  });
  bool has_chemistry = false;
  in.field(has_chemistry);
  if (has_chemistry) job.chemistry.emplace(read_chemistry_bytes(in));
  for (const std::string& path : job.run.supers) job.libraries.emplace_back(path);
  return job;
}

}  // namespace blockyard::job
