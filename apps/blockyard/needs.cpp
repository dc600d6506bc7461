// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/needs.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "apps/blockyard/output.h"
#include "blockyard/job/memory_plan.h"
#include "blockyard/plan/plan.h"

namespace blockyard::app {

namespace {

void warn_of_memory(const job::Job& job) {
  const std::string warning =
      job::memory_warning(job.memory.total_bytes,
                          job.granted ? *job.granted : job::granted_memory(job.processes_on_node));
  if (!warning.empty()) print_error("warning: {}\n", warning);
}

void warn_of_disk(const job::Job& job) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path scratch =
      job.run.scratch.empty() ? fs::temp_directory_path(error) : fs::path(job.run.scratch);
  const fs::space_info space = fs::space(scratch, error);
  std::optional<double> free_bytes;
  if (!error && job.processes_on_node == job.processes)  // else there is space on other machines
    free_bytes = static_cast<double>(space.available);
  const std::string warning = plan::disk_warning(job, free_bytes);
  if (!warning.empty()) print_error("warning: {}\n", warning);
}

}  // namespace

void warn_of_needs(const job::Job& job) {
  warn_of_memory(job);
  warn_of_disk(job);
}

}  // namespace blockyard::app
