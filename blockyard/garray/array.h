// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/array/distribution.h"
#include "blockyard/fabric/memory.h"
#include "blockyard/garray/kind.h"

namespace blockyard::garray {

using array::Box;
using array::Cuts;
using array::Distribution;
using array::Extent;
using array::Indexes;
using array::Piece;

/// The requested layout of an array, as specified so far. Axes in the order of the model: the
/// first one fastest.
struct Layout {
  enum class Form : std::uint8_t { regular, irregular, cyclic, matrix, tiled, tiled_irregular };

  Form form = Form::regular;
  std::vector<Extent> edges;                ///< least ones if regular
  std::vector<std::vector<Extent>> begins;  ///< of blocks, where these are given
  std::vector<Extent> grid;
  std::vector<Extent> widths;  ///< of ghost cells; empty: none
  std::vector<int> holders;    ///< only they hold data; empty: all
};

/// Instead of a group: the one that is the default when the array gets its memory.
inline constexpr int no_group = -2;

/// One distributed array, as one rank of its group knows it.
struct Array {
  int handle = 0;
  std::string name;
  Kind kind;
  std::vector<Extent> extents;
  int group = no_group;
  Layout layout;
  bool is_made = false;  ///< has memory
  bool keeps_corners = false;
  bool is_plain = false;    ///< dealt directly, and its transfers are not checked
  bool is_near = false;     ///< all of it is on this node
  bool is_counted = false;  ///< transfers that do not pass the fabric's memory have to be reported
  bool is_guest = false;    ///< its memory is another array's
  std::string property;     ///< "read_only", "read_cache", or none
  Distribution distribution;
  fabric::Region region = -1;
  std::uint64_t id = 0;           ///< equal at all members
  std::vector<std::byte*> bases;  ///< by member; null on another node
  int me = -1;                    ///< the member that this rank is; -1: none

  [[nodiscard]] std::size_t axes() const noexcept { return extents.size(); }
  [[nodiscard]] Box whole() const noexcept { return array::whole(extents); }
  [[nodiscard]] std::size_t bytes_held_by(int member) const {
    return static_cast<std::size_t>(distribution.element_count(member)) * kind.bytes;
  }
};

/// Throws Error{bad_input} about an array, without the name of the call, which the edge adds:
///   ("fock"): text
[[noreturn]] void refuse(const Array& array, std::string_view text);
/// The same about no array.
[[noreturn]] void refuse(std::string_view text);

}  // namespace blockyard::garray
