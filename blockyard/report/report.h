// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "blockyard/job/run.h"
#include "blockyard/report/iteration_table.h"

/// The reports of a run: texts for people, JSON for programs. docs/how_to/job_file.md lists keys.
namespace blockyard::report {

/// The input as understood: title, molecule, basis, orbitals, segments, method, programs.
[[nodiscard]] std::string print_input(const job::Job& job);

/// The input, and how this run executes it: ranks, memory plan.
[[nodiscard]] std::string print_header(const job::Job& job);

/// The last table: energies, dipole moments, orbitals and charges of a method, and wall time by
/// program.
[[nodiscard]] std::string print_summary(const job::Job& job, const job::Results& results);

/// "water: SCF -76.0267... MP2 -76.2308... hartree": total energies of a method, or the states that
/// it finds, on one line.
[[nodiscard]] std::string print_energies(const job::Job& job, const job::Results& results);

/// Where the time went: waits by source line and array, super instructions, transfers.
[[nodiscard]] std::string print_profile(const job::Results& results);

/// One JSON object with the numbers of a run: energies of a method, or the final values of the
/// programs: scalars, ints and static arrays (first index fastest).
[[nodiscard]] std::string results_json(const job::Job& job, const job::Results& results);

/// What a report says besides the numbers of a run.
struct ReportContext {
  std::string command;
  std::string host;
  std::string processor;
  std::string started;  ///< UTC
  int cores = 0;
  std::map<std::string, std::string> sources;  ///< text by path, as far as it can be read
  std::vector<Iterations> iterations;          ///< that the programs of a method printed
};

/// At the start of a run, before a source can be edited.
[[nodiscard]] ReportContext begin_report(const job::Job& job, std::string command);

/// One JSON object with all measurements of every program, worker and server, and the
/// decisions: docs/report.md lists the keys. Times by line and memory over time are there if the
/// job asked for a report.
[[nodiscard]] std::string metrics_json(const job::Job& job, const job::Results& results,
                                       const ReportContext& context = {});

/// "C6H6": carbon and hydrogen first, then by symbol (the order of Hill).
[[nodiscard]] std::string formula(const qc::Molecule& molecule);

}  // namespace blockyard::report
