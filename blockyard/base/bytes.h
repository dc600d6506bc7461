// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::base {

static_assert(std::endian::native == std::endian::little,
              "files and messages are little-endian; a big-endian machine needs swaps here");

/// Appends plain values to a growing byte string, little-endian. One thread.
class ByteWriter {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(std::as_bytes(std::span(&v, 1)));
  }
  void raw(std::span<const std::byte> bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  /// u32 length, then the characters.
  void text(std::string_view s) {
    value(static_cast<std::uint32_t>(s.size()));
    raw(std::as_bytes(std::span(s.data(), s.size())));
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return out_; }
  [[nodiscard]] std::vector<std::byte> take() noexcept { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
};

/// Reads what ByteWriter wrote. Every read is checked: throws Error{bad_input} past the end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}
  template <class T>
  [[nodiscard]] T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T v;
    std::memcpy(&v, raw(sizeof(T)).data(), sizeof(T));
    return v;
  }
  [[nodiscard]] std::span<const std::byte> raw(std::size_t count) {
    if (count > rest_.size()) throw Error(Errc::bad_input, "the data end too early");
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  [[nodiscard]] std::string text() {
    const auto bytes = raw(value<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace blockyard::base
