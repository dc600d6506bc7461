// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/array/box.h"
#include "blockyard/ga/tongue.h"

namespace blockyard::ga {

/// "[0..9][4]" or "(1:10,5)".
[[nodiscard]] std::string text_of(const array::Box& box, Tongue tongue);

/// Plain values one after the other, as ranks of one program send them to each other.
class Packer {
 public:
  void add(std::string_view bytes) {
    const std::uint64_t length = bytes.size();
    text_.append(reinterpret_cast<const char*>(&length), sizeof(length)).append(bytes);
  }
  template <class T>
  void add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// Takes them out again, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::string_view text) : text_(text) {}
  [[nodiscard]] std::string_view bytes() {
    std::uint64_t length = 0;
    std::memcpy(&length, text_.data(), sizeof(length));
    const std::string_view found = text_.substr(sizeof(length), length);
    text_.remove_prefix(sizeof(length) + length);
    return found;
  }
  template <class T>
  [[nodiscard]] std::vector<T> values() {
    const std::string_view from = bytes();
    std::vector<T> values(from.size() / sizeof(T));
    if (!values.empty()) std::memcpy(static_cast<void*>(values.data()), from.data(), from.size());
    return values;
  }
  [[nodiscard]] bool is_empty() const noexcept { return text_.empty(); }

 private:
  std::string_view text_;
};

}  // namespace blockyard::ga
