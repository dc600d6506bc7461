// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

namespace blockyard::store {

/// Runs `read` in a child process, and returns if that lived to its end, whether or not `read`
/// threw. Libraries may crash on the structure of a damaged file, whatever they are asked. Throws
/// Error{bad_input}, naming the file, if the child died of a signal. Before this process has
/// threads or MPI.
void check_survivable(const std::filesystem::path& path, const std::function<void()>& read);

}  // namespace blockyard::store
