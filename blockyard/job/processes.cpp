// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

/// The machine of this process, and the processors that it may use there.
std::vector<std::byte> seat_of_this_process() {
  std::array<char, 256> host{};
  (void)gethostname(host.data(), host.size() - 1);
  base::FieldWriter out;
  out.fields(std::string(host.data()), base::allowed_processors());
  return out.take();
}

/// Cores that the processes on the machine of the first one can use together.
int cores_of_first(const std::vector<std::vector<std::byte>>& seats) {
  std::string first;
  std::set<std::int32_t> together;
  for (const auto& seat : seats) {
    std::string host;
    std::vector<std::int32_t> processors;
    base::FieldReader(seat).fields(host, processors);
    if (first.empty()) first = host;
    if (host == first) together.insert(processors.begin(), processors.end());
  }
  const auto cores = static_cast<int>(together.size());
  return std::max(1, std::min(cores, base::processor_quota().value_or(cores)));
}

}  // namespace

ProcessCount count_processes(fabric::MpiSession* session) {
  if (session == nullptr) return {};
  ProcessCount count{session->processes(), session->processes_here()};
  const auto all = session->gather(seat_of_this_process());
  const auto cores = fabric::share(session, [&] {
    base::FieldWriter out;
    out.field(cores_of_first(all));
    return out.take();
  });
  base::FieldReader(cores).field(count.cores);
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
