// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/base/handle.h"
#include "blockyard/device/abi.h"

namespace blockyard::device {

/// A device plug-in in memory. It outlives every device opened from its table. Any thread.
class Plugin {
 public:
  /// Loads the shared object at `path` and checks that its table is of our version and complete.
  /// Throws Error{device} that names the path and says what is wrong.
  explicit Plugin(const std::string& path);
  [[nodiscard]] const blockyard_device_table& table() const noexcept { return *table_; }

 private:
  struct LibraryKind {
    using Raw = void*;
    static Raw null() noexcept { return nullptr; }
    static void release(Raw raw) noexcept;
  };
  base::Handle<LibraryKind> library_;
  const blockyard_device_table* table_ = nullptr;
};

/// What is wrong with a table, or "" if it can be used: version, size, missing functions.
[[nodiscard]] std::string table_fault(const blockyard_device_table* table);

}  // namespace blockyard::device
