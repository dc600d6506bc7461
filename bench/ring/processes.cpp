// SPDX-License-Identifier: Apache-2.0
// mpirun -n 2: items around a ring of two processes against MPI_Sendrecv of the same bytes.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/reported.h"
#include "blockyard/base/clock.h"
#include "blockyard/ring/ring.h"
#include "blockyard/ring/team.h"

namespace blockyard::bench {
namespace {

class NoUpdate final : public ring::Update {
 public:
  void apply(std::span<const ring::Item> /*items*/, const ring::Slice& /*slice*/,
             device::Stream* /*stream*/) override {}
};

constexpr int runs = 3;

double plain_seconds(std::size_t bytes, int count) {
  std::vector<std::byte> mine(bytes), theirs(bytes);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  const int other = 1 - process;
  double best = 1e300;
  for (int run = 0; run < runs; ++run) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = base::now_seconds();
    for (int k = 0; k < count; ++k)
      MPI_Sendrecv(mine.data(), static_cast<int>(bytes), MPI_BYTE, other, 0, theirs.data(),
                   static_cast<int>(bytes), MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    best = std::min(best, base::now_seconds() - begin);
  }
  return best;
}

double ring_seconds(fabric::Fabric& fabric, base::BufferPool& pool, std::size_t bytes, int count) {
  const auto item = std::make_shared<const base::Buffer>(pool.allocate(bytes));
  ring::Member member(fabric);
  const ring::Layout layout(2, 2, 2);
  NoUpdate update;
  double best = 1e300;
  for (int run = 0; run < runs; ++run) {
    ring::Ring ring(member, layout, {}, update, {});
    fabric.barrier();
    const double begin = base::now_seconds();
    for (int k = 0; k < count; ++k) ring.give({}, item);
    ring.finish();
    fabric.barrier();
    best = std::min(best, base::now_seconds() - begin);
  }
  return best;
}

void run() {
  fabric::MpiSession session(true);
  base::BufferPool pool(std::size_t{1} << 30);
  ring::Team team;
  team.session = &session;
  for (const std::size_t kilobytes : {256, 1024, 4096, 16384, 65536}) {
    const std::size_t bytes = kilobytes << 10;
    const int count = static_cast<int>(std::max<std::size_t>(4, (std::size_t{1} << 27) / bytes));
    const double plain = plain_seconds(bytes, count);
    double ring = 0;
    ring::run_team(team, pool, [&](fabric::Fabric& fabric) {
      const double seconds = ring_seconds(fabric, pool, bytes, count);
      if (fabric.rank() == 0) ring = seconds;
    });
    if (session.process() != 0) continue;
    const double moved = 2.0 * count * static_cast<double>(bytes);  // in both directions
    const nlohmann::ordered_json line{{"bench", "ring_processes"},
                                      {"case", fmt::format("bandwidth {} KiB", kilobytes)},
                                      {"gigabytes_per_second", moved / ring / 1e9},
                                      {"sendrecv_gigabytes_per_second", moved / plain / 1e9},
                                      {"ratio_to_sendrecv", plain / ring}};
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace blockyard::bench

int main() { return blockyard::bench::reported(blockyard::bench::run); }
