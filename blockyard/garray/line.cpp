// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/line.h"

#include <fmt/format.h>

#include <algorithm>

namespace blockyard::garray {

namespace {

using fabric::Element;
using fabric::Reduction;
using fabric::with_type;

Box box_of(Range range) { return {.axes = 1, .first = {range.first}, .end = {range.end}}; }

void check(const Array& array, Range range) {
  if (array.axes() != 1) refuse(array, fmt::format("has {} axes; this is for 1", array.axes()));
  if (range.first < 0 || range.end > array.extents[0] || range.first > range.end)
    refuse(array, fmt::format("has {} elements, and no {}..{} among them", array.extents[0],
                              range.first, range.end - 1));
}

/// As patches of more axes, a range ends before its first element if it is empty.
bool is_empty(Range range) noexcept { return range.first == range.end; }

/// Which elements of a part are flagged.
class Flags {
 public:
  Flags(const Runtime& runtime, const Array& flags, Range range)
      : array_(flags), operand_(runtime, {flags, box_of(range)}, box_of(range)) {
    static_cast<void>(element_of(flags));
  }
  void read(const Box& part) {
    const View view = operand_.part(part);
    set_.assign(static_cast<std::size_t>(part.extent(0)), 0);
    with_type(*array_.kind.element, [&](auto type) {
      using T = decltype(type);
      const T* values = reinterpret_cast<const T*>(view.data);
      for (std::size_t i = 0; i < set_.size(); ++i)
        set_[i] = values[static_cast<Extent>(i) * view.strides[0]] != T{} ? 1 : 0;
    });
  }
  [[nodiscard]] bool operator[](Extent i) const { return set_[static_cast<std::size_t>(i)] != 0; }
  [[nodiscard]] Extent count() const { return std::count(set_.begin(), set_.end(), 1); }

 private:
  const Array& array_;
  Operand operand_;
  std::vector<char> set_;
};

/// Where the blocks of an array meet a range: what each of them knows is made known to all.
struct Blocks {
  Extent first, count;

  Blocks(const Array& array, Range range)
      : first(array.distribution.cuts(0).block_of(range.first)),
        count(array.distribution.cuts(0).block_of(range.end - 1) - first + 1) {}
  [[nodiscard]] std::size_t at(const Piece& piece) const {
    return static_cast<std::size_t>(piece.block - first);
  }
};

template <class T>
void share(const Runtime& runtime, const Array& array, Element element, std::vector<T>& values) {
  runtime.memory().reduce(runtime.team(array.group).group, element, Reduction::sum, values.data(),
                          values.size());
}

/// Of each block: whether it has a flag, and what it hands on. carry(block): of those before it.
template <class T>
struct Carry {
  std::vector<std::int32_t> has_flag;
  std::vector<T> value;

  Carry(Extent blocks)
      : has_flag(static_cast<std::size_t>(blocks)), value(static_cast<std::size_t>(blocks)) {}
  /// is_sum: values add up from the last block with a flag on; else that one's counts.
  [[nodiscard]] std::pair<bool, T> before(std::size_t block, bool is_sum) const {
    T total{};
    for (std::size_t b = block; b-- > 0;) {
      if (is_sum || has_flag[b] != 0) total = static_cast<T>(total + value[b]);
      if (has_flag[b] != 0) return {true, total};
    }
    return {false, T{}};
  }
};

template <class Visit>
void scan(const Runtime& runtime, const Array& from, const Array& to, const Array& flags,
          Range range, bool is_sum, const Visit& visit) {
  for (const Array* array : {&from, &to, &flags}) check(*array, range);
  require_same_kind(from, to);
  if (is_empty(range)) return;
  const Patch result{to, box_of(range)};
  Operand source(runtime, {from, result.box}, result.box);
  Flags set(runtime, flags, range);
  const Blocks blocks(to, range);
  const Element element = element_of(to);
  with_type(element, [&](auto type) {
    using T = decltype(type);
    Carry<T> carry(blocks.count);
    for_each_own(result, [&](const Piece& piece, std::byte*) {
      set.read(piece.box);
      const View view = source.part(piece.box);
      const T* values = reinterpret_cast<const T*>(view.data);
      T last{};
      std::int32_t has_flag = 0;
      for (Extent i = 0; i < piece.box.extent(0); ++i) {
        if (set[i]) last = T{}, has_flag = 1;
        if (is_sum) last = static_cast<T>(last + values[i * view.strides[0]]);
        if (!is_sum && set[i]) last = values[i * view.strides[0]];
      }
      carry.has_flag[blocks.at(piece)] = has_flag;
      carry.value[blocks.at(piece)] = last;
    });
    share(runtime, to, Element::i32, carry.has_flag);
    share(runtime, to, element, carry.value);
    for_each_own(result, [&](const Piece& piece, std::byte* data) {
      set.read(piece.box);
      const View view = source.part(piece.box);
      const auto [has_flag, value] = carry.before(blocks.at(piece), is_sum);
      visit(reinterpret_cast<T*>(data), piece, reinterpret_cast<const T*>(view.data),
            view.strides[0], set, has_flag, value);
    });
  });
}

/// The number of flags before each block, and the total.
struct Offsets {
  std::vector<Extent> before;
  Extent all = 0;

  Offsets(const Runtime& runtime, const Array& array, const Blocks& blocks, Flags& set, Range range)
      : before(static_cast<std::size_t>(blocks.count)) {
    for_each_own({array, box_of(range)}, [&](const Piece& piece, std::byte*) {
      set.read(piece.box);
      before[blocks.at(piece)] = set.count();
    });
    share(runtime, array, Element::i64, before);
    for (Extent& count : before) {
      const Extent own = count;
      count = all;
      all += own;
    }
  }
};

/// Moves flagged elements between a part of `sparse` and places of `dense`.
template <class Move>
Extent move_flagged(const Runtime& runtime, const Array& sparse, const Array& dense,
                    const Array& flags, Range range, const Move& move) {
  check(sparse, range);
  check(flags, range);
  require_same_kind(sparse, dense);
  if (is_empty(range)) return 0;
  Flags set(runtime, flags, range);
  const Blocks blocks(sparse, range);
  const Offsets offsets(runtime, sparse, blocks, set, range);
  if (offsets.all > 0) check(dense, {0, offsets.all});
  const std::size_t unit = sparse.kind.bytes;
  for_each_own({sparse, box_of(range)}, [&](const Piece& piece, std::byte* data) {
    set.read(piece.box);
    std::vector<std::byte*> places;
    for (Extent i = 0; i < piece.box.extent(0); ++i)
      if (set[i]) places.push_back(data + static_cast<std::size_t>(i * piece.strides[0]) * unit);
    if (places.empty()) return;
    const Extent begin = offsets.before[blocks.at(piece)];
    move(box_of({begin, begin + static_cast<Extent>(places.size())}), places);
  });
  return offsets.all;
}

}  // namespace

void enumerate(const Array& g, Range range, const void* start, const void* increment) {
  check(g, range);
  if (is_empty(range)) return;
  with_type(element_of(g), [&](auto type) {
    using T = decltype(type);
    const T from = *static_cast<const T*>(start), by = *static_cast<const T*>(increment);
    for_each_own({g, box_of(range)}, [&](const Piece& piece, std::byte* data) {
      T* to = reinterpret_cast<T*>(data);
      for (Extent i = 0; i < piece.box.extent(0); ++i)
        to[i * piece.strides[0]] = static_cast<T>(
            from + static_cast<T>(static_cast<double>(piece.box.first[0] + i - range.first)) * by);
    });
  });
}

void scan_copy(const Runtime& runtime, const Array& from, const Array& to, const Array& flags,
               Range range) {
  scan(runtime, from, to, flags, range, false,
       [](auto* data, const Piece& piece, const auto* values, Extent stride, const Flags& set,
          bool /*has_flag*/, auto last) {
         for (Extent i = 0; i < piece.box.extent(0); ++i) {
           if (set[i]) last = values[i * stride];
           data[i * piece.strides[0]] = last;
         }
       });
}

void scan_add(const Runtime& runtime, const Array& from, const Array& to, const Array& flags,
              Range range, bool is_exclusive) {
  scan(runtime, from, to, flags, range, true,
       [&](auto* data, const Piece& piece, const auto* values, Extent stride, const Flags& set,
           bool has_flag, auto sum) {
         using T = decltype(sum);
         for (Extent i = 0; i < piece.box.extent(0); ++i) {
           if (set[i]) sum = T{}, has_flag = true;
           const T next = static_cast<T>(sum + values[i * stride]);
           if (has_flag) data[i * piece.strides[0]] = is_exclusive ? sum : next;
           sum = next;
         }
       });
}

Extent pack(const Runtime& runtime, const Array& from, const Array& to, const Array& flags,
            Range range) {
  const std::size_t unit = from.kind.bytes;
  return move_flagged(runtime, from, to, flags, range,
                      [&](const Box& box, const std::vector<std::byte*>& places) {
                        std::vector<std::byte> dense(places.size() * unit);
                        for (std::size_t i = 0; i < places.size(); ++i)
                          std::copy_n(places[i], unit, dense.data() + i * unit);
                        put(runtime, to, box, {dense.data(), {1}});
                      });
}

Extent unpack(const Runtime& runtime, const Array& from, const Array& to, const Array& flags,
              Range range) {
  const std::size_t unit = to.kind.bytes;
  return move_flagged(runtime, to, from, flags, range,
                      [&](const Box& box, const std::vector<std::byte*>& places) {
                        std::vector<std::byte> dense(places.size() * unit);
                        get(runtime, from, box, {dense.data(), {1}});
                        for (std::size_t i = 0; i < places.size(); ++i)
                          std::copy_n(dense.data() + i * unit, unit, places[i]);
                      });
}

}  // namespace blockyard::garray
