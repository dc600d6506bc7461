// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/fabric/fabric.h"
#include "blockyard/ring/layout.h"
#include "blockyard/store/lock.h"

namespace blockyard::lattice {

/// Keeps other runs from writing parts of the same result, of which the first to end would remove
/// those of the other. Throws Error{bad_input} if another run is at it, Error{io}.
[[nodiscard]] store::FileLock claim_parts(const std::string& result);

/// Files of slices that one result shows as one array. They lie in the folder RESULT.parts, under
/// names that no other run has, so that an older result keeps its own until the new one has its
/// name. One thread.
class ResultParts {
 public:
  /// Collective: all ranks agree on the names. `result`: the path of the result.
  ResultParts(fabric::Fabric& fabric, const std::string& result);
  /// The path of the part of a place, and its name as the result refers to it.
  [[nodiscard]] std::string path(int place) const;
  [[nodiscard]] std::vector<std::string> names(int places) const;
  /// Collective. Calls `write` at all ranks whose turn it is; ranks of one process one after the
  /// other, as HDF5 is used by one thread at a time.
  void in_turn(const std::function<void()>& write) const;
  /// The result has its name: parts of older ones go, and nothing else. REQUIRES: claim_parts.
  void remove_others() const noexcept;

 private:
  [[nodiscard]] std::string name(int place) const;
  /// Whether a file of the folder is named as a part of another run is.
  [[nodiscard]] bool is_of_other_run(std::string_view name) const;
  fabric::Fabric& fabric_;
  std::string result_;
  std::string id_;
};

}  // namespace blockyard::lattice
