// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/read_file.h"
#include "blockyard/plan/machine.h"
#include "blockyard/report/report.h"

namespace blockyard::report {

ReportContext begin_report(const job::Job& job, std::string command) {
  ReportContext context;
  context.command = std::move(command);
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) context.host = host.data();
  context.processor = plan::processor_name();
  context.cores = base::usable_cores();
  context.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  for (const job::Step& step : job.steps)
    for (const std::string& file : step.program.files) {
      if (context.sources.contains(file)) continue;
      try {
        context.sources[file] = base::read_file(file);
      } catch (const base::Error&) {  // a compiled program may have come without its source
      }
    }
  return context;
}

}  // namespace blockyard::report
