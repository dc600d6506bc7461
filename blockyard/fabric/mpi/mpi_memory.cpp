// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/mpi_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/shared_memory.h"
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

}  // namespace

std::unique_ptr<Memory> mpi_memory(MPI_Comm communicator, const MpiMemoryOptions& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
  int neighbours = 1;
  MPI_Comm_size(here, &neighbours);
  MPI_Comm_free(&here);
  if (neighbours != size || options.nodes > 1)
    throw base::Error(base::Errc::bad_input,
                      "one-sided memory works within one node only; start all processes there");
  // Shared by the two functions below: it ends with the memory.
  const auto arenas = std::make_shared<Arenas>();
  arenas->own = make_arena(size);
  const MemoryAddress address = arenas->own.address();
  std::vector<MemoryAddress> addresses(static_cast<std::size_t>(size));
  MPI_Allgather(&address, sizeof(address), MPI_BYTE, addresses.data(), sizeof(address), MPI_BYTE,
                communicator);
  std::vector<std::byte*> places;
  int is_failed = 0;
  for (int other = 0; other < size; ++other) {
    if (other == rank) {
      places.push_back(arenas->own.data());
      continue;
    }
    places.push_back(
        arenas->others.emplace_back(SharedMemory::open(addresses[static_cast<std::size_t>(other)]))
            .data());
    if (places.back() == nullptr) is_failed = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &is_failed, 1, MPI_INT, MPI_MAX, communicator);
  if (is_failed != 0)
    throw base::Error(base::Errc::comm,
                      "processes of this node cannot open each other's memory (/proc/<pid>/fd): "
                      "they must belong to one user and see the same processes");
  node::NodeMemory::Own own{
      .bytes = arenas->own.size(),
      .claim = [arenas](std::size_t offset,
                        std::size_t bytes) { return arenas->own.claim(offset, bytes); },
      .give_back = [arenas](std::size_t offset,
                            std::size_t bytes) { arenas->own.give_back(offset, bytes); }};
  auto memory = std::make_unique<node::NodeMemory>(rank, std::move(places), std::move(own));
  MPI_Barrier(communicator);  // all are ready to be met
  return memory;
}

}  // namespace blockyard::fabric
