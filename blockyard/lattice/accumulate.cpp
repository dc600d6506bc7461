// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/accumulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "blockyard/base/error.h"
#include "blockyard/lattice/result_parts.h"
#include "blockyard/lattice/samples_file.h"
#include "blockyard/tensor/blas.h"

namespace blockyard::lattice {

using base::Errc;
using base::Error;

namespace {

/// The file, for all ranks of a process: HDF5 is used by one thread at a time. mutex_ guards all.
class SharedReader {
 public:
  explicit SharedReader(std::string path) : path_(std::move(path)) {}

  template <class Use>
  auto use(const Use& what) {
    const std::lock_guard lock(mutex_);
    if (!reader_) reader_.emplace(path_);
    return what(*reader_);
  }

 private:
  std::mutex mutex_;
  std::string path_;
  std::optional<SamplesReader> reader_;
};

/// The most vertices of a spin, from some samples spread over the file.
std::int64_t most_vertices(const SamplesReader& reader) {
  constexpr std::int64_t looked_at = 16;
  const std::int64_t step = std::max<std::int64_t>(1, reader.count() / looked_at);
  std::size_t most = 0;
  for (std::int64_t number = 0; number < reader.count(); number += step) {
    if (reader.has_green(number)) continue;
    for (const SpinSample& spin : reader.sample(number).spins) most = std::max(most, spin.count());
  }
  return static_cast<std::int64_t>(most);
}

Largest largest_of_first(const SamplesReader& reader, const Problem& problem) {
  if (!reader.has_green(0)) return largest_of(problem, problem.cluster(), reader.sample(0));
  Complex sign;
  const std::vector<double> green = reader.green(0, sign);
  return largest_of(problem.axes, green, sign);
}

void check_options(const SamplesReader& reader, const G4Options& options, const std::string& path) {
  if (options.bins > 1 && reader.count() < options.bins)
    throw Error(Errc::bad_input, fmt::format("{} holds {} samples: too few for {} bins", path,
                                             reader.count(), options.bins));
  if (options.travel == Travel::sample && reader.first_green())
    throw Error(
        Errc::bad_input,
        fmt::format("{}: samples/{} holds a Green's function but no vertices: use --travel g", path,
                    *reader.first_green()));
}

/// Neighbours in the file, which may be in the chain that made them, share a bin and a rank, thus a
/// ring: otherwise errors would be those of independent samples.
void give_all(G4Run& run, SharedReader& shared, const fabric::Fabric& fabric, std::int64_t count,
              std::int64_t bins) {
  const auto begin = [&](std::int64_t rank) {
    return (rank * count + fabric.size() - 1) / fabric.size();
  };
  for (std::int64_t number = begin(fabric.rank()); number < begin(fabric.rank() + 1); ++number) {
    Complex sign;
    std::vector<double> green;
    Sample sample;
    const bool is_green = shared.use([&](const SamplesReader& reader) {
      const bool has = reader.has_green(number);
      if (has)
        green = reader.green(number, sign);
      else
        sample = reader.sample(number);
      return has;
    });
    const auto bin = static_cast<int>(number * bins / count);
    if (is_green)
      run.give(green, sign, bin);
    else
      run.give(sample, bin);
  }
}

}  // namespace

G4Report accumulate(const AccumulateJob& job, const ring::Team& team) {
  tensor::blas::limit_blas_threads(1);
  SharedReader shared(job.samples);
  base::BufferPool pool(std::size_t{1} << 30);
  G4Report result;
  ring::run_team(team, pool, [&](fabric::Fabric& fabric) {
    ring::Member member(fabric);
    std::optional<store::FileLock> claim;
    if (fabric.rank() == 0 && job.options.has_parts) claim.emplace(claim_parts(job.output));
    Problem problem;
    std::int64_t count = 0;
    std::int64_t vertices = 0;
    ExactBounds exact;
    bool has_green = false;
    shared.use([&](const SamplesReader& reader) {
      check_options(reader, job.options, job.samples);
      problem = reader.problem();
      count = reader.count();
      has_green = reader.first_green().has_value();
      vertices = most_vertices(reader);
      if (job.options.is_exact)
        exact = bounds_of(largest_of_first(reader, problem), problem.axes, count, job.options.bound,
                          job.options.bound_option);
    });
    const Cluster cluster = problem.cluster();
    G4Options options = common_options(fabric, job.options);
    if (options.travel == Travel::automatic && has_green) options.travel = Travel::g;
    const G4Plan plan = plan_g4(problem, options, fabric.size(), vertices);
    G4Run run(member, problem, cluster, options, plan, pool, count, exact);
    give_all(run, shared, fabric, count, options.bins);
    run.finish();
    G4Report report = run.write(job.output);
    if (fabric.rank() == 0) result = std::move(report);
  });
  return result;
}

}  // namespace blockyard::lattice
