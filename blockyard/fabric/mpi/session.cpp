// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/session.h"

#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "blockyard/base/error.h"

// Of Open MPI and MPICH; null where the library has none.
extern "C" [[gnu::weak]] int MPIX_Query_cuda_support();

namespace blockyard::fabric {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 30;  // lengths of MPI are ints
constexpr int gather_tag = 2;

/// Calls `move(data, count)` for each piece of `bytes`.
template <class Move>
void for_each_piece(std::byte* data, std::size_t size, const Move& move) {
  for (std::size_t at = 0; at < size; at += piece_bytes)
    move(data + at, static_cast<int>(std::min(piece_bytes, size - at)));
}

}  // namespace

bool has_mpi() noexcept { return true; }

bool mpi_reads_devices() noexcept {
  return MPIX_Query_cuda_support != nullptr && MPIX_Query_cuda_support() == 1;
}

MpiSession::MpiSession(bool has_threads) {
  int is_up = 0, provided = 0;
  MPI_Initialized(&is_up);
  must_finalize_ = is_up == 0;
  if (must_finalize_)
    MPI_Init_thread(nullptr, nullptr, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED,
                    &provided);
  else
    MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_SERIALIZED)
    throw base::Error(base::Errc::comm, "this MPI library cannot be used with threads");
  MPI_Comm_rank(MPI_COMM_WORLD, &process_);
  MPI_Comm_size(MPI_COMM_WORLD, &processes_);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_rank(here, &process_here_);
  MPI_Comm_size(here, &processes_here_);
  MPI_Comm_free(&here);
}

MpiSession::~MpiSession() {
  if (must_finalize_) MPI_Finalize();
}

MpiSession::Bytes MpiSession::broadcast(Bytes bytes) {
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  bytes.resize(size);
  broadcast(std::span(bytes));
  return bytes;
}

void MpiSession::broadcast(std::span<std::byte> bytes) {
  for_each_piece(bytes.data(), bytes.size(), [](std::byte* data, int count) {
    MPI_Bcast(data, count, MPI_BYTE, 0, MPI_COMM_WORLD);
  });
}

std::vector<MpiSession::Bytes> MpiSession::gather(const Bytes& mine) {
  const std::uint64_t size = mine.size();
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(processes_));
  MPI_Gather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  std::vector<Bytes> all;
  if (process_ != 0) {
    // MPI does not change what is sent.
    for_each_piece(const_cast<std::byte*>(mine.data()), size, [](std::byte* data, int count) {
      MPI_Send(data, count, MPI_BYTE, 0, gather_tag, MPI_COMM_WORLD);
    });
    return all;
  }
  all.push_back(mine);
  for (int from = 1; from < processes_; ++from) {
    Bytes& bytes = all.emplace_back(sizes[static_cast<std::size_t>(from)]);
    for_each_piece(bytes.data(), bytes.size(), [&](std::byte* data, int count) {
      MPI_Recv(data, count, MPI_BYTE, from, gather_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  }
  return all;
}

}  // namespace blockyard::fabric
