// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/failure.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/current_error.h"

namespace blockyard::app {

int end_by_exception(bool is_told) {
  const auto tell = [&](const char* text) {
    if (is_told) print_error("error: {}\n", text);
  };
  try {
    throw;
  } catch (const UsageError& error) {
    tell(error.what());
    return exit_usage;
  } catch (...) {
    const base::Error error = base::current_error();
    tell(error.what());
    if (is_told && error.code() == base::Errc::internal)
      print_error("This is a bug of blockyard ({}:{}). Please report it.\n", error.at().file_name(),
                  error.at().line());
  }
  return exit_error;
}

}  // namespace blockyard::app
