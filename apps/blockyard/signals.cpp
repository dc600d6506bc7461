// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/signals.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string_view>
#include <utility>

namespace blockyard::app {

namespace {

// The only globals of the program: a signal handler has no argument to take its context from.
std::atomic<int> noted{0};
std::atomic<int> noted_requests{0};
std::atomic<bool> noted_urgency{false};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

constexpr auto ending_signals =
    std::to_array<std::pair<int, std::string_view>>({{SIGINT, "SIGINT"},
                                                     {SIGTERM, "SIGTERM"},
                                                     {SIGHUP, "SIGHUP"},
                                                     {SIGALRM, "SIGALRM"},
                                                     {SIGUSR2, "SIGUSR2"},
                                                     {SIGXCPU, "SIGXCPU"},
                                                     {SIGVTALRM, "SIGVTALRM"},
                                                     {SIGPROF, "SIGPROF"},
                                                     {SIGIO, "SIGIO"},
                                                     {SIGPWR, "SIGPWR"}});

extern "C" void note(int signal) {
  int none = 0;
  if (noted.compare_exchange_strong(none, signal)) return;
  // The others come by themselves again: SIGXCPU each second, SIGHUP from shell and terminal.
  if (signal != SIGINT && signal != SIGTERM) return;
  noted_urgency = true;
  std::signal(signal, SIG_DFL);
}
extern "C" void note_request(int) { ++noted_requests; }
extern "C" void ignore(int) {}

/// Neither the caller (nohup) nor a library loaded before (a profiler) has taken it.
bool is_usual(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

}  // namespace

void note_signals() {
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = note;
  for (const auto& [signal, name] : ending_signals)
    if (signal == SIGINT || signal == SIGTERM || is_usual(signal))
      sigaction(signal, &action, nullptr);
  action.sa_handler = note_request;
  sigaction(SIGUSR1, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void survive_file_limit() {
  // Not SIG_IGN, which programs that this one starts would inherit.
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = ignore;
  if (is_usual(SIGXFSZ)) sigaction(SIGXFSZ, &action, nullptr);
}

int noted_signal() noexcept { return noted; }

int checkpoint_signals() noexcept { return noted_requests; }

bool is_urgent() noexcept { return noted_urgency; }

std::string describe_signal(int signal) {
  if (signal == SIGINT) return "interrupted (SIGINT)";
  for (const auto& [number, name] : ending_signals)
    if (number == signal) return fmt::format("stopped by signal {} ({})", signal, name);
  return fmt::format("stopped by signal {}", signal);
}

std::string describe_end(std::string_view cause) {
  const std::string signal = describe_signal(noted_signal());
  return fmt::format("{}{}", cause.starts_with(signal) ? "" : signal + ": ", cause);
}

}  // namespace blockyard::app
