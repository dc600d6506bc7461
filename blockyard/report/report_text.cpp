// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "blockyard/base/decimal.h"
#include "blockyard/base/text.h"
#include "blockyard/job/method_results.h"
#include "blockyard/job/version.h"
#include "blockyard/qc/element.h"
#include "blockyard/qc/units.h"
#include "blockyard/report/detail/properties_text.h"
#include "blockyard/report/report.h"

namespace blockyard::report {

using base::Extent;

namespace {

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<10} {}\n", name, text);
}

/// "1 worker", "2 workers".
std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string print_orbitals(const method::Orbitals& orbitals, const std::string& title) {
  const std::span<const Extent> all = orbitals.segments;
  const auto frozen = static_cast<std::size_t>(orbitals.frozen_segments);
  const auto occupied = static_cast<std::size_t>(orbitals.occupied_segments);
  return line(title, fmt::format("{} frozen, {} active occupied, {} virtual in segments of {}",
                                 orbitals.frozen, orbitals.active_occupied, orbitals.virtual_,
                                 fmt::format("{}{}{} | {}", fmt::join(all.first(frozen), " "),
                                             frozen > 0 ? " | " : "",
                                             fmt::join(all.subspan(frozen, occupied), " "),
                                             fmt::join(all.subspan(frozen + occupied), " "))));
}

std::string print_chemistry(const method::Chemistry& chemistry) {
  const qc::Molecule& molecule = chemistry.system.molecule;
  std::string text = line(
      "molecule", fmt::format("{}: {}, charge {}, multiplicity {}, {}", formula(molecule),
                              counted(static_cast<std::int64_t>(molecule.atoms.size()), "atom"),
                              molecule.charge, molecule.multiplicity,
                              counted(chemistry.electrons, "electron")));
  text += line("basis",
               fmt::format("{}, {}: {} in segments of {}", chemistry.basis_name,
                           chemistry.system.integrals.basis().spherical ? "spherical" : "Cartesian",
                           counted(chemistry.basis_functions(), "function"),
                           fmt::join(chemistry.system.segments.extents, " ")));
  if (!chemistry.system.pivots.empty())
    text += line("integrals", fmt::format("correlated ones from {} Cholesky vectors",
                                          chemistry.system.pivots.size()));
  if (const auto& auxiliary = chemistry.system.integrals.auxiliary(); auxiliary.function_count > 0)
    text += line("integrals", fmt::format("correlated ones fitted by {}, {} functions",
                                          chemistry.auxiliary_name, auxiliary.function_count));
  if (!chemistry.unrestricted) return text + print_orbitals(chemistry.alpha, "orbitals");
  text += print_orbitals(chemistry.alpha, "alpha");
  text += print_orbitals(chemistry.beta, "beta");
  return text;
}

std::string print_memory(const job::Job& job) {
  const job::MemoryPlan& plan = job.memory;
  return fmt::format("{}: {} for each worker, {} for each server; arrays take at most {}",
                     base::format_bytes(plan.total_bytes), base::format_bytes(plan.worker_bytes),
                     base::format_bytes(plan.server_bytes),
                     base::format_bytes(plan.distributed_bytes));
}

/// "  5 -> 6 (0.69)  4 -> 6 (0.11)"
std::string print_leading(const std::vector<method::LeadingExcitation>& leading) {
  std::string text;
  for (const method::LeadingExcitation& one : leading)
    text += fmt::format("  {} -> {} ({})", one.from, one.to, base::decimal(one.amplitude, 2));
  return text;
}

std::string print_states(const method::Excitations& states) {
  std::string text =
      fmt::format("  {:<20} {:>20} {:>12}{}{}{}\n", states.title + " states", "hartree", "eV",
                  states.singles_part.empty() ? "" : "  part of singles",
                  states.oscillator.empty() ? "" : "  oscillator",
                  states.leading.empty() ? "" : "  from -> to (amplitude)");
  for (std::size_t k = 0; k < states.hartree.size(); ++k) {
    text += fmt::format("    {:<18} {:>20.10f} {:>12.4f}", k + 1, states.hartree[k],
                        states.hartree[k] * qc::ev_per_hartree);
    if (!states.singles_part.empty()) text += fmt::format("  {:>15.4f}", states.singles_part[k]);
    if (!states.oscillator.empty())
      text += fmt::format("  {:>10}", base::decimal(states.oscillator[k], 6));
    if (!states.leading.empty()) text += print_leading(states.leading[k]);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string formula(const qc::Molecule& molecule) {
  std::map<std::string_view, int> counts;
  for (const qc::Atom& atom : molecule.atoms)
    if (!atom.is_ghost) ++counts[qc::element_symbol(atom.atomic_number)];
  std::string text;
  const auto take = [&](std::string_view symbol) {
    const auto found = counts.find(symbol);
    if (found == counts.end()) return;
    text += symbol;
    if (found->second > 1) text += fmt::format("{}", found->second);
    counts.erase(found);
  };
  if (counts.contains("C")) {
    take("C");
    take("H");
  }
  while (!counts.empty()) take(counts.begin()->first);
  return text;
}

std::string print_input(const job::Job& job) {
  std::string text = fmt::format("blockyard {}\n", job::version());
  if (!job.title.empty()) text += line("title", base::showable(job.title));
  if (job.chemistry) text += print_chemistry(*job.chemistry);
  if (!job.method.empty()) text += line("method", job.method);
  if (const std::string note = job::note_of(job); !note.empty()) text += line("note", note);
  std::vector<std::string_view> names;
  for (const job::Step& step : job.steps) names.push_back(step.name);
  return text + line("programs", fmt::format("{}", fmt::join(names, ", ")));
}

std::string print_header(const job::Job& job) {
  std::string text = print_input(job);
  if (job.chemistry) text += detail::print_geometry(job.chemistry->system.molecule);
  text += line("ranks", counted(job.workers, "worker") + ", " + counted(job.servers, "server"));
  text += line("memory", print_memory(job));
  return text + "\n";
}

std::string print_summary(const job::Job& job, const job::Results& results) {
  std::string text = "\n";
  if (!job.method.empty()) {
    text += fmt::format("  {:<20} {:>20}\n",
                        results.unconverged.empty() ? "energies" : "NOT CONVERGED", "hartree");
    const method::MethodResults found = job::method_results(job, results);
    for (const method::Energy& energy : found.energies)
      text += fmt::format("    {:<18} {:>20}\n", energy.title, base::decimal(energy.hartree, 10));
    for (const method::Excitations& states : found.excitations) text += print_states(states);
    if (found.spin_square)
      text += fmt::format("  {:<20} {:>20}   exact {}\n", "<S^2>",
                          base::decimal(found.spin_square->value, 6),
                          base::decimal(found.spin_square->exact, 2));
    text += detail::print_properties(job, results);
  }
  text += fmt::format("  {:<20} {:>20}\n", "wall time", "seconds");
  for (const job::StepResult& step : results.steps)
    text += fmt::format("    {:<18} {:>20.2f}\n", step.name, step.seconds);
  text += fmt::format("    {:<18} {:>20.2f}\n", "all", results.seconds);
  return text + line("peak rss", base::format_bytes(results.peak_rss_bytes));
}

std::string print_energies(const job::Job& job, const job::Results& results) {
  constexpr std::string_view total = " total";
  std::string text = base::showable(job.title);
  if (!text.empty()) text += ": ";
  const method::MethodResults found = job::method_results(job, results);
  for (const method::Energy& energy : found.energies)
    if (energy.title.ends_with(total))
      text += fmt::format("{} {}  ", energy.title.substr(0, energy.title.size() - total.size()),
                          base::decimal(energy.hartree, 10));
  for (const method::Excitations& states : found.excitations)
    for (std::size_t k = 0; k < states.hartree.size(); ++k)
      text += fmt::format("{}[{}] +{}  ", states.title, k + 1, base::decimal(states.hartree[k], 8));
  return text + (results.unconverged.empty() ? "hartree\n" : "hartree, NOT CONVERGED\n");
}

}  // namespace blockyard::report
