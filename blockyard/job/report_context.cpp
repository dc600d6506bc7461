// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/job/plan/machine.h"
#include "blockyard/job/program_file.h"
#include "blockyard/job/report.h"

namespace blockyard::job {

ReportContext begin_report(const Job& job, std::string command) {
  ReportContext context;
  context.command = std::move(command);
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) context.host = host.data();
  context.processor = processor_name();
  context.cores = base::usable_cores();
  context.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  for (const Step& step : job.steps)
    for (const std::string& file : step.program.files) {
      if (context.sources.contains(file)) continue;
      try {
        context.sources[file] = read_file(file);
      } catch (const base::Error&) {  // a compiled program may have come without its source
      }
    }
  return context;
}

}  // namespace blockyard::job
