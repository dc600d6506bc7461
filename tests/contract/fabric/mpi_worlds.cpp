// SPDX-License-Identifier: Apache-2.0
// The contract tests over MPI: every process runs every test, on its own ranks.
#include <gtest/gtest.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/mpi_world.h"
#include "tests/contract/fabric/worlds.h"

namespace blockyard::contract {
namespace {

constexpr double patience_seconds = 60;

/// Of this process: main() sets it before the tests are made.
const fabric::MpiSession* session = nullptr;

int process_of(int rank) { return rank % session->processes(); }

void run_mpi(int size, base::BufferPool& pool, const fabric::MpiOptions& options,
             const RankMain& main) {
  std::vector<int> processes;
  std::vector<int> ranks;
  for (int rank = 0; rank < size; ++rank) {
    processes.push_back(process_of(rank));
    if (process_of(rank) == session->process()) ranks.push_back(rank);
  }
  fabric::MpiWorld world(*session, pool, processes, options);
  const auto failure = run_ranks(world, ranks, main);
  try {
    ASSERT_TRUE(world.end(patience_seconds)) << "not all processes came to the end";
  } catch (const base::Error&) {
    // Aborted: the ranks know.
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

/// Worlds with at least one rank in every process.
std::vector<World> all_worlds() {
  fabric::MpiOptions shared;
  shared.most_loans = 4;  // some payloads are lent, some sent
  shared.reads_devices = true;
  fabric::MpiOptions alone;
  alone.is_alone = true;
  alone.piece_bytes = 1 << 16;
  fabric::MpiOptions reading = alone;
  reading.reads_devices = true;
  std::vector<World> worlds;
  for (const int size : {1, 2, 3, 4, 7}) {
    if (size < session->processes()) continue;
    const auto is_here = [](int rank) { return process_of(rank) == session->process(); };
    const std::string name = "mpi" + std::to_string(size);
    const auto add = [&](const std::string& world, const fabric::MpiOptions& options) {
      auto pool = std::make_shared<base::BufferPool>(std::size_t{1} << 28);
      const auto run = [=](const RankMain& main) { run_mpi(size, *pool, options, main); };
      worlds.push_back({world, size, run, is_here, options.reads_devices, pool});
    };
    add(name, shared);
    add(name + "alone", alone);
    if (size > 1) add(name + "reading", reading);
  }
  return worlds;
}

}  // namespace blockyard::contract

int main(int argc, char** argv) {
  const blockyard::fabric::MpiSession mpi;
  blockyard::contract::session = &mpi;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
