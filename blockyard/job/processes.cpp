// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "blockyard/base/build_id.h"
#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/fabric/mpi/agree.h"
#include "blockyard/job/version.h"

namespace blockyard::job {

using base::Errc;
using base::Error;

namespace {

Seat seat_of_this_process(const fabric::MpiSession& session) {
  std::array<char, 256> host{};
  (void)gethostname(host.data(), host.size() - 1);
  const int here = session.processes_here();
  return {host.data(), base::allowed_processors(), base::processor_quota().value_or(0), here,
          granted_memory(here)};
}

/// What the processes on a machine can use together.
struct Cores {
  std::set<std::int32_t> processors;
  std::int32_t quota = 0;  ///< of the first that has one

  void add(const Seat& seat) {
    processors.insert(seat.processors.begin(), seat.processors.end());
    if (quota == 0) quota = seat.quota;
  }
  [[nodiscard]] int count() const {
    const auto all = static_cast<int>(processors.size());
    return std::max(1, quota > 0 ? std::min(all, quota) : all);
  }
};

/// Where a limit is, for messages at process 0.
void name_place(base::MemoryRoom& room, std::size_t process, const std::string& host) {
  if (!room.limit.empty()) room.limit += fmt::format(" (process {}, on {})", process, host);
}

}  // namespace

ProcessCount count_seats(std::span<const Seat> seats) {
  ProcessCount count{static_cast<int>(seats.size()), 0, 0, seats.front().memory};
  std::map<std::string, Cores> cores_of;
  for (const Seat& seat : seats) cores_of[seat.host].add(seat);
  for (std::size_t k = 0; k < seats.size(); ++k) {
    const Seat& seat = seats[k];
    GrantedMemory memory = seat.memory;
    if (k > 0) name_place(memory.own, k, seat.host);
    if (seat.host != seats.front().host)
      for (base::MemoryRoom* room : {&memory.group, &memory.machine})
        name_place(*room, k, seat.host);
    count.granted = tightest(*count.granted, memory);
    const int cores = cores_of[seat.host].count();
    const int on_node = std::max(1, seat.on_node);
    if (k == 0 || cores / on_node < count.cores / count.on_node)
      count.cores = cores, count.on_node = on_node;
  }
  return count;
}

ProcessCount count_processes(fabric::MpiSession* session) {
  if (session == nullptr) return {};
  base::FieldWriter mine;
  seat_of_this_process(*session).fields(mine);
  const auto all = session->gather(mine.take());
  const auto bytes = fabric::share(session, [&] {
    std::vector<Seat> seats(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      base::FieldReader in(all[k]);
      seats[k].fields(in);
    }
    const ProcessCount count = count_seats(seats);
    base::FieldWriter out;
    out.fields(count.all, count.on_node, count.cores);
    Seat least;
    least.memory = *count.granted;
    least.fields(out);
    return out.take();
  });
  ProcessCount count;
  Seat least;
  base::FieldReader in(bytes);
  in.fields(count.all, count.on_node, count.cores);
  least.fields(in);
  count.granted = least.memory;
  return count;
}

void check_builds(fabric::MpiSession& session) {
  const std::string mine = fmt::format("{} {}", version(), base::build_id());
  const auto bytes = std::as_bytes(std::span(mine));
  const auto first =
      fabric::share(&session, [&] { return std::vector(bytes.begin(), bytes.end()); });
  fabric::agree(&session, [&] {
    if (std::equal(first.begin(), first.end(), bytes.begin(), bytes.end())) return;
    throw Error(
        Errc::bad_input,
        fmt::format("process {} runs another build of blockyard ({}) than process 0 ({}): "
                    "install the same program on all machines",
                    session.process(), mine,
                    std::string_view(reinterpret_cast<const char*>(first.data()), first.size())));
  });
}

std::vector<int> place_ranks(const Job& job) {
  const int with_workers = job.processes - (job.serves_apart ? job.servers : 0);
  std::vector<int> places;
  for (int worker = 0; worker < job.workers; ++worker)
    places.push_back(worker / (job.workers / with_workers));
  for (int server = 0; server < job.servers; ++server)
    places.push_back(job.serves_apart ? with_workers + server : server % job.processes);
  return places;
}

}  // namespace blockyard::job
