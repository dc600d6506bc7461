// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/base/handle.h"
#include "blockyard/super/super.h"

struct blockyard_super_table;

namespace blockyard::super {

/// A shared object with super instructions (c_abi.h). Must outlive every Table it was added to.
/// Any thread.
class Library {
 public:
  /// Loads the file. A name without '/' is a file in the current folder, as everywhere else in the
  /// command line. Throws Error{bad_input} that says what is wrong: no such file, not loadable,
  /// no export, another version, a malformed entry.
  explicit Library(const std::string& path);

  /// Adds an entry for each instruction. Throws Error{bad_input} if a name is taken.
  void add_to(Table& table) const;

 private:
  struct SharedObject {
    using Raw = void*;
    static Raw null() noexcept { return nullptr; }
    static void release(Raw raw) noexcept;
  };
  std::string path_;
  base::Handle<SharedObject> object_;
  const blockyard_super_table* instructions_ = nullptr;
};

}  // namespace blockyard::super
