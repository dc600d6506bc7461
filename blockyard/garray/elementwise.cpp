// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>

namespace blockyard::garray {

namespace {

using fabric::with_type;

template <class T>
constexpr bool is_complex = !std::is_arithmetic_v<T>;

template <class T>
auto magnitude(T value) {
  if constexpr (std::is_integral_v<T>)
    return value < 0 ? static_cast<T>(T{} - value) : value;
  else
    return std::abs(value);
}

/// The key by which elements are compared.
template <class T>
auto weight(T value) {
  if constexpr (is_complex<T>)
    return std::abs(value);
  else
    return value;
}

/// Calls visit(T*, strides, piece) with the type of the elements.
template <class Visit>
void for_each_typed(const Patch& patch, const Visit& visit) {
  with_type(element_of(patch.array), [&](auto value) {
    using T = decltype(value);
    for_each_own(patch, [&](const Piece& piece, std::byte* data) {
      visit(reinterpret_cast<T*>(data), piece);
    });
  });
}

/// element = change(element)
template <class Change>
void change_each(const Patch& patch, const Change& change) {
  for_each_typed(patch, [&](auto* data, const Piece& piece) {
    for_each_offset<1>(piece.box, {piece.strides},
                       [&](const auto& at) { data[at[0]] = change(data[at[0]]); });
  });
}

template <class T>
T combined(const Array& divisor, Binary op, T a, T b) {
  switch (op) {
    case Binary::multiply:
      return a * b;
    case Binary::divide:
      if (b == T{}) refuse(divisor, "has an element that is zero, and is divided by");
      return a / b;
    case Binary::maximum:
      return weight(a) < weight(b) ? b : a;
    default:
      return weight(b) < weight(a) ? b : a;
  }
}

}  // namespace

void zero(const Patch& patch) {
  const std::vector<std::byte> nothing(patch.array.kind.bytes);
  fill(patch, nothing.data());
}

void fill(const Patch& patch, const void* value) {
  const std::size_t unit = patch.array.kind.bytes;
  const auto* bytes = static_cast<const std::byte*>(value);
  const bool is_zero =
      std::all_of(bytes, bytes + unit, [](std::byte b) { return b == std::byte{}; });
  for_each_own(patch, [&](const Piece& piece, std::byte* data) {
    Box lines = piece.box;
    lines.end[0] = lines.first[0] + 1;
    const auto length = static_cast<std::size_t>(piece.box.extent(0)) * unit;
    const std::byte* line = nullptr;
    for_each_offset<1>(lines, {piece.strides}, [&](const auto& at) {
      std::byte* to = data + static_cast<std::size_t>(at[0]) * unit;
      if (is_zero) {
        std::memset(to, 0, length);
      } else if (line != nullptr) {
        std::memcpy(to, line, length);
      } else {
        for (std::size_t i = 0; i < length; i += unit) std::memcpy(to + i, value, unit);
        line = to;
      }
    });
  });
}

void scale(const Patch& patch, const void* value) {
  with_type(element_of(patch.array), [&](auto type) {
    using T = decltype(type);
    const T factor = *static_cast<const T*>(value);
    for_each_own(patch, [&](const Piece& piece, std::byte* data) {
      T* to = reinterpret_cast<T*>(data);
      for_each_offset<1>(piece.box, {piece.strides},
                         [&](const auto& at) { to[at[0]] = static_cast<T>(to[at[0]] * factor); });
    });
  });
}

void randomize(const Patch& patch, const void* value, std::uint64_t seed) {
  with_type(element_of(patch.array), [&](auto type) {
    using T = decltype(type);
    const T most = *static_cast<const T*>(value);
    std::mt19937_64 source(seed);
    std::uniform_real_distribution<double> part(0, 1);
    for_each_own(patch, [&](const Piece& piece, std::byte* data) {
      T* to = reinterpret_cast<T*>(data);
      for_each_offset<1>(piece.box, {piece.strides}, [&](const auto& at) {
        if constexpr (is_complex<T>) {
          using Part = typename T::value_type;
          to[at[0]] = T(most.real() * static_cast<Part>(part(source)),
                        most.imag() * static_cast<Part>(part(source)));
        } else {
          to[at[0]] = static_cast<T>(static_cast<double>(most) * part(source));
        }
      });
    });
  });
}

void add(const Runtime& runtime, const void* alpha, const Patch& a, const void* beta,
         const Patch& b, const Patch& c) {
  require_same_kind(a.array, c.array);
  require_same_kind(b.array, c.array);
  Operand left(runtime, a, c.box), right(runtime, b, c.box);
  with_type(element_of(c.array), [&](auto type) {
    using T = decltype(type);
    const T fa = *static_cast<const T*>(alpha), fb = *static_cast<const T*>(beta);
    for_each_own(c, [&](const Piece& piece, std::byte* data) {
      const View va = left.part(piece.box), vb = right.part(piece.box);
      const T* pa = reinterpret_cast<const T*>(va.data);
      const T* pb = reinterpret_cast<const T*>(vb.data);
      T* pc = reinterpret_cast<T*>(data);
      for_each_offset<3>(piece.box, {va.strides, vb.strides, piece.strides}, [&](const auto& at) {
        pc[at[2]] = static_cast<T>(fa * pa[at[0]] + fb * pb[at[1]]);
      });
    });
  });
}

void apply(Unary op, const Patch& patch, const void* constant) {
  change_each(patch, [&](auto value) {
    using T = decltype(value);
    if (op == Unary::absolute) return T(magnitude(value));
    if (op == Unary::add_constant) return static_cast<T>(value + *static_cast<const T*>(constant));
    if (value == T{}) refuse(patch.array, "has an element that is zero, and no reciprocal");
    return static_cast<T>(T(1) / value);
  });
}

void apply(const Runtime& runtime, Binary op, const Patch& a, const Patch& b, const Patch& c) {
  require_same_kind(a.array, c.array);
  require_same_kind(b.array, c.array);
  Operand left(runtime, a, c.box), right(runtime, b, c.box);
  for_each_typed(c, [&](auto* pc, const Piece& piece) {
    using T = std::remove_pointer_t<decltype(pc)>;
    const View va = left.part(piece.box), vb = right.part(piece.box);
    const T* pa = reinterpret_cast<const T*>(va.data);
    const T* pb = reinterpret_cast<const T*>(vb.data);
    for_each_offset<3>(piece.box, {va.strides, vb.strides, piece.strides}, [&](const auto& at) {
      pc[at[2]] = combined<T>(b.array, op, pa[at[0]], pb[at[1]]);
    });
  });
}

void median(const Runtime& runtime, const Patch& a, const Patch& b, const Patch& c,
            const Patch& m) {
  for (const Patch* from : {&a, &b, &c}) require_same_kind(from->array, m.array);
  Operand oa(runtime, a, m.box), ob(runtime, b, m.box), oc(runtime, c, m.box);
  for_each_typed(m, [&](auto* pm, const Piece& piece) {
    using T = std::remove_pointer_t<decltype(pm)>;
    const View va = oa.part(piece.box), vb = ob.part(piece.box), vc = oc.part(piece.box);
    const T* pa = reinterpret_cast<const T*>(va.data);
    const T* pb = reinterpret_cast<const T*>(vb.data);
    const T* pc = reinterpret_cast<const T*>(vc.data);
    for_each_offset<4>(piece.box, {va.strides, vb.strides, vc.strides, piece.strides},
                       [&](const auto& at) {
                         T x = pa[at[0]], y = pb[at[1]];
                         const T z = pc[at[2]];
                         if (weight(y) < weight(x)) std::swap(x, y);
                         pm[at[3]] = weight(z) < weight(x) ? x : weight(y) < weight(z) ? y : z;
                       });
  });
}

}  // namespace blockyard::garray
