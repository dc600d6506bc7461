// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::app {

/// From now on SIGINT and SIGTERM do not end the process at once; the first is noted, a second one
/// of the same kind kills. Writing to a closed pipe or past a limit of files is only an error.
void note_signals();

/// How often SIGUSR1 came: a wish for a checkpoint.
[[nodiscard]] int checkpoint_signals() noexcept;

/// The signal that came, or 0.
[[nodiscard]] int noted_signal() noexcept;

}  // namespace blockyard::app
