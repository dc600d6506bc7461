// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/decisions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blockyard/base/text.h"
#include "blockyard/flow/iterations.h"
#include "blockyard/job/job.h"

namespace blockyard::job {

namespace {

using base::format_bytes;

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Decision workers_of(const Job& job) {
  std::string reason = job.run.workers ? "as the job says"
                                       : fmt::format("one for each of {} that may be used",
                                                     counted(job.cores, "core"));
  if (job.processes > 1) reason += fmt::format(", shared by {} processes", job.processes);
  return {"workers", counted(job.workers, "worker"), reason};
}

Decision servers_of(const Job& job) {
  std::string reason = "one is enough for the workers of one process, which read blocks in place";
  if (job.processes > 1)
    reason = job.serves_apart ? "processes that only serve, as the job says"
                              : "each process is the home of its share of the blocks";
  else if (job.run.servers)
    reason = "as the job says";
  return {"servers", counted(job.servers, "server"), reason};
}

Decision memory_of(const Job& job) {
  const std::string total =
      job.run.memory_bytes ? "total as the job says" : "a part of " + usual_memory(job).source;
  return {"memory of a process",
          fmt::format("{}: {} for each worker, {} for each server",
                      format_bytes(job.memory.total_bytes), format_bytes(job.memory.worker_bytes),
                      format_bytes(job.memory.server_bytes)),
          total +
              "; workers get what their largest program needs, servers what arrays take, "
              "caches the rest"};
}

Decision disk_of(const Job& job) {
  const MemoryPlan& plan = job.memory;
  if (plan.spilled_bytes > 0)
    return {"disk", "in use where arrays do not fit",
            fmt::format("all arrays together may take {}, servers hold {}",
                        format_bytes(plan.distributed_bytes),
                        format_bytes(plan.distributed_bytes - plan.spilled_bytes))};
  return {"disk", "not needed",
          fmt::format("arrays take at most {}, which servers can hold",
                      format_bytes(plan.distributed_bytes))};
}

std::string why_segments(const input::Spec& spec, const Job& job, array::IndexKind kind) {
  using array::IndexKind;
  const input::SegmentSpec& given = spec.segments;
  if (given.extents.contains(kind)) return "every segment as the job says";
  if (!job.chemistry) return "as the job says";
  if (kind == IndexKind::ao)
    return given.ao
               ? fmt::format("about {} functions as the job says; no shell is split", *given.ao)
               : "about the usual number of functions; no shell is split, no atom if that "
                 "costs little";
  if (given.occupied || given.virtual_)
    return "even parts of at most as many orbitals as the job says; occupied and virtual apart";
  return "even parts of the usual size, at least three of a kind for work to share; occupied and "
         "virtual apart";
}

void add_segments(const input::Spec& spec, const Job& job, std::vector<Decision>& decisions) {
  for (std::size_t k = 1; k < array::kind_count; ++k) {
    const auto kind = static_cast<array::IndexKind>(k);
    const auto extents = job.environment.segments.extents(kind);
    if (extents.empty()) continue;
    decisions.push_back(
        {fmt::format("segments of {}", array::name_of(kind)),
         fmt::format("{}: {}", counted(std::ssize(extents), "segment"), fmt::join(extents, " ")),
         why_segments(spec, job, kind)});
  }
}

Decision dealing_of(const Job& job) {
  if (job.run.pardo != program::Policy::unset)
    return {"dealing of iterations", std::string(flow::name_of(job.run.pardo)),
            "as the job says; a pardo may say otherwise"};
  return {"dealing of iterations", "balanced",
          "the usual: known to all beforehand, no message; a pardo may say otherwise"};
}

Decision look_ahead_of(const Job& job) {
  if (job.run.prefetch.is_auto)
    return {"look-ahead", "depth chosen for each get",
            "from the time of a transfer and of an iteration; less where blocks were evicted "
            "before use"};
  return {"look-ahead", fmt::format("{} for each get", job.run.prefetch.fixed), "as the job says"};
}

Decision placement_of(const Job& job) {
  return {"placement of blocks",
          job.servers == 1 ? "all at server 0" : fmt::format("even over {} servers", job.servers),
          "the home of a block follows from its array and number: no lookup is needed"};
}

}  // namespace

std::vector<Decision> decisions_of(const input::Spec& spec, const Job& job) {
  std::vector<Decision> decisions = {workers_of(job), servers_of(job), memory_of(job),
                                     disk_of(job)};
  add_segments(spec, job, decisions);
  decisions.push_back(dealing_of(job));
  decisions.push_back(look_ahead_of(job));
  decisions.push_back(placement_of(job));
  return decisions;
}

}  // namespace blockyard::job
