// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/base/handle.h"
#include "blockyard/device/abi.h"
#include "blockyard/device/abi_plugin.h"

namespace blockyard::device {

/// A device plug-in in memory. It outlives every device opened from its table. Any thread.
class Plugin {
 public:
  /// Loads the shared object at `path` and checks that its table is of our version and complete.
  /// Throws Error{device} with the path and the fault.
  explicit Plugin(const std::string& path);
  [[nodiscard]] const blockyard_device_table& table() const noexcept { return *table_; }
  [[nodiscard]] const blockyard_plugin_about& about() const noexcept { return about_; }
  /// Whether the system shows what it needs. If not, only the driver itself can say.
  [[nodiscard]] bool shows_what_it_needs() const;

 private:
  struct LibraryKind {
    using Raw = void*;
    static Raw null() noexcept { return nullptr; }
    static void release(Raw raw) noexcept;
  };
  base::Handle<LibraryKind> library_;
  const blockyard_device_table* table_ = nullptr;
  blockyard_plugin_about about_{};
};

/// Where the plug-in of a kind of device lies.
[[nodiscard]] std::string plugin_path(std::string_view folder, std::string_view kind);
/// The kinds of device that have a plug-in in the folder, in alphabetical order.
[[nodiscard]] std::vector<std::string> plugin_kinds(const std::string& folder);

/// The fault of a table, or "" if it can be used: version, size, missing functions.
[[nodiscard]] std::string table_fault(const blockyard_device_table* table);

}  // namespace blockyard::device
