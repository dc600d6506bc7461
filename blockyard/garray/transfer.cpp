// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace blockyard::garray {

namespace {

/// Of a piece and the caller's memory for all of `box`. unit: bytes of an element there and here;
/// copied: bytes of it that move.
struct Rows {
  fabric::Strided strided;
  std::size_t far = 0;
  std::int64_t near = 0;

  Rows(const Piece& piece, const Box& box, const Indexes& strides, std::int64_t far_unit,
       std::int64_t near_unit, std::size_t copied) {
    strided.row_bytes = copied;
    far = static_cast<std::size_t>(piece.offset * far_unit);
    for (std::size_t d = 0; d < box.axes; ++d) {
      strided.add(piece.box.extent(d), piece.strides[d] * far_unit, strides[d] * near_unit);
      near += (piece.box.first[d] - box.first[d]) * strides[d] * near_unit;
    }
  }
};

template <class Move>
void move_pieces(const Runtime& runtime, const Array& array, const Box& box, const Local& local,
                 Field field, Pending* pending, const Move& move) {
  Pending own;
  Pending& all = pending != nullptr ? *pending : own;
  const auto unit = static_cast<std::int64_t>(array.kind.bytes);
  const auto near_unit = static_cast<std::int64_t>(field.bytes);
  auto* near = static_cast<std::byte*>(local.data);
  array.distribution.for_each_piece(box, [&](const Piece& piece) {
    const Rows rows(piece, box, local.strides, unit, near_unit, field.bytes);
    all.add(move(piece.rank, rows.far + field.offset, rows.strided, near + rows.near));
  });
  if (pending == nullptr) own.wait(runtime.memory());
}

fabric::Element added_element(const Array& array) {
  if (!array.kind.element)
    refuse(array, fmt::format("has elements that cannot be added ({})", name_of(array.kind)));
  return *array.kind.element;
}

/// Calls visit(rank, offsets in bytes, order) for each rank that holds some of the places;
/// order[i]: which place offsets[i] is.
template <class Visit>
void for_each_holder(const Array& array, std::span<const Indexes> places, const Visit& visit) {
  struct Found {
    int rank;
    std::int64_t offset;
  };
  std::vector<Found> found(places.size());
  std::vector<std::size_t> counts(array.bases.size() + 1);
  const auto unit = static_cast<std::int64_t>(array.kind.bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (array.distribution.is_direct()) {
      Distribution::Spot spot;
      for (std::size_t d = 0; d < array.axes(); ++d)
        static_cast<void>(array.distribution.step(spot, d, places[i][d], places[i][d]));
      found[i] = {array.distribution.holder_of(spot.block), spot.offset * unit};
    } else {
      Box one{.axes = array.axes(), .first = places[i], .end = places[i]};
      for (std::size_t d = 0; d < one.axes; ++d) ++one.end[d];
      array.distribution.for_each_piece(one, [&](const Piece& piece) {
        found[i] = {piece.rank, piece.offset * unit};
      });
    }
    ++counts[static_cast<std::size_t>(found[i].rank) + 1];
  }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  std::vector<std::int64_t> offsets(places.size());
  std::vector<std::size_t> order(places.size());
  auto next = counts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t at = next[static_cast<std::size_t>(found[i].rank)]++;
    offsets[at] = found[i].offset;
    order[at] = i;
  }
  for (std::size_t rank = 0; rank + 1 < counts.size(); ++rank) {
    const std::size_t begin = counts[rank], count = counts[rank + 1] - begin;
    if (count > 0)
      visit(static_cast<int>(rank), std::span(offsets).subspan(begin, count),
            std::span(order).subspan(begin, count));
  }
}

std::vector<std::byte> picked(const void* values, std::span<const std::size_t> order,
                              std::size_t bytes) {
  std::vector<std::byte> dense(order.size() * bytes);
  const auto* from = static_cast<const std::byte*>(values);
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(from + order[i] * bytes, bytes, dense.data() + i * bytes);
  return dense;
}

}  // namespace

void require_writable(const Array& array) {
  if (array.property == "read_only") refuse(array, "is read only: unset its property first");
}

void Pending::wait(fabric::Memory& memory) {
  for (const auto transfer : transfers_) static_cast<void>(memory.done(transfer, true));
  transfers_.clear();
}

bool Pending::test(fabric::Memory& memory) {
  std::erase_if(transfers_, [&](auto transfer) { return memory.done(transfer, false); });
  return transfers_.empty();
}

void get_field(const Runtime& runtime, const Array& array, const Box& box, Field field, Local to,
               Pending* pending) {
  move_pieces(runtime, array, box, to, field, pending,
              [&](int rank, std::size_t far, const fabric::Strided& rows, std::byte* near) {
                return runtime.memory().get(array.region, rank, far, rows, near);
              });
}

void put_field(const Runtime& runtime, const Array& array, const Box& box, Field field, Local from,
               Pending* pending) {
  require_writable(array);
  move_pieces(runtime, array, box, from, field, pending,
              [&](int rank, std::size_t far, const fabric::Strided& rows, const std::byte* near) {
                return runtime.memory().put(array.region, rank, far, rows, near);
              });
}

void get(const Runtime& runtime, const Array& array, const Box& box, Local to, Pending* pending) {
  get_field(runtime, array, box, {0, array.kind.bytes}, to, pending);
}

void put(const Runtime& runtime, const Array& array, const Box& box, Local from, Pending* pending) {
  put_field(runtime, array, box, {0, array.kind.bytes}, from, pending);
}

void accumulate(const Runtime& runtime, const Array& array, const Box& box, Local from,
                const void* factor, Pending* pending) {
  const fabric::Element element = added_element(array);
  require_writable(array);
  move_pieces(runtime, array, box, from, {0, array.kind.bytes}, pending,
              [&](int rank, std::size_t far, const fabric::Strided& rows, const std::byte* near) {
                return runtime.memory().accumulate(array.region, rank, far, rows, near, element,
                                                   factor);
              });
}

void gather(const Runtime& runtime, const Array& array, std::span<const Indexes> places,
            void* values) {
  const std::size_t bytes = array.kind.bytes;
  std::vector<std::byte> dense;
  for_each_holder(array, places, [&](int rank, auto offsets, auto order) {
    dense.resize(offsets.size() * bytes);
    runtime.memory().gather(array.region, rank, offsets, bytes, dense.data());
    auto* to = static_cast<std::byte*>(values);
    for (std::size_t i = 0; i < order.size(); ++i)
      std::copy_n(dense.data() + i * bytes, bytes, to + order[i] * bytes);
  });
}

void scatter(const Runtime& runtime, const Array& array, std::span<const Indexes> places,
             const void* values) {
  require_writable(array);
  for_each_holder(array, places, [&](int rank, auto offsets, auto order) {
    const auto dense = picked(values, order, array.kind.bytes);
    runtime.memory().scatter(array.region, rank, offsets, array.kind.bytes, dense.data());
  });
}

void scatter_add(const Runtime& runtime, const Array& array, std::span<const Indexes> places,
                 const void* values, const void* factor) {
  const fabric::Element element = added_element(array);
  require_writable(array);
  for_each_holder(array, places, [&](int rank, auto offsets, auto order) {
    const auto dense = picked(values, order, array.kind.bytes);
    runtime.memory().scatter_add(array.region, rank, offsets, dense.data(), element, factor);
  });
}

std::int64_t read_and_add(const Runtime& runtime, const Array& array, const Indexes& at,
                          std::int64_t increment) {
  using fabric::Element;
  if (array.kind.element != Element::i32 && array.kind.element != Element::i64)
    refuse(array, fmt::format("has elements of type {}; counters are int, long or long long",
                              name_of(array.kind)));
  require_writable(array);
  const Piece piece = array.distribution.piece_of(array.distribution.block_of(at));
  Extent offset = piece.offset;
  for (std::size_t d = 0; d < array.axes(); ++d)
    offset += (at[d] - piece.box.first[d]) * piece.strides[d];
  return runtime.memory().fetch_and_add(array.region, piece.rank,
                                        static_cast<std::size_t>(offset) * array.kind.bytes,
                                        *array.kind.element, increment);
}

}  // namespace blockyard::garray
