// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "blockyard/lattice/bath.h"
#include "blockyard/lattice/simulate.h"

namespace blockyard::lattice {

/// One step of the iteration.
struct DcaStep {
  int number = 1;
  double change = 0;   ///< largest |Sigma - the one before| of the lowest frequency
  double error = 0;    ///< the largest error of that Sigma
  double density = 0;  ///< electrons of a spin and site
  double order = 0;
  double sign = 1;
};

struct DcaReport {
  HubbardReport last;  ///< of the simulation that gave G4 or, without channels, the last Sigma
  std::vector<DcaStep> steps;
  bool is_converged = false;
  SelfEnergy sigma;
  LevelFunction sigma_error;  ///< real part for the real part; empty without bins
};

/// A self-energy in a file; docs/lattice.md says the format. One thread of the process at a time.
struct SavedSelfEnergy {
  SelfEnergy sigma;
  LevelFunction error;
  LevelFunction g0;  ///< of the cluster in its environment
  double beta = 1;
};
void write_self_energy(const std::string& path, const Hubbard& model, const SavedSelfEnergy& saved);
/// That of the same cluster and layers, at `frequencies` of the model's own temperature:
/// interpolated if the file has another. Throws Error{bad_input} for a file that does not fit.
[[nodiscard]] SelfEnergy read_self_energy(const std::string& path, const Hubbard& model,
                                          int frequencies);

/// Collective among the processes of the team: the dynamical cluster approximation (Hettler et al.,
/// Phys. Rev. B 58, R7475 (1998); Maier et al., Rev. Mod. Phys. 77, 1027 (2005)). From
///   Gbar(K) = mean over the patch of 1 / (i w + mu - eps(k) - Sigma(K)),  G0 = 1 / (1/Gbar +
///   Sigma)
/// a simulation of the cluster gives Sigma = 1/G0 - 1/G, which is mixed with the one before, until
/// it stays or the iterations end. Then G4 is accumulated if the job has channels. Process 0 reads
/// the self-energy to begin with, and writes that after each step. `told` hears of each step, at
/// process 0. Checkpoints are those of the simulation under way, with the self-energy that it began
/// with, and until that has one, those of the one before; `folder` as of simulate().
[[nodiscard]] DcaReport simulate_dca(const HubbardJob& job, const ring::Team& team,
                                     const Progress& progress,
                                     const std::function<void(const DcaStep&)>& told,
                                     std::optional<CheckpointFolder>& folder);

}  // namespace blockyard::lattice
