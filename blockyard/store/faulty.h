// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <mutex>
#include <string_view>

#include "blockyard/store/file.h"

namespace blockyard::store {

enum class Call { open, read_at, write_at, size, sync, remove };

/// A fault, and when it occurs.
struct Fault {
  enum class Kind {
    fail,         ///< throws Error{io} and does nothing
    short_write,  ///< writes the first half, then throws Error{io}
    flip_bit      ///< one bit of the middle byte read or written is wrong, without an error
  };
  Call call = Call::write_at;
  Kind kind = Kind::fail;
  int first = 0;  ///< calls of that kind before it, over all files
  int count = 1;  ///< this many calls in a row go wrong
};

/// A store in front of another in which one thing goes wrong: for tests.
/// Any thread: mutex_ guards calls_.
class FaultyStore final : public Store {
 public:
  FaultyStore(Store& inner, Fault fault) : inner_(inner), fault_(fault) {}

  [[nodiscard]] std::unique_ptr<File> open(const std::filesystem::path& path,
                                           OpenMode mode) override;
  void remove(const std::filesystem::path& path) override;
  [[nodiscard]] int calls(Call call) const;

 private:
  class FaultyFile;
  /// Counts the call; true if it is to be faulty. Throws if it is to fail.
  bool strikes(Call call, const std::filesystem::path& path);

  Store& inner_;
  Fault fault_;
  mutable std::mutex mutex_;
  std::array<int, 6> calls_{};  // by Call
};

}  // namespace blockyard::store
