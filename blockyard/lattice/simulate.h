// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/lattice/checkpoint.h"
#include "blockyard/lattice/g4_run.h"
#include "blockyard/lattice/hubbard.h"
#include "blockyard/ring/team.h"

namespace blockyard::lattice {

/// How a self-energy is iterated by the dynamical cluster approximation; dca.h.
struct DcaOptions {
  int directions = 2;  ///< of the lattice
  int points = 32;     ///< momenta of a patch in each direction
  int iterations = 10;
  double mix = 1;           ///< the share of what is new from the second iteration on
  double tolerance = 0.01;  ///< of the change of Sigma at the lowest frequency
  int frequencies = 64;     ///< positive ones at which Sigma is measured
  std::string restart;      ///< a file with the self-energy to begin with, or empty
  std::string output;       ///< the file of the self-energy
};

/// A simulation of the Hubbard model.
struct HubbardJob {
  std::string title;
  Hubbard model;
  int half = 8;
  int exchange = 1;
  std::vector<Vector2> exchange_momenta{{0, 0}};
  std::int64_t samples = 1000;  ///< of all walkers together
  std::int64_t warm_up = 200;   ///< sweeps of each walker
  std::int64_t sweeps = 2;      ///< between two samples
  std::int64_t walkers = 8;     ///< the same number gives the same samples in any layout
  std::uint64_t seed = 1;
  double shift = default_shift;  ///< d of the interaction expansion
  G4Options options;             ///< channels: empty for one-particle functions only
  std::string device = "none";   ///< the kind that holds the slices
  std::string output;            ///< HDF5, docs/lattice.md
  std::string file;              ///< name and text of the job file, which checkpoints keep
  std::string source;
  Checkpointing checkpoints;
  std::optional<DcaOptions> dca;  ///< nothing: the cluster by itself
};

/// A value with its error.
struct Measured {
  double value = 0;
  double error = 0;
};

/// Statistics of a walk, averaged over walkers.
struct WalkReport {
  Measured order;
  double autocorrelation_sweeps = 0;  ///< of the order
  double worst_residue = 0;           ///< of a walker matrix before it was recomputed
};

struct HubbardReport {
  Problem problem;
  G4Report g4;
  WalkReport walk;
};

/// What a job needs with this many ranks, without running it. Throws Error{bad_input} or
/// Error{no_memory} as simulate() would.
[[nodiscard]] G4Plan plan_of(const HubbardJob& job, int ranks);

/// Progress: samples done by the ranks of this process, and how many they have to do.
using Progress = std::function<void(std::int64_t done, std::int64_t all)>;

/// Collective among the processes of the team: walkers on all ranks, G4 in slices over their rings.
/// Process 0 writes the output and returns what came of it. `folder`: of the checkpoints, opened by
/// the first simulation of a run, at process 0, and kept by the caller, who removes the checkpoints
/// when all results of the run are where they last.
/// Throws Error{bad_input} for what cannot be, before anything is simulated where that is known.
[[nodiscard]] HubbardReport simulate(const HubbardJob& job, const ring::Team& team,
                                     const Progress& progress,
                                     std::optional<CheckpointFolder>& folder);
/// The same with another bare Green's function, at frequencies and at times. The G of the report is
/// known to every process.
[[nodiscard]] HubbardReport simulate(const HubbardJob& job, const Problem& problem,
                                     const BareTime& bare, const ring::Team& team,
                                     const Progress& progress,
                                     std::optional<CheckpointFolder>& folder);

}  // namespace blockyard::lattice
