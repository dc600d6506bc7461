// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

/// Arguments as Fortran and CBLAS pass them.
namespace blockyard::blas {

inline constexpr int row_major = 101, column_major = 102;
[[nodiscard]] constexpr bool is_layout(int layout) noexcept {
  return layout == row_major || layout == column_major;
}

[[nodiscard]] constexpr char upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] inline std::int64_t read_integer(const void* value, int width) noexcept {
  if (width == 64) return *static_cast<const std::int64_t*>(value);
  return *static_cast<const std::int32_t*>(value);
}
/// One that came in 64 bits, of which a caller with 32 has set the lower half.
[[nodiscard]] constexpr std::int64_t cut_integer(std::int64_t value, int width) noexcept {
  return width == 64 ? value : static_cast<std::int32_t>(value);
}

/// The meaning of a letter; CBLAS counts each kind from a number of its own.
enum class Flag : std::uint8_t { op, uplo, diag, side };

[[nodiscard]] constexpr int first_number(Flag kind) noexcept {
  return kind == Flag::op ? 111 : kind == Flag::uplo ? 121 : kind == Flag::diag ? 131 : 141;
}
[[nodiscard]] constexpr std::string_view letters(Flag kind) noexcept {
  return kind == Flag::op ? "NTC" : kind == Flag::uplo ? "UL" : kind == Flag::diag ? "NU" : "LR";
}
/// The letter of a CBLAS number; 'X' for an unknown one.
[[nodiscard]] constexpr char letter_of(Flag kind, int number) noexcept {
  const int at = number - first_number(kind);
  const std::string_view all = letters(kind);
  return at >= 0 && at < static_cast<int>(all.size()) ? all[static_cast<std::size_t>(at)] : 'X';
}
[[nodiscard]] constexpr int number_of(Flag kind, char letter) noexcept {
  return first_number(kind) + static_cast<int>(letters(kind).find(letter));
}

/// Integers of the width that a library reads.
template <std::size_t most>
class Integers {
 public:
  explicit Integers(int width) noexcept : is_wide_(width == 64) {}
  [[nodiscard]] const void* add(std::int64_t value) noexcept {
    wide_[used_] = value;
    narrow_[used_] = static_cast<std::int32_t>(value);
    const std::size_t at = used_++;
    return is_wide_ ? static_cast<const void*>(&wide_[at]) : &narrow_[at];
  }
  /// Where Fortran finds an argument: a pointer is one already, and a real factor is the first half
  /// of a complex one.
  template <class Member>
  [[nodiscard]] const void* address(const Member& argument) noexcept {
    if constexpr (std::is_same_v<Member, std::int64_t>)
      return add(argument);
    else if constexpr (std::is_pointer_v<Member>)
      return argument;
    else
      return &argument;
  }

 private:
  bool is_wide_;
  std::size_t used_ = 0;
  std::array<std::int64_t, most> wide_{};
  std::array<std::int32_t, most> narrow_{};
};

/// A member of a call from an argument of Fortran.
template <class Member>
void read_argument(Member& to, const void* from, int width) noexcept {
  if constexpr (std::is_same_v<Member, char>)
    to = upper(*static_cast<const char*>(from));
  else if constexpr (std::is_same_v<Member, std::int64_t>)
    to = read_integer(from, width);
  else if constexpr (std::is_pointer_v<Member>)
    to = static_cast<Member>(const_cast<void*>(from));
  else
    to = *static_cast<const Member*>(from);
}

/// The same of CBLAS: `kind` of a flag; complex factors come by address.
template <class Member, class Given>
void take_argument(Member& to, Given given, Flag kind, int width) noexcept {
  if constexpr (std::is_same_v<Member, char>)
    to = letter_of(kind, given);
  else if constexpr (std::is_same_v<Member, std::int64_t>)
    to = cut_integer(given, width);
  else if constexpr (std::is_pointer_v<Member>)
    to = static_cast<Member>(const_cast<void*>(static_cast<const void*>(given)));
  else if constexpr (std::is_pointer_v<Given>)
    to = *static_cast<const Member*>(given);
  else
    to = Member(given);
}

/// Calls a Fortran subroutine: pointers, then the lengths of its character arguments.
template <std::size_t count, std::size_t flags>
void invoke_fortran(void* function, const std::array<const void*, count>& given,
                    const std::array<std::size_t, flags>& lengths) {
  [&]<std::size_t... k, std::size_t... l>(std::index_sequence<k...>, std::index_sequence<l...>) {
    using Function = void (*)(std::remove_cvref_t<decltype(given[k])>..., decltype(l)...);
    reinterpret_cast<Function>(function)(given[k]..., lengths[l]...);
  }
  (std::make_index_sequence<count>(), std::make_index_sequence<flags>());
}

}  // namespace blockyard::blas
