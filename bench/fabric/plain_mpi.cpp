// SPDX-License-Identifier: Apache-2.0
#include "bench/fabric/plain_mpi.h"

#include <mpi.h>

#include <algorithm>

#include "bench/fabric/measure.h"

namespace blockyard::bench {

namespace {

double ping_pong(std::byte* data, std::size_t bytes, int process) {
  const int count = static_cast<int>(bytes);
  const auto there_and_back = [&] {
    if (process == 0) {
      MPI_Send(data, count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(data, count, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(data, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  };
  const auto agree = [](int repeats) {
    MPI_Bcast(&repeats, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return repeats;
  };
  return time_of(there_and_back, agree) / 2;
}

}  // namespace

std::vector<PlainTimes> measure_plain_mpi() {
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  const std::size_t longest = sizes().back();
  std::vector<double> mine(longest / sizeof(double), 1.0);
  auto* const data = reinterpret_cast<std::byte*>(mine.data());
  void* window_data = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(static_cast<MPI_Aint>(longest), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_data,
                   &window);
  std::fill_n(static_cast<double*>(window_data), mine.size(), 0.0);
  MPI_Win_lock_all(0, window);
  std::vector<PlainTimes> times;
  for (const std::size_t bytes : sizes()) {
    PlainTimes& time = times.emplace_back();
    time.ping_pong = ping_pong(data, bytes, process);
    MPI_Barrier(MPI_COMM_WORLD);
    const int count = static_cast<int>(bytes);
    const int values = static_cast<int>(bytes / sizeof(double));
    if (process == 0) {
      time.get = time_of([&] {
        MPI_Get(data, count, MPI_BYTE, 1, 0, count, MPI_BYTE, window);
        MPI_Win_flush(1, window);
      });
      time.put = time_of([&] {
        MPI_Put(data, count, MPI_BYTE, 1, 0, count, MPI_BYTE, window);
        MPI_Win_flush(1, window);
      });
      time.accumulate = time_of([&] {
        MPI_Accumulate(data, values, MPI_DOUBLE, 1, 0, values, MPI_DOUBLE, MPI_SUM, window);
        MPI_Win_flush(1, window);
      });
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  return times;
}

}  // namespace blockyard::bench
