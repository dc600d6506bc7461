// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/signals.h"

#include <atomic>
#include <csignal>

namespace blockyard::app {

namespace {

// The only globals of the program: a signal handler has no argument to take its context from.
std::atomic<int> noted{0};
std::atomic<int> noted_requests{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void note(int signal) { noted = signal; }
extern "C" void note_request(int) { ++noted_requests; }

}  // namespace

void note_signals() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = note_request;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  // A closed pipe or too large a file is an error of the write, which ends the run in order.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int noted_signal() noexcept { return noted; }

int checkpoint_signals() noexcept { return noted_requests; }

}  // namespace blockyard::app
