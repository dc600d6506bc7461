// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/wire/detail/fields.h"
#include "blockyard/wire/messages.h"

namespace blockyard::wire {
namespace {

using base::Errc;
using base::Error;
using Kind = std::uint8_t;
static_assert(std::variant_size_v<Any> <= 256);

constexpr PutMode last_of(PutMode) { return PutMode::multiply; }
constexpr array::ElementType last_of(array::ElementType) { return array::ElementType::c64; }
constexpr Failure last_of(Failure) { return Failure::no_label; }

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept Sequence = requires(T t) {
  t.resize(std::size_t{});
};

class Encoder {
 public:
  // Most messages fit: one allocation each.
  Encoder() { out_.reserve(128); }
  std::vector<std::byte> take() { return std::move(out_); }

  template <class T>
  void add(const T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      add(static_cast<std::uint8_t>(v));
    } else if constexpr (std::is_enum_v<T>) {
      add(static_cast<std::underlying_type_t<T>>(v));
    } else if constexpr (Number<T>) {
      raw(std::as_bytes(std::span(&v, 1)));
    } else if constexpr (Sequence<T>) {
      add(std::uint64_t{v.size()});
      raw(std::as_bytes(std::span(v)));
    } else if constexpr (std::is_same_v<T, ServerCounts>) {
      base::for_each_metric(server_metrics(), v, [&](const auto&, auto number) { add(number); });
    } else {
      std::apply([&](const auto&... field) { (add(field), ...); }, detail::fields(v));
    }
  }

 private:
  void raw(std::span<const std::byte> bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> out_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

  template <class T>
  void read(T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      v = limited(1) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      v = static_cast<T>(limited(static_cast<std::uint8_t>(last_of(T{}))));
    } else if constexpr (Number<T>) {
      std::memcpy(&v, raw(sizeof v).data(), sizeof v);
    } else if constexpr (Sequence<T>) {
      read_sequence(v);
    } else if constexpr (std::is_same_v<T, ServerCounts>) {
      for (const auto& row : server_metrics())
        std::visit([&](const auto field) { read(v.*field); }, row.field);
    } else {
      std::apply([&](auto&... field) { (read(field), ...); }, detail::fields(v));
    }
  }

 private:
  /// A byte that is at most `last`.
  std::uint8_t limited(std::uint8_t last) {
    std::uint8_t v = 0;
    read(v);
    if (v > last)
      throw Error(Errc::comm, fmt::format("a message holds {} where {} is the last "
                                          "known value",
                                          v, last));
    return v;
  }

  template <class T>
  void read_sequence(T& v) {
    std::uint64_t count = 0;
    read(count);
    // Checked before anything is allocated.
    if (count > rest_.size() / sizeof(typename T::value_type)) too_short();
    v.resize(count);
    const auto bytes = raw(count * sizeof(typename T::value_type));
    if (!bytes.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
  }

  std::span<const std::byte> raw(std::size_t count) {
    if (count > rest_.size()) too_short();
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  [[noreturn]] static void too_short() { throw Error(Errc::comm, "a message ends too early"); }

  std::span<const std::byte> rest_;
};

template <class Message>
Any read_as(Decoder& in) {
  Message message;
  in.read(message);
  return message;
}

template <std::size_t... I>
Any read_kind(std::size_t kind, Decoder& in, std::index_sequence<I...>) {
  using Reader = Any (*)(Decoder&);
  constexpr std::array<Reader, sizeof...(I)> readers{
      read_as<std::variant_alternative_t<I, Any>>...};
  if (kind >= readers.size())
    throw Error(Errc::comm, fmt::format("a message is of the unknown kind {}", kind));
  return readers[kind](in);
}

}  // namespace

std::vector<std::byte> encode(const Any& message) {
  Encoder out;
  out.add(static_cast<Kind>(message.index()));
  std::visit([&](const auto& m) { out.add(m); }, message);
  return out.take();
}

Any decode(std::span<const std::byte> bytes) {
  Decoder in(bytes);
  Kind kind = 0;
  in.read(kind);
  Any message = read_kind(kind, in, std::make_index_sequence<std::variant_size_v<Any>>());
  if (in.left() != 0)
    throw Error(Errc::comm,
                fmt::format("a message of kind {} has {} bytes too many", kind, in.left()));
  return message;
}

}  // namespace blockyard::wire
