// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "blockyard/base/handle.h"
#include "blockyard/super/super.h"

struct blockyard_super_table;
struct blockyard_super_device_table;

namespace blockyard::super {

/// The prefix of the path of a shared object compiled for ACES4: aces4:./lib.so.
inline constexpr std::string_view aces_prefix = "aces4:";

/// The name of a shared object with another path, which `change` makes of its own.
template <class Change>
[[nodiscard]] std::string with_path(const std::string& name, const Change& change) {
  const std::size_t begin = name.starts_with(aces_prefix) ? aces_prefix.size() : 0;
  return name.substr(0, begin) + change(name.substr(begin));
}

/// A `special` line of a program.
struct Declared {
  std::string name;
  std::string signature;
};

/// A shared object with super instructions: of c_abi.h, or, with `aces_prefix` before its path,
/// with functions in the convention of ACES4 (detail/aces_functions.h). Must outlive every Table it
/// was added to. Any thread; the functions of ACES4 are called by one worker at a time.
class Library {
 public:
  /// Loads the file. A name without '/' is a file in the current folder, as everywhere else in the
  /// command line. Throws Error{bad_input} that says what is wrong: no such file, not loadable,
  /// no export, another version, a malformed entry.
  explicit Library(const std::string& name);

  /// Adds an entry for each instruction; of ACES4's, which say neither, for those that programs
  /// declare, with these signatures. Throws Error{bad_input} if a name is taken.
  void add_to(Table& table, std::span<const Declared> declared = {}) const;

 private:
  struct SharedObject {
    using Raw = void*;
    static Raw null() noexcept { return nullptr; }
    static void release(Raw raw) noexcept;
  };
  void open();
  void read_table();
  void read_forms();

  std::string path_;
  std::unique_ptr<std::mutex> calls_;  ///< guards the functions of ACES4's; null: it has c_abi.h
  base::Handle<SharedObject> object_;
  const blockyard_super_table* instructions_ = nullptr;
  const blockyard_super_device_table* forms_ = nullptr;  ///< null: it has none
};

}  // namespace blockyard::super
