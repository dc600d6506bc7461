// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/top.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/help.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/signals.h"
#include "blockyard/report/live_socket.h"

namespace blockyard::app {

namespace {

struct TopOptions {
  bool once = false;
  bool is_json = false;
  std::optional<double> seconds;
  int job = 0;
};

int top(const TopOptions& options) {
  Output output(stdout);
  const std::filesystem::path folder = report::live_folder(std::getenv("XDG_RUNTIME_DIR"));
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  // Into a pipe or a file once is enough, unless a time between updates is asked for.
  const bool is_once = options.once || (!is_terminal && !options.seconds);
  if (!is_once) note_signals();
  while (noted_signal() == 0) {
    report::LiveAnswers answers = report::ask_all_runs(folder);
    report::Top now = report::read_top(answers.texts, options.job);
    now.silent = std::move(answers.silent);
    const std::string text =
        options.is_json ? report::json_of(now) : report::print(now, terminal_width());
    if (is_once) {
      output.print(text);
      return 0;
    }
    output.print(is_terminal && !options.is_json ? "\033[H\033[2J" + text : text);
    constexpr double step = 0.1;  // a signal ends no sleep
    for (double left = options.seconds.value_or(1); left > 0 && noted_signal() == 0; left -= step)
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(step, left)));
  }
  return 128 + noted_signal();
}

}  // namespace

void add_top(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("top", "List your active runs on this machine");
  const auto options = std::make_shared<TopOptions>();  // shared with the function below
  command->add_option("job", options->job, "show only this job (default: all)")->type_name("PID");
  command->add_flag("--once", options->once,
                    "print once and exit (the default if the output is not a terminal)");
  command->add_flag("--json", options->is_json, "print JSON, one object per update");
  command->add_option("--every", options->seconds, "seconds between updates (default: 1)")
      ->check(CLI::Range(0.1, 3600.0));
  commands[command] = [options] { return top(*options); };
}

}  // namespace blockyard::app
