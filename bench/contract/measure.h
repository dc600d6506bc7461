// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "blockyard/base/clock.h"

namespace blockyard::bench {

/// Processor seconds of this thread: what others do on the machine meanwhile counts less.
[[nodiscard]] inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds of the clock on the wall, for actions of several threads.
[[nodiscard]] inline double wall_seconds() { return base::now_seconds(); }

/// Best seconds of each of several actions, run in turn so that all see the same machine.
/// An action shorter than `at_least` seconds is repeated within one measurement.
template <double (*seconds_now)() = thread_seconds, class... Actions>
[[nodiscard]] std::vector<double> best_seconds(int rounds, double at_least, Actions... actions) {
  std::vector<double> best(sizeof...(actions), std::numeric_limits<double>::infinity());
  std::vector<int> repeats(sizeof...(actions), 1);
  const auto measure = [&](std::size_t which, auto& action) {
    for (;;) {
      const double begin = seconds_now();
      for (int i = 0; i < repeats[which]; ++i) action();
      const double seconds = seconds_now() - begin;
      if (seconds >= at_least) {
        best[which] = std::min(best[which], seconds / repeats[which]);
        return;
      }
      repeats[which] *= 2;
    }
  };
  for (int round = 0; round < rounds; ++round) {
    std::size_t which = 0;
    (measure(which++, actions), ...);
  }
  return best;
}

/// First line that a shell command prints, or "unknown".
[[nodiscard]] inline std::string first_line(const char* command) {
  std::string line = "unknown";
  if (FILE* pipe = popen(command, "r")) {
    char text[256];
    if (fgets(text, sizeof text, pipe) != nullptr) line = text;
    while (!line.empty() && line.back() == '\n') line.pop_back();
    pclose(pipe);
  }
  return line;
}

/// Name of the processor, and for which one an OpenBLAS in this program chose its kernels:
/// OPENBLAS_CORETYPE in the environment may make it half as fast.
[[nodiscard]] inline std::string machine() {
  const std::string name = first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo");
  using CoreName = char* (*)();
  void* core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  if (core == nullptr) return name;
  return name + ", OpenBLAS for " + reinterpret_cast<CoreName>(core)();
}

/// Commit of the working tree in the current folder, with "-dirty" if it has changes.
[[nodiscard]] inline std::string commit() {
  return first_line("git describe --always --dirty 2>/dev/null");
}

}  // namespace blockyard::bench
