// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "blockyard/base/bytes.h"

namespace blockyard::base {

/// A sequence of plain values is copied as it lies in memory.
template <class T>
concept PlainSequence = requires(T t) {
  t.resize(std::size_t{});
}
&&std::is_trivially_copyable_v<typename T::value_type>;

/// Writes plain values, texts, sequences and maps one after the other, lengths first. With
/// FieldReader, which has the same functions, one template lists the fields for both directions.
class FieldWriter {
 public:
  template <class... Fields>
  void fields(const Fields&... values) {
    (field(values), ...);
  }

  template <class T>
  void field(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      out_.value(value);
    } else if constexpr (PlainSequence<T>) {
      out_.value(std::uint64_t{value.size()});
      out_.raw(std::as_bytes(std::span(value.data(), value.size())));
    } else if constexpr (requires { typename T::mapped_type; }) {
      out_.value(std::uint64_t{value.size()});
      for (const auto& [key, mapped] : value) fields(key, mapped);
    } else {
      each(value, [&](const auto& element) { field(element); });
    }
  }

  /// A sequence; `write` writes one element.
  template <class T, class Write>
  void each(const T& sequence, const Write& write) {
    out_.value(std::uint64_t{sequence.size()});
    for (const auto& element : sequence) write(element);
  }

  [[nodiscard]] std::vector<std::byte> take() noexcept { return out_.take(); }

 private:
  ByteWriter out_;
};

/// Reads what FieldWriter wrote. Throws Error{bad_input} past the end.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) noexcept : in_(bytes) {}

  template <class... Fields>
  void fields(Fields&... values) {
    (field(values), ...);
  }

  template <class T>
  void field(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      value = in_.value<T>();
    } else if constexpr (PlainSequence<T>) {
      using Element = typename T::value_type;
      const auto count = in_.value<std::uint64_t>();
      if (count > in_.left() / sizeof(Element)) (void)in_.raw(in_.left() + 1);  // throws
      value.resize(count);
      const auto bytes = in_.raw(count * sizeof(Element));
      if (count > 0) std::memcpy(value.data(), bytes.data(), bytes.size());
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (auto count = in_.value<std::uint64_t>(); count > 0; --count) {
        typename T::key_type key;
        field(key);
        field(value[key]);
      }
    } else {
      each(value, [&](auto& element) { field(element); });
    }
  }

  template <class T, class Read>
  void each(T& sequence, const Read& read) {
    for (auto count = in_.value<std::uint64_t>(); count > 0; --count) read(sequence.emplace_back());
  }

 private:
  ByteReader in_;
};

}  // namespace blockyard::base
