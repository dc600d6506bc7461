// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "blockyard/base/integer.h"

namespace blockyard::ga {

/// Integers of a caller, 4 or 8 bytes each, to read or to write.
class Ints {
 public:
  Ints(int* narrow) : narrow_(narrow) {}
  Ints(std::int64_t* wide) : wide_(wide) {}
  Ints(std::nullptr_t) {}

  [[nodiscard]] bool is_null() const noexcept { return narrow_ == nullptr && wide_ == nullptr; }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const noexcept {
    return wide_ != nullptr ? wide_[i] : narrow_[i];
  }
  /// Throws Error{bad_input} if the caller's integers are too narrow.
  void set(std::size_t i, std::int64_t value) const {
    if (wide_ != nullptr)
      wide_[i] = value;
    else
      narrow_[i] = base::to_int(value);
  }
  /// The list itself; null if its integers have the other width.
  [[nodiscard]] int* narrow() const noexcept { return narrow_; }
  [[nodiscard]] std::int64_t* wide() const noexcept { return wide_; }
  [[nodiscard]] Ints from(std::size_t i) const noexcept {
    return wide_ != nullptr ? Ints(wide_ + i) : Ints(narrow_ == nullptr ? nullptr : narrow_ + i);
  }

 private:
  int* narrow_ = nullptr;
  std::int64_t* wide_ = nullptr;
};

/// Lists of such integers. The callee may also fill them with lists that it allocates.
class IntLists {
 public:
  IntLists(int** narrow) : narrow_(narrow) {}
  IntLists(std::int64_t** wide) : wide_(wide) {}

  [[nodiscard]] bool is_wide() const noexcept { return wide_ != nullptr; }
  [[nodiscard]] Ints operator[](std::size_t i) const noexcept {
    return wide_ != nullptr ? Ints(wide_[i]) : Ints(narrow_[i]);
  }
  [[nodiscard]] int** narrow() const noexcept { return narrow_; }
  [[nodiscard]] std::int64_t** wide() const noexcept { return wide_; }

 private:
  int** narrow_ = nullptr;
  std::int64_t** wide_ = nullptr;
};

/// The largest Integer where the count is larger: of 4 bytes, it holds no more.
template <class Integer>
[[nodiscard]] Integer counted(std::size_t count) noexcept {
  constexpr auto most = std::numeric_limits<Integer>::max();
  return count > static_cast<std::size_t>(most) ? most : static_cast<Integer>(count);
}

}  // namespace blockyard::ga
