// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace blockyard::job {

/// Where the things lie that come with Blockyard.
struct Places {
  std::string programs;              ///< folder of our SIAL programs (sialib)
  std::string basis_sets;            ///< folder of the basis set files
  std::vector<std::string> imports;  ///< more folders to look for imported files
};

}  // namespace blockyard::job
