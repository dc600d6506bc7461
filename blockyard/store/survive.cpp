// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/survive.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>

#include "blockyard/base/error.h"

namespace blockyard::store {

namespace {

/// Ends even a loop over a damaged structure.
constexpr rlim_t most_seconds = 60;

[[noreturn]] void read_and_leave(const std::function<void()>& read) {
  // Uninitialised memory is then never a valid pointer: crashes do not depend on the heap.
  constexpr int pattern = 0x5a;
  (void)mallopt(M_PERTURB, pattern);
  const rlimit none{0, 0};
  const rlimit time{most_seconds, most_seconds};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)setrlimit(RLIMIT_CPU, &time);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) (void)std::signal(number, SIG_DFL);
  try {
    read();
  } catch (const std::exception&) {
    // Told by the reader that is asked next.
  }
  _exit(0);
}

}  // namespace

void check_survivable(const std::filesystem::path& path, const std::function<void()>& read) {
  const pid_t child = fork();
  if (child == 0) read_and_leave(read);
  if (child < 0) return;  // a system without room for a process has other worries
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return;
  if (!WIFSIGNALED(status)) return;
  throw base::Error(base::Errc::bad_input,
                    fmt::format("{}: the file is damaged: the HDF5 library crashes on it (signal "
                                "{}); write it anew",
                                path.string(), WTERMSIG(status)));
}

}  // namespace blockyard::store
