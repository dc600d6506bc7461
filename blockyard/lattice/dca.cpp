// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/dca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"
#include "blockyard/fabric/mpi/agree.h"

namespace blockyard::lattice {

namespace {

/// What two poles leave of g0 falls as C / w^4: the frequencies beyond give g0(tau) an error of
/// about 4e-13 C beta^3, which is 1e-9 at beta C^(1/3) = 13. C: of the order of t^3.
constexpr int bath_frequencies = 1024;

/// The error of Sigma, by part, by jackknife of Sigma itself: what it is averaged over need not be
/// independent. without: G without each of the bins.
LevelFunction error_of(const Hubbard& model, const Axes& axes, const Bath& bath,
                       const LevelFunction& sigma,
                       const std::vector<std::vector<Complex>>& without) {
  LevelFunction error{sigma.levels, sigma.momenta, std::vector<Complex>(sigma.values.size())};
  for (const std::vector<Complex>& g : without) {
    const SelfEnergy one = self_energy_of(model, bath, level_function(model, axes, g));
    for (std::size_t at = 0; at < sigma.values.size(); ++at) {
      const Complex change = one.known.values[at] - sigma.values[at];
      error.values[at] += Complex(std::pow(change.real(), 2), std::pow(change.imag(), 2));
    }
  }
  const double factor = 1 - 1 / static_cast<double>(without.size());
  for (Complex& one : error.values)
    one = {std::sqrt(factor * one.real()), std::sqrt(factor * one.imag())};
  return error;
}

/// What the iteration knows before a simulation, in the checkpoints of that. `Fields` is a writer
/// or a reader.
template <class Fields, class Report>
void state_fields(Fields& fields, Report& report) {
  fields.fields(report.steps, report.sigma.constant, report.sigma.tail);
  for (auto* function : {&report.sigma.known, &report.sigma_error})
    fields.fields(function->levels, function->momenta, function->values);
}

using Told = std::function<void(const DcaStep&)>;

class Iteration {
 public:
  /// Collective.
  Iteration(const HubbardJob& job, const ring::Team& team, const Progress& progress,
            const Told& told, std::optional<CheckpointFolder>& folder)
      : job_(job),
        team_(team),
        progress_(progress),
        told_(told),
        folder_(folder),
        patches_(job.model, job.dca->directions, job.dca->points),
        is_lead_(team.session == nullptr || team.session->process() == 0) {
    const Hubbard& model = job.model;
    report_.sigma = {{model.layers, model.sites(), {}}, 0, 0};
    const auto begin = fabric::share(team.session, [&] {
      if (!job.checkpoints.from.empty()) return CheckpointIn(job.checkpoints.from).head().outer;
      if (!job.dca->restart.empty())
        report_.sigma = read_self_energy(job.dca->restart, model, job.dca->frequencies);
      return state();
    });
    base::FieldReader in(begin);
    state_fields(in, report_);
    const auto before = static_cast<int>(report_.steps.size());
    if (before > 0) report_.is_converged = report_.steps.back().change <= job.dca->tolerance;
    if (!job.checkpoints.from.empty()) resumed_ = before + 1;
  }

  /// Collective. Whether the self-energy stays.
  [[nodiscard]] bool step(int number) {
    const DcaOptions& options = *job_.dca;
    HubbardJob job = job_;
    job.options.channels.clear();
    job.options.has_matrices = false;
    job.options.leaves_bins_out = true;
    job.half = options.frequencies;
    job.exchange = 1;
    const Bath bath = run(job, number);
    const Axes& axes = report_.last.problem.axes;
    const G4Report& found = report_.last.g4;
    if (!found.why_undivided.empty())
      throw base::Error(base::Errc::bad_input,
                        fmt::format("iteration {}: {}", number, found.why_undivided));
    const LevelFunction g = level_function(job.model, axes, found.green.g);
    SelfEnergy next = self_energy_of(job.model, bath, g);
    if (!found.green.without.empty())
      report_.sigma_error = error_of(job.model, axes, bath, next.known, found.green.without);
    DcaStep told{
        number,           0, 0, density_of(job.model, bath, g), report_.last.walk.order.value,
        found.sign.real()};
    const auto lowest = static_cast<std::size_t>(g.levels * g.momenta);
    for (std::size_t at = 0; at < lowest; ++at) {
      const auto k = static_cast<int>(at) / g.levels;
      const auto level = static_cast<int>(at) % g.levels;
      const Complex before = report_.sigma.at(level, k, 0, job.model.beta);
      told.change = std::max(told.change, std::abs(next.known.values[at] - before));
      if (!report_.sigma_error.values.empty())
        told.error = std::max(told.error, std::abs(report_.sigma_error.values[at]));
    }
    mix(next);
    report_.steps.push_back(told);
    fabric::agree(team_.session, [&] {
      if (!is_lead_) return;
      save(bath);
      if (told_) told_(told);
    });
    return told.change <= options.tolerance;
  }

  /// Collective. G4 in the environment that was found.
  void accumulate(int number) { (void)run(job_, number); }

  [[nodiscard]] DcaReport& report() { return report_; }

 private:
  [[nodiscard]] std::vector<std::byte> state() const {
    base::FieldWriter out;
    state_fields(out, report_);
    return out.take();
  }

  /// A simulation in the bath of the present self-energy. Each has random numbers of its own.
  Bath run(HubbardJob job, int number) {
    constexpr std::uint64_t apart = 0x9e3779b97f4a7c15;
    job.seed += apart * static_cast<std::uint64_t>(number);
    if (number != resumed_) job.checkpoints.from.clear();
    job.checkpoints.outer = state();
    job.options.patches = &patches_;
    const int needed = std::max(bath_frequencies, job.half + job.exchange);
    Bath bath = bath_of(job.model, patches_, report_.sigma, needed);
    Problem problem = problem_of(job.model, job.half, job.exchange, job.exchange_momenta);
    put_in(bath, problem);
    report_.last = simulate(job, problem, BareTime(job.model, bath), team_, progress_, folder_);
    return bath;
  }

  void mix(const SelfEnergy& next) {
    const double share = report_.steps.empty() && job_.dca->restart.empty() ? 1 : job_.dca->mix;
    SelfEnergy mixed = next;
    for (int n = 0; n < next.known.frequencies(); ++n)
      for (int k = 0; k < next.known.momenta; ++k)
        for (int level = 0; level < next.known.levels; ++level) {
          const auto at =
              static_cast<std::size_t>(level + next.known.levels * (k + next.known.momenta * n));
          mixed.known.values[at] = share * next.known.values[at] +
                                   (1 - share) * report_.sigma.at(level, k, n, job_.model.beta);
        }
    mixed.constant = share * next.constant + (1 - share) * report_.sigma.constant;
    mixed.tail = share * next.tail + (1 - share) * report_.sigma.tail;
    report_.sigma = std::move(mixed);
  }

  void save(const Bath& bath) const {
    LevelFunction g0 = bath.g0;
    g0.values.resize(report_.sigma.known.values.size());
    write_self_energy(job_.dca->output, job_.model,
                      {report_.sigma, report_.sigma_error, std::move(g0), job_.model.beta});
  }

  const HubbardJob& job_;
  const ring::Team& team_;
  const Progress& progress_;
  const Told& told_;
  std::optional<CheckpointFolder>& folder_;  ///< of all simulations
  Patches patches_;
  bool is_lead_;
  int resumed_ = 0;  ///< the number of the simulation that a checkpoint is of
  DcaReport report_;
};

}  // namespace

DcaReport simulate_dca(const HubbardJob& job, const ring::Team& team, const Progress& progress,
                       const std::function<void(const DcaStep&)>& told,
                       std::optional<CheckpointFolder>& folder) {
  Iteration iteration(job, team, progress, told, folder);
  DcaReport& report = iteration.report();
  auto number = static_cast<int>(report.steps.size());
  while (!report.is_converged && number < job.dca->iterations)
    report.is_converged = iteration.step(++number);
  if (!job.options.channels.empty()) iteration.accumulate(number + 1);
  return std::move(report);
}

}  // namespace blockyard::lattice
