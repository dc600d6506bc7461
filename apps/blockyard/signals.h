// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace blockyard::app {

/// From now on what asks a run to end (SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR2, SIGXCPU) does not
/// end the process at once; the first is noted. SIGINT or SIGTERM once more makes it urgent, and
/// after that one kills. A hangup that the caller ignores (nohup) stays ignored. Writing to a
/// closed pipe is only an error.
void note_signals();

/// From now on a write past the limit of file sizes (`ulimit -f`) is only an error. Programs that
/// this one starts begin as they would without it.
void survive_file_limit();

/// How often SIGUSR1 came: a wish for a checkpoint.
[[nodiscard]] int checkpoint_signals() noexcept;

/// The first signal that came, or 0.
[[nodiscard]] int noted_signal() noexcept;

/// Whether the user asked a second time: the end is not to wait for a checkpoint.
[[nodiscard]] bool is_urgent() noexcept;

/// "interrupted (SIGINT)" or "stopped by signal 15 (SIGTERM)".
[[nodiscard]] std::string describe_signal(int signal);
/// Why a run ended after the noted signal: it, then the cause if that is another.
[[nodiscard]] std::string describe_end(std::string_view cause);

}  // namespace blockyard::app
