// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "blockyard/fabric/mpi/session.h"

namespace blockyard::app {

/// Adds the option --fabric.
void add_fabric_option(CLI::App& command, std::string& fabric);

/// The processes among which mpirun started this one; null if it is to run alone. With `fabric`
/// "auto" the launcher's environment tells, "loopback" is alone, "mpi" is not.
/// Throws base::Error{bad_input} if this program cannot work with the others.
[[nodiscard]] std::unique_ptr<fabric::MpiSession> join_processes(const std::string& fabric);

/// Whether mpirun or another launcher of MPI started this process, be it alone.
[[nodiscard]] bool is_launched();

/// Collective. The text of `make` at process 0, at all processes. Throws its exception at all of
/// them.
[[nodiscard]] std::string share_text(fabric::MpiSession* session,
                                     const std::function<std::string()>& make);

/// What `work` returns, or the exit code of what it throws, which process 0 tells.
[[nodiscard]] int run_quietly(const fabric::MpiSession* session, const std::function<int()>& work);

}  // namespace blockyard::app
