// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "blockyard/base/error.h"

namespace blockyard::store {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

namespace {

/// The same for all names of a file; empty for what is no file, or may be named twice.
fs::path place_of(const std::string& name) {
  std::error_code error;
  if (name.empty() || name == "-") return {};
  const bool is_other = fs::exists(name, error) && !fs::is_regular_file(name, error);
  return is_other ? fs::path() : fs::weakly_canonical(fs::absolute(name, error), error);
}

}  // namespace

void check_apart(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  if (std::ranges::count(outputs, "-") > 1)
    throw Error(Errc::bad_input, "standard output (-) is named for two outputs");
  std::vector<fs::path> taken;
  for (const std::string& name : inputs) taken.push_back(place_of(name));
  for (const std::string& name : outputs) {
    const fs::path place = place_of(name);
    if (place.empty()) continue;
    const auto found = std::ranges::find(taken, place);
    if (found != taken.end())
      throw Error(Errc::bad_input,
                  found - taken.begin() < std::ssize(inputs)
                      ? fmt::format("{} would be written over, but it is read", name)
                      : fmt::format("{} is named for two outputs", name));
    taken.push_back(place);
  }
}

}  // namespace blockyard::store
