// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "blockyard/garray/patch.h"

namespace blockyard::garray {

/// A sparse matrix. Rows are dealt to the members of a group in blocks of nearly equal length, and
/// columns are cut the same way: a member has one block of its rows for each cut of the columns, in
/// compressed rows. One thread. Making, assembling, ending and all products: collective.
class Sparse {
 public:
  /// Rows of one block: offsets (one more than there are rows) into columns and values; columns
  /// count over the whole matrix. An empty block has no offsets either.
  struct Block {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> columns;
    std::vector<std::byte> copied;  ///< its values, unless
    std::byte* in_place = nullptr;  ///< they lie here, in memory of the matrix

    [[nodiscard]] std::byte* values() noexcept { return in_place ? in_place : copied.data(); }
    [[nodiscard]] const std::byte* values() const noexcept {
      return in_place ? in_place : copied.data();
    }
    [[nodiscard]] bool is_empty() const noexcept { return columns.empty(); }
  };
  /// An element that is not zero.
  struct Entry {
    Extent row, column;
  };

  Sparse(Runtime& runtime, Kind kind, Extent rows, Extent columns, int group);

  [[nodiscard]] const Kind& kind() const noexcept { return kind_; }
  [[nodiscard]] Extent rows() const noexcept { return rows_; }
  [[nodiscard]] Extent columns() const noexcept { return columns_; }
  [[nodiscard]] int group() const noexcept { return group_; }
  [[nodiscard]] int members() const noexcept { return members_; }
  [[nodiscard]] int me() const noexcept { return me_; }
  [[nodiscard]] bool is_assembled() const noexcept { return is_assembled_; }
  [[nodiscard]] Extent first_row(int member) const noexcept { return rows_ * member / members_; }
  [[nodiscard]] Extent first_column(int member) const noexcept {
    return columns_ * member / members_;
  }

  /// Not collective. Throws Error{bad_input} outside the matrix, or after assembling.
  void add(Extent row, Extent column, const void* value);
  /// Collective. Throws Error{bad_input} if an element was added twice.
  void assemble();
  /// Collective. Frees its memory.
  void release();

  /// The block of a member's rows and a cut of the columns: a copy, but for values of this rank's.
  [[nodiscard]] Block block(int member, int cut) const;
  /// Calls visit(block) for the blocks of a member's rows that have elements, one at a time, cut
  /// after cut: where they lie is asked for once.
  template <class Visit>
  void for_each_block(int member, const Visit& visit) const {
    if (member == me_) {
      for (const Block& block : own_)
        if (!block.is_empty()) visit(block);
      return;
    }
    for (const Place& place : places_of(member))
      if (place.count > 0) visit(copy_of(member, place));
  }
  /// The block of this rank's own rows, in place.
  [[nodiscard]] const Block& own(int cut) const { return own_[static_cast<std::size_t>(cut)]; }
  /// The block, whose values may be changed in place; others see that after the next sync.
  [[nodiscard]] Block& own_block(int cut) { return own_[static_cast<std::size_t>(cut)]; }
  /// Collective. Becomes the matrix of these entries, which lie in this rank's rows.
  void assign(std::vector<Entry> entries, std::vector<std::byte> values);

  /// Calls visit(row, column, value) for the elements of this rank's rows.
  template <class Visit>
  void for_each_own(const Visit& visit) const {
    const Extent first = first_row(me_), count = first_row(me_ + 1) - first;
    for (const Block& block : own_)
      for (Extent row = 0; row < count && !block.is_empty(); ++row)
        for (auto at = block.offsets[static_cast<std::size_t>(row)];
             at < block.offsets[static_cast<std::size_t>(row) + 1]; ++at)
          visit(first + row, block.columns[static_cast<std::size_t>(at)],
                block.values() + static_cast<std::size_t>(at) * kind_.bytes);
  }

 private:
  /// The data others need to find a block of a member: where its offsets and columns, and where its
  /// values begin, in bytes, and how many elements it has.
  struct Place {
    std::int64_t numbers, contents, count;
  };

  [[nodiscard]] std::vector<Place> places_of(int member) const;
  [[nodiscard]] Block copy_of(int member, const Place& place) const;
  [[nodiscard]] int owner_of(Extent row) const noexcept;
  [[nodiscard]] std::pair<std::vector<std::int64_t>, std::size_t> letter_places(
      const std::vector<std::vector<std::byte>>& letters);
  void deal();
  void build();
  void publish();

  Runtime& runtime_;
  Kind kind_;
  Extent rows_, columns_;
  int group_, members_, me_;
  bool is_assembled_ = false;
  std::vector<Entry> entries_;     ///< added, or on their way
  std::vector<std::byte> values_;  ///< of entries_
  std::vector<Block> own_;         ///< by cut of the columns
  /// Per member: places of the blocks, then offsets and columns of those with entries, in order.
  fabric::Region numbers_ = -1;
  fabric::Region contents_ = -1;  ///< values, block after block
};

/// y = a x for arrays of one axis.
void multiply(const Runtime& runtime, const Sparse& a, const Array& x, const Array& y);
/// c = a b, which has no elements yet.
void multiply(Runtime& runtime, const Sparse& a, const Sparse& b, Sparse& c);
/// c = a b with dense b and c; row_axis: which of their axes counts rows.
void multiply(const Runtime& runtime, const Sparse& a, const Array& b, const Array& c,
              std::size_t row_axis);
/// c = a b with dense a and c; c is zero before.
void multiply(const Runtime& runtime, const Array& a, const Sparse& b, const Array& c,
              std::size_t row_axis);
/// The elements of a dense matrix that are not zero.
void copy_nonzero(const Runtime& runtime, const Array& from, std::size_t row_axis, Sparse& to);
/// Row i, or column j, times d(i) or d(j).
void scale_rows(const Runtime& runtime, Sparse& a, const Array& d);
void scale_columns(const Runtime& runtime, Sparse& a, const Array& d);
void scale(const Runtime& runtime, Sparse& a, const void* factor);
/// a(i, i) += value, also where there was no element.
void shift_diagonal(Sparse& a, const void* value);
/// v(i) = a(i, i), or a(i, column); v is zero before.
void copy_diagonal(const Runtime& runtime, const Sparse& a, const Array& v);
void copy_column(const Runtime& runtime, const Sparse& a, Extent column, const Array& v);
/// c = s a with a random s of c's rows: row i of `a`, times signs(i), is added to row places(i) of
/// the dense c, which is zero before. places (int) and signs (1 or -1, of the matrix's type) are
/// filled; they depend on i only.
/// Source: Clarkson, Woodruff, Low rank approximation and regression in input sparsity time, STOC
/// 2013.
void count_sketch(const Runtime& runtime, const Sparse& a, const Array& places, const Array& signs,
                  const Array& c, std::size_t row_axis);
/// A MatrixMarket coordinate file, written by the first member.
void write_matrix_market(const Runtime& runtime, const Sparse& a, const std::string& path);

}  // namespace blockyard::garray
