// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/contract/fabric/worlds.h"

namespace blockyard::contract {

std::exception_ptr run_ranks(fabric::World& world, const std::vector<int>& ranks,
                             const RankMain& main, const Wrap& wrap) {
  std::mutex mutex;
  std::exception_ptr first_failure;
  std::atomic<std::size_t> running = ranks.size();
  std::vector<std::jthread> threads;
  for (const int rank : ranks) {
    threads.emplace_back([&, rank] {
      const auto fabric = wrap ? wrap(world.endpoint(rank)) : world.endpoint(rank);
      try {
        main(*fabric);
      } catch (const std::exception& error) {
        {
          const std::lock_guard lock(mutex);
          if (!first_failure) first_failure = std::current_exception();
        }
        fabric->abort(error.what());
      }
      --running;
      world.wake();
    });
  }
  while (running > 0) world.progress(1.0);
  threads.clear();
  return first_failure;
}

}  // namespace blockyard::contract
