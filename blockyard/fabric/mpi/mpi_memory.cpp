// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/mpi_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/shared_memory.h"
#include "blockyard/fabric/letters/letter_memory.h"
#include "blockyard/fabric/mpi/detail/mpi_courier.h"
#include "blockyard/fabric/node/node_memory.h"

namespace blockyard::fabric {

namespace {

using base::MemoryAddress;
using base::SharedMemory;

/// An arena takes addresses only, so it has room for all memory of the machine; less where the
/// address space of processes is limited.
SharedMemory make_arena(int neighbours) {
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t all_addresses = std::size_t{1} << 46, least = std::size_t{64} << 20;
  std::size_t bytes = std::min(machine, all_addresses / static_cast<std::size_t>(neighbours));
  for (;; bytes /= 2) {
    bytes = bytes / node::Pieces::page_bytes * node::Pieces::page_bytes;
    try {
      return SharedMemory(bytes);
    } catch (const base::Error&) {
      if (bytes / 2 < least) throw;
    }
  }
}

struct Arenas {
  SharedMemory own;
  std::vector<SharedMemory> others;
};

/// The arenas of the processes of `here`, all of them on this node. Empty at all of them if one
/// cannot open another's.
std::vector<std::byte*> open_arenas(MPI_Comm here, Arenas& arenas) {
  int rank = 0, size = 1;
  MPI_Comm_rank(here, &rank);
  MPI_Comm_size(here, &size);
  arenas.own = make_arena(size);
  const MemoryAddress address = arenas.own.address();
  std::vector<MemoryAddress> addresses(static_cast<std::size_t>(size));
  MPI_Allgather(&address, sizeof(address), MPI_BYTE, addresses.data(), sizeof(address), MPI_BYTE,
                here);
  std::vector<std::byte*> places;
  int is_failed = 0;
  for (int other = 0; other < size; ++other) {
    if (other == rank) {
      places.push_back(arenas.own.data());
      continue;
    }
    const MemoryAddress& of = addresses[static_cast<std::size_t>(other)];
    places.push_back(arenas.others.emplace_back(SharedMemory::open(of)).data());
    if (places.back() == nullptr) is_failed = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &is_failed, 1, MPI_INT, MPI_MAX, here);
  if (is_failed == 0) return places;
  arenas.others.clear();
  return {};
}

/// The processes that share memory with this one: those of its host, or of its part of them where
/// each host shall be `nodes` nodes.
MPI_Comm neighbours_in(MPI_Comm communicator, int nodes) {
  int rank = 0, here_rank = 0, here_size = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm host = MPI_COMM_NULL, here = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &here_rank);
  MPI_Comm_size(host, &here_size);
  const int parts = std::clamp(nodes, 1, here_size);
  MPI_Comm_split(host, here_rank * parts / here_size, rank, &here);
  MPI_Comm_free(&host);
  return here;
}

/// Nodes are counted in the order of their first ranks. first: of this process's node.
std::vector<int> nodes_of(MPI_Comm communicator, int first) {
  int size = 1;
  MPI_Comm_size(communicator, &size);
  std::vector<int> firsts(static_cast<std::size_t>(size)), nodes;
  MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, communicator);
  int count = 0;
  for (std::size_t rank = 0; rank < firsts.size(); ++rank)
    nodes.push_back(firsts[rank] == static_cast<int>(rank)
                        ? count++
                        : nodes[static_cast<std::size_t>(firsts[rank])]);
  return nodes;
}

/// Whether all processes may call MPI from several threads. Says at rank 0 what follows if not.
bool may_use_thread(MPI_Comm communicator, int rank) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  int is_granted = level == MPI_THREAD_MULTIPLE ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &is_granted, 1, MPI_INT, MPI_MIN, communicator);
  if (is_granted == 0 && rank == 0)
    std::fputs(
        "blockyard: this job spans nodes, and MPI was not started with MPI_THREAD_MULTIPLE: what "
        "processes of other nodes ask for is served only while a process is in a call of global "
        "arrays (docs/garray.md)\n",
        stderr);
  return is_granted != 0;
}

}  // namespace

std::unique_ptr<Memory> mpi_memory(MPI_Comm communicator, const MpiMemoryOptions& options) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm here = neighbours_in(communicator, options.nodes);
  // Shared by the two functions below: it ends with the memory.
  const auto arenas = std::make_shared<Arenas>();
  auto places = open_arenas(here, *arenas);
  if (places.empty()) {  // another user, or another view of processes: then as on other nodes
    MPI_Comm_free(&here);
    MPI_Comm_dup(MPI_COMM_SELF, &here);
    places = {arenas->own.data()};
  }
  int rank_here = 0, first = rank;
  MPI_Comm_rank(here, &rank_here);
  MPI_Bcast(&first, 1, MPI_INT, 0, here);
  const auto nodes = nodes_of(communicator, first);
  node::NodeMemory::Own own{
      .bytes = arenas->own.size(),
      .claim = [arenas](std::size_t offset,
                        std::size_t bytes) { return arenas->own.claim(offset, bytes); },
      .give_back = [arenas](std::size_t offset,
                            std::size_t bytes) { arenas->own.give_back(offset, bytes); }};
  for (std::size_t other = 0; other < nodes.size(); ++other)
    if (nodes[other] == nodes[static_cast<std::size_t>(rank)])
      own.names.push_back(static_cast<int>(other));
  const auto open_node = [&](std::function<void()> meanwhile) {
    own.meanwhile = std::move(meanwhile);
    auto memory = std::make_unique<node::NodeMemory>(rank_here, std::move(places), std::move(own));
    MPI_Barrier(here);  // all are ready to be met
    return memory;
  };
  std::unique_ptr<Memory> memory;
  if (*std::max_element(nodes.begin(), nodes.end()) == 0) {
    memory = open_node({});
  } else {
    memory = std::make_unique<letters::LetterMemory>(
        rank, nodes, open_node,
        [&](letters::Desk& desk) {
          return std::make_unique<detail::MpiCourier>(communicator, desk);
        },
        may_use_thread(communicator, rank));
  }
  MPI_Comm_free(&here);
  return memory;
}

}  // namespace blockyard::fabric
