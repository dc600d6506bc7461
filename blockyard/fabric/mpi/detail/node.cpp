// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/node.h"

#include <linux/futex.h>
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <ctime>

namespace blockyard::fabric::detail {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "shared between processes");

void Bell::ring() noexcept {
  count.fetch_add(1, std::memory_order_seq_cst);
  if (watchers.load(std::memory_order_seq_cst) == 0) rouse();
}

void Bell::wake() noexcept {
  // A thread about to sleep sees the counter move.
  count.fetch_add(1, std::memory_order_seq_cst);
  rouse();
}

void Bell::rouse() noexcept {
  if (sleepers.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&count), FUTEX_WAKE, INT_MAX, nullptr,
          nullptr, 0);
}

void Bell::announce() noexcept {
  announced.fetch_add(1, std::memory_order_seq_cst);
  ring();
}

void Bell::wait(std::uint32_t seen, double seconds) noexcept {
  timespec limit{};
  limit.tv_sec = static_cast<std::time_t>(std::floor(seconds));
  limit.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  // The kernel looks at the counter again before it lets us sleep.
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&count), FUTEX_WAIT, seen, &limit, nullptr,
          0);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

Node::Node(int process, int processes, bool is_alone)
    : process_(process), mine_(sizeof(Bell)), bells_(static_cast<std::size_t>(processes)) {
  const base::MemoryAddress address = mine_.address();
  std::vector<base::MemoryAddress> all(bells_.size());
  MPI_Allgather(&address, sizeof address, MPI_BYTE, all.data(), sizeof address, MPI_BYTE,
                MPI_COMM_WORLD);
  std::vector<char> host(MPI_MAX_PROCESSOR_NAME + 1);
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  std::vector<char> hosts(host.size() * bells_.size());
  const int width = static_cast<int>(host.size());
  MPI_Allgather(host.data(), width, MPI_CHAR, hosts.data(), width, MPI_CHAR, MPI_COMM_WORLD);
  others_.resize(bells_.size());
  for (std::size_t k = 0; k < bells_.size(); ++k) {
    const bool is_own = static_cast<int>(k) == process_;
    const char* const name = hosts.data() + k * host.size();
    if (!is_own && !is_alone && std::equal(host.begin(), host.end(), name))
      others_[k] = base::SharedMemory::open(all[k]);
    const base::SharedMemory& memory = is_own ? mine_ : others_[k];
    bells_[k] = reinterpret_cast<Bell*>(memory.data());
    is_all_ = is_all_ && bells_[k] != nullptr;
    has_neighbours_ = has_neighbours_ || (!is_own && bells_[k] != nullptr);
  }
  // No process continues until all have opened what they need.
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace blockyard::fabric::detail
