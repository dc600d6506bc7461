// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace blockyard::input {

/// The locations of the files that come with Blockyard.
struct Places {
  std::string programs;              ///< folder of our SIAL programs (sialib)
  std::string basis_sets;            ///< folder of the basis set files
  std::vector<std::string> imports;  ///< more folders to look for imported files
  /// SIAL sources in memory, by name: they win over files of that name.
  std::map<std::string, std::string, std::less<>> texts = {};
  std::string plugins{};  ///< folder of the device plug-ins
};

}  // namespace blockyard::input
