// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "blockyard/aces/constants.h"
#include "blockyard/aces/dat/dat_job.h"
#include "blockyard/aces/fragments.h"
#include "blockyard/base/text.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/words.h"
#include "blockyard/job/basis_guess.h"
#include "blockyard/job/constants.h"
#include "blockyard/job/guess.h"
#include "blockyard/job/program_file.h"
#include "blockyard/method/methods.h"
#include "blockyard/super/general.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::job {

namespace {

/// The memory of the process besides blocks: code, basis, integral engines. The promise leaves
/// 200 MB for it; a plan need not count more than what grows with the workers.
constexpr std::int64_t bytes_per_worker = std::int64_t{4} << 20;

int count_of(std::optional<int> given, int usual) { return std::max(1, given.value_or(usual)); }

int workers_of_process(const Job& job) {
  return job.workers / (job.processes - (job.serves_apart ? job.servers : 0));
}

std::int64_t memory_of(const Job& job) {
  return job.run.memory_bytes ? *job.run.memory_bytes : usual_memory(job).bytes;
}

/// Integrals of four virtual orbitals that would take most of the memory are made from those of
/// three indexes whenever they are needed, unless the user said what to do. Closed shells only.
input::MethodSpec choose_four_virtual(const input::Spec& spec, const Job& job) {
  input::MethodSpec method = spec.method.value_or(input::MethodSpec{});
  if (!job.chemistry->has_fitted_integrals() || job.chemistry->unrestricted ||
      method.ints.contains("four_virtual"))
    return method;
  const auto virtuals = static_cast<double>(job.chemistry->alpha.virtual_);
  const double bytes = std::pow(virtuals, 4) / 8 * sizeof(double);
  method.ints["four_virtual"] = bytes > 0.5 * static_cast<double>(memory_of(job)) ? 1 : 0;
  return method;
}

/// Returns the constants that the user need not give.
KnownConstants set_up_environment(const input::Spec& spec, Job& job) {
  worker::Environment& environment = job.environment;
  if (job.chemistry) {
    method::add_constants(*job.chemistry, choose_four_virtual(spec, job), environment);
    set_guess_constants(job);
  }
  // Programs of the user's own may want other segments than ours; those of the basis are what the
  // integrals are computed in.
  const bool is_own = !spec.programs.empty();
  if (job.chemistry && is_own) {
    const aces::AcesConstants aces =
        aces::aces_constants(*job.chemistry, spec.method.value_or(input::MethodSpec{}));
    for (const auto& [name, value] : aces.ints) environment.ints[name] = value;
    for (const auto& [name, value] : aces.scalars) environment.scalars[name] = value;
  }
  for (const auto& [kind, extents] : spec.segments.extents) {
    const bool is_ours = kind == array::IndexKind::mo || kind == array::IndexKind::la;
    if (!is_own && is_ours)
      throw base::Error(base::Errc::bad_input,
                        fmt::format("[segments] {}: a method chooses these itself",
                                    array::kind_names[static_cast<std::size_t>(kind)]));
    if (environment.segments.count(kind) == 0 || (is_own && kind != array::IndexKind::ao))
      environment.segments.set(kind, extents);
  }
  environment.arrays.insert(spec.arrays.begin(), spec.arrays.end());
  // Our programs declare an index over fitting functions even where there are none.
  if (job.chemistry && environment.segments.count(array::IndexKind::la) == 0)
    environment.segments.set(array::IndexKind::la, {1});
  if (spec.segments.subsegment) environment.segments.set_subsegment(*spec.segments.subsegment);
  return give_constants(spec, environment);
}

std::vector<std::string> our_programs(const Job& job) {
  const method::Chemistry& chemistry = *job.chemistry;
  return method::programs_of_method(
      job.method, {.unrestricted = chemistry.unrestricted,
                   .fitted = chemistry.has_fitted_integrals(),
                   .correlates = chemistry.has_excitations(),
                   .stability = job.environment.ints.at("stability") != 0,
                   .moments = job.environment.ints.at("oscillator_strengths") != 0});
}

/// False if a program has errors. Adds the programs' constants to `known`.
bool load_steps(const input::Spec& spec, const input::Places& places, KnownConstants& known,
                Prepared& prepared) {
  const bool is_ours = spec.programs.empty();
  const std::vector<std::string> names = is_ours ? our_programs(*prepared.job) : spec.programs;
  for (const std::string& name : names) {
    const std::string path = is_ours ? places.programs + "/" + name : name;
    LoadedProgram loaded = load_program(path, places);
    const bool is_good = loaded.program.has_value();
    // A warning about our own programs is nothing that a user can act on.
    if (!is_ours || !is_good)
      prepared.found.insert(prepared.found.end(), loaded.found.begin(), loaded.found.end());
    if (!is_good) return false;
    add_declared(*loaded.program, known);
    if (!is_ours) aces::give_all_orbitals(prepared.job->environment, *loaded.program);
    prepared.job->steps.push_back(
        {std::filesystem::path(path).stem().string(), std::move(*loaded.program)});
  }
  return true;
}

/// Gives the user's own programs what they need of a molecule besides constants.
void describe_molecule(const input::Spec& spec, Job& job) {
  const bool has_our_orbitals = std::ranges::any_of(
      job.steps, [](const Step& step) { return aces::wants_our_orbitals(step.program); });
  if (!has_our_orbitals && !spec.segments.extents.contains(array::IndexKind::mo))
    aces::set_aces_orbitals(*job.chemistry, job.environment);
  aces::dat::add_molecule_arrays(job.chemistry->system, job.environment);
}

/// The job with the molecule of its arrays, if it says no other.
input::Spec with_molecule(const input::Spec& given, Job& job) {
  input::Spec spec = given;
  if (spec.molecule || spec.programs.empty()) return spec;
  try {
    if (auto found = aces::dat::molecule_of_arrays(spec)) {
      spec.molecule = std::move(found->first);
      spec.basis = std::move(found->second);
    }
  } catch (const base::Error& error) {
    job.no_molecule = error.what();
  }
  return spec;
}

/// Stands in for super instructions that a program declares but that do not exist: executing one
/// throws an error that says what the molecule lacks.
void add_without_molecule(const Job& job, super::Table& table) {
  for (const Step& step : job.steps)
    for (const program::SpecialDecl& special : step.program.specials)
      if (table.find(special.name) == nullptr)
        table.add({special.name,
                   special.signature,
                   [reason = job.no_molecule](auto, const auto&) {
                     throw base::Error(base::Errc::bad_input,
                                       "it is not one of those that need no molecule, and the "
                                       "arrays of the job make none: " +
                                           reason);
                   },
                   {}});
}

/// Throws if programs of the user's own would leave effective core potentials out. REQUIRES: a
/// molecule.
void check_core_potentials(const Job& job) {
  if (job.chemistry->system.integrals.basis().cores.empty()) return;
  const auto declares = [&](std::string_view name) {
    return std::ranges::any_of(job.steps, [&](const Step& step) {
      return std::ranges::count(step.program.specials, name, &program::SpecialDecl::name) > 0;
    });
  };
  if (declares("return_1el_ecpints")) return;
  for (const std::string_view name :
       {"return_h1", "one_electron_attraction", "return_h1_moi", "return_h1frag"})
    if (declares(name))
      throw base::Error(base::Errc::bad_input,
                        fmt::format("the molecule has effective core potentials, which {} leaves "
                                    "out: the programs must add what return_1el_ecpints computes",
                                    name));
}

/// The worker that runs an iteration must not depend on timing.
void deal_out_beforehand(Job& job) {
  const auto fix = [](program::Policy& policy) {
    if (policy == program::Policy::dynamic || policy == program::Policy::locality)
      policy = program::Policy::balanced;
  };
  fix(job.run.pardo);
  for (Step& step : job.steps)
    for (program::PardoDecl& pardo : step.program.pardos) fix(pardo.policy);
}

MemoryPlan plan(const Job& job, std::int64_t total) {
  const int workers = workers_of_process(job);
  const std::int64_t taken = workers * bytes_per_worker;
  std::vector<ProgramNeed> needs = memory_needs(job);
  if (job.serves_apart) return plan_memory_apart(total, taken, workers, job.servers, needs);
  const std::int64_t processes = job.processes;
  for (ProgramNeed& program : needs)
    program.need.distributed_bytes = (program.need.distributed_bytes + processes - 1) / processes;
  return plan_memory(total, taken, workers, std::max(1, job.servers / job.processes), needs);
}

}  // namespace

UsualMemory usual_memory(const Job& job) {
  return usual_memory(job.granted ? *job.granted : granted_memory(job.processes_on_node),
                      workers_of_process(job) * tensor::blas::buffer_bytes);
}

MemoryPlan plan(const Job& job) {
  if (job.run.memory_bytes) return plan(job, *job.run.memory_bytes);
  const UsualMemory usual = usual_memory(job);
  try {
    return plan(job, usual.bytes);
  } catch (const base::Error& error) {
    if (error.code() != base::Errc::no_memory) throw;
    throw base::Error(error.code(),
                      fmt::format("{}\n  ({} without --memory, a part of {})", error.what(),
                                  base::format_bytes(usual.bytes), usual.source));
  }
}

void set_ranks(Job& job, std::optional<int> workers, std::optional<int> servers,
               const ProcessCount& processes) {
  const int workers_of_process = count_of(workers, processes.cores / processes.on_node);
  job.cores = processes.cores;
  job.processes = processes.all;
  job.processes_on_node = processes.on_node;
  job.granted = processes.granted;
  job.serves_apart = processes.all > 1 && servers.has_value();
  if (processes.all == 1) {
    job.workers = workers_of_process;
    job.servers = count_of(servers, 1);
    return;
  }
  job.servers = servers.value_or(processes.all);
  if (job.serves_apart && job.servers >= processes.all)
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} of {} processes are to serve only: that leaves none to work; "
                                  "use fewer --servers, or more processes",
                                  job.servers, processes.all));
  job.workers = workers_of_process * (processes.all - (job.serves_apart ? job.servers : 0));
}

Prepared prepare(const input::Spec& given, const input::Places& places,
                 const ProcessCount& processes, Embedding embedding) {
  input::check_spec(given);
  Prepared prepared;
  Job& job = prepared.job.emplace();
  input::Spec spec = with_molecule(given, job);
  aces::add_fragments(places, spec);
  job.title = spec.title;
  job.run = spec.run;
  job.embedding = std::move(embedding);
  job.run.device.plugins = places.plugins;
  if (spec.method) job.method = spec.method->name;
  if (!job.method.empty()) (void)method::programs_of_method(job.method);
  set_ranks(job, spec.run.workers, spec.run.servers, processes);
  if (spec.molecule) {
    input::Spec bounded = spec;
    bounded.run.memory_bytes = memory_of(job);
    job.chemistry = method::read_chemistry(bounded, places);
    aces::dat::check_molecule_arrays(spec, job.chemistry->system);
  }
  if (!input::guess_basis(spec.run.guess).empty()) {
    job.guess_job.push_back(prepare_guess(spec, places, processes));
    check_guess_atoms(job, job.guess_job.front().chemistry->system.molecule);
  }
  KnownConstants known = set_up_environment(spec, job);
  for (const std::string& path : spec.run.supers) job.libraries.emplace_back(path);
  if (!load_steps(spec, places, known, prepared)) {
    prepared.job.reset();
    return prepared;
  }
  check_constants(spec, job, known);
  if (job.chemistry && !spec.programs.empty()) {
    check_core_potentials(job);
    describe_molecule(spec, job);
  }
  (void)super_table(job);
  if (spec.run.deterministic) deal_out_beforehand(job);
  job.memory = plan(job);
  job.decisions = decisions_of(spec, job);
  return prepared;
}

aces::dat::ReadyJob ready_job(const Job& job) {
  aces::dat::ReadyJob ready{.is_own = job.method.empty(),
                            .programs = {},
                            .environment = job.environment,
                            .chemistry = job.chemistry ? &*job.chemistry : nullptr};
  for (const Step& step : job.steps) ready.programs.emplace_back(step.name, &step.program);
  return ready;
}

std::vector<ProgramNeed> memory_needs(const Job& job) {
  std::vector<ProgramNeed> needs;
  for (const Step& step : job.steps)
    needs.push_back(
        {step.name, flow::memory_need(step.program, flow::bind(step.program, job.environment))});
  return needs;
}

namespace {

std::vector<super::Declared> declared_specials(const Job& job) {
  std::vector<super::Declared> result;
  for (const Step& step : job.steps)
    for (const auto& special : step.program.specials)
      result.push_back({special.name, special.signature});
  return result;
}

}  // namespace

super::Table super_table(const Job& job) {
  super::Table table;
  super::add_general(table);
  if (job.chemistry)
    qc::add_chemistry(table, job.chemistry->system);
  else
    qc::add_algebra(table);
  const std::vector<super::Declared> declared = declared_specials(job);
  for (const super::Library& library : job.libraries) library.add_to(table, declared);
  for (const super::Entry& entry : job.embedding.supers) table.add(entry);
  if (!job.no_molecule.empty()) add_without_molecule(job, table);
  return table;
}

std::vector<std::string> super_instruction_names() {
  super::Table table;
  super::add_general(table);
  qc::add_algebra(table);
  return table.names();
}

}  // namespace blockyard::job
