// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/program/program.h"
#include "blockyard/sial/checked.h"

namespace blockyard::sial::detail {

/// The tables of the program being emitted. Each function gives the entry for something of the
/// checked unit, and makes it at its first use: so what is never used is left out.
class Tables {
 public:
  Tables(const checked::Unit& unit, program::Program& program) : unit_(unit), program_(program) {}

  std::int32_t int_name(std::int32_t id);
  std::int32_t scalar(std::int32_t id);
  std::int32_t index(std::int32_t id);
  std::int32_t array(std::int32_t id);
  std::int32_t special(std::int32_t id);
  std::int32_t text(std::string_view text);
  std::int32_t literal(double value);
  /// `mention`: how many regions of the statement come before, for a region, whose ends belong to
  /// one entry each.
  std::int32_t selector(const program::Selector& selector, std::int32_t mention = 0);
  std::int32_t product(std::vector<std::int32_t> operands);

  /// A hidden temp over indexes of the checked unit, as a selector of the whole of it. It is free
  /// for another use after release_hidden.
  std::int32_t hidden(const std::vector<std::int32_t>& indexes, program::ElementType type,
                      Place at);
  /// The same block, of which a part of each element is read.
  std::int32_t part_of(std::int32_t selector, program::Part part);
  void release_hidden();

 private:
  program::Bound bound(program::Bound bound);
  std::int32_t intern(program::Selector selector, std::int32_t mention = 0);
  using Map = std::map<std::int32_t, std::int32_t>;

  const checked::Unit& unit_;
  program::Program& program_;
  Map ints_, scalars_, indexes_, arrays_, specials_;
  std::map<std::string, std::int32_t, std::less<>> texts_;
  std::map<std::int64_t, std::int32_t> literals_;  ///< by their bits
  std::map<std::vector<std::int32_t>, std::int32_t> selectors_;
  std::map<std::vector<std::int32_t>, std::int32_t> products_;
  struct Hidden {
    std::vector<std::int32_t> indexes;
    program::ElementType type = program::ElementType::f64;
    std::int32_t selector = -1;
    bool is_free = false;
  };
  std::vector<Hidden> hidden_;
};

}  // namespace blockyard::sial::detail
