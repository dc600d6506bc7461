// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/flow/bind.h"
#include "blockyard/flow/product_scratch.h"
#include "blockyard/program/flow.h"

namespace blockyard::flow {
namespace {

using program::ArrayKind;
using program::Control;
using program::Instruction;
using program::OperandKind;
using program::Program;

/// The address space of a process: what needs more has no room anywhere, and counts as this, so
/// that no sum overflows.
constexpr std::int64_t most_bytes = std::int64_t{1} << 47;

std::int64_t bytes_of(Extent elements, program::ElementType type) {
  if (elements >= most_bytes / static_cast<std::int64_t>(array::bytes_of(type))) return most_bytes;
  return static_cast<std::int64_t>(
      base::BufferPool::charge(static_cast<std::size_t>(elements) * array::bytes_of(type)));
}

/// What the blocks of an array occupy beyond their elements and the eighth by which memory of any
/// size may be rounded up: small blocks occupy a multiple.
std::int64_t rounding_of(const array::Grid& grid, program::ElementType type) {
  const std::int64_t bytes =
      grid.largest_block() * static_cast<std::int64_t>(array::bytes_of(type));
  constexpr std::int64_t small = 4096;
  if (bytes > small) return 0;
  const auto charged =
      static_cast<std::int64_t>(base::BufferPool::charge(static_cast<std::size_t>(bytes)));
  const std::int64_t of_each = std::max<std::int64_t>(0, charged - bytes - bytes / 8);
  constexpr std::uint64_t most_blocks = most_bytes / small;
  return of_each * static_cast<std::int64_t>(std::min(grid.block_count(), most_blocks));
}

/// Whether it makes blocks of a local array, each in memory of its own.
bool makes_blocks(const Program& program, const Instruction& instruction) {
  if (!program::has_effect(instruction.opcode, program::effect::makes)) return false;
  const auto& selector = program.selectors[static_cast<std::size_t>(instruction.a)];
  return selector.form == program::SelectorForm::every;
}

/// Adds up what lives at the same time. A block lives in the scope of the loop where it is made: so
/// the need of a loop is that of its own statements and of the most demanding loop inside.
class Reckoner {
 public:
  Reckoner(const Program& program, const Tables& tables) : program_(program), tables_(tables) {}

  /// Reckoned once for each begin: loops of procs are met as often as those are called.
  std::int64_t need(std::int32_t begin, std::int32_t end) {
    if (const auto known = needs_.find(begin); known != needs_.end()) return known->second;
    Level level;
    walk(begin, end, level);
    return needs_[begin] = level.own + level.inner;
  }

  /// Local arrays live until they are deallocated: the largest of their allocate statements each.
  [[nodiscard]] std::int64_t locals() const {
    std::vector<std::int64_t> most(program_.arrays.size(), 0);
    for (std::size_t k = 0; k < program_.arrays.size(); ++k)
      if (program_.arrays[k].kind == ArrayKind::local && !program_.arrays[k].is_contiguous)
        most[k] = block_bytes(static_cast<std::int32_t>(k));
    for (const Instruction& instruction : program_.code) {
      if (!makes_blocks(program_, instruction)) continue;
      const auto& selector = program_.selectors[static_cast<std::size_t>(instruction.a)];
      auto& bytes = most[static_cast<std::size_t>(selector.array)];
      bytes = std::max(bytes, allocated_bytes(selector));
    }
    std::int64_t total = 0;
    for (const std::int64_t bytes : most) total += bytes;
    return total;
  }

 private:
  struct Level {
    std::int64_t own = 0;
    std::int64_t inner = 0;
    std::map<std::int32_t, std::set<std::vector<std::int32_t>>> made;  ///< by array: indexes
    std::set<std::int32_t> gets;                                       ///< selectors counted
    std::set<std::int32_t> procs;  ///< those called: walked once
  };

  [[nodiscard]] std::int64_t block_bytes(std::int32_t array) const {
    return bytes_of(tables_.grids[static_cast<std::size_t>(array)].largest_block(),
                    program_.arrays[static_cast<std::size_t>(array)].type);
  }

  [[nodiscard]] std::int64_t allocated_bytes(const program::Selector& selector) const {
    const array::Grid& grid = tables_.grids[static_cast<std::size_t>(selector.array)];
    Extent elements = 1;  // no more than the whole array has
    for (std::size_t k = 0; k < grid.order(); ++k)
      elements *= selector.indexes[k] < 0 ? grid.axis(k).element_count() : grid.axis(k).longest();
    const auto bytes = static_cast<std::int64_t>(
        array::bytes_of(program_.arrays[static_cast<std::size_t>(selector.array)].type));
    return std::min(elements, most_bytes / bytes) * bytes;
  }

  void walk(std::int32_t begin, std::int32_t end, Level& level) {
    for (std::int32_t pc = begin; pc < end; ++pc) {
      const Instruction& instruction = program_.code[static_cast<std::size_t>(pc)];
      const program::OpcodeRow& row = program::row_of(instruction.opcode);
      if (row.control == Control::loop_begin) {
        const std::int32_t after = program::target_of(instruction);
        level.inner = std::max(level.inner, need(pc + 1, after));
        pc = std::max(pc, after - 1);
      } else if (row.control == Control::call) {
        const std::int32_t entry = program::target_of(instruction);
        if (active_.contains(entry) || !level.procs.insert(entry).second) continue;
        active_.insert(entry);
        walk(entry, program::proc_at(program_, entry).end, level);
        active_.erase(entry);
      } else if ((row.effects & program::effect::gets) != 0) {
        if (level.gets.insert(instruction.a).second)
          level.own +=
              block_bytes(program_.selectors[static_cast<std::size_t>(instruction.a)].array);
      } else {
        // Blocks that are only read were made in this loop or around it, and are counted there.
        program::for_each_operand(program_, instruction, [&](const program::Operand& operand) {
          if (operand.kind == OperandKind::selector && operand.use != program::Use::read)
            count_made(operand.id, level);
        });
      }
    }
  }

  /// Temps, and blocks of distributed and served arrays that the worker sets itself. A block at
  /// other indexes is another one, as long as the array has so many.
  void count_made(std::int32_t selector, Level& level) const {
    const auto& [form, array, indexes, part] =
        program_.selectors[static_cast<std::size_t>(selector)];
    const ArrayKind kind = program_.arrays[static_cast<std::size_t>(array)].kind;
    if (kind != ArrayKind::temp && kind != ArrayKind::distributed && kind != ArrayKind::served)
      return;
    std::vector<std::int32_t> at = indexes;
    for (std::int32_t& index : at) {
      if (index < 0) continue;
      const std::int32_t parent = program_.indexes[static_cast<std::size_t>(index)].parent;
      if (parent >= 0) index = parent;
    }
    auto& made = level.made[array];
    if (made.size() < tables_.grids[static_cast<std::size_t>(array)].block_count() &&
        made.insert(std::move(at)).second)
      level.own += block_bytes(array);
  }

  const Program& program_;
  const Tables& tables_;
  std::set<std::int32_t> active_;               ///< procs under way: recursion is counted once
  std::map<std::int32_t, std::int64_t> needs_;  ///< of loops, by their first statement
};

}  // namespace

MemoryNeed memory_need(const Program& program, const Tables& tables) {
  MemoryNeed need;
  std::int64_t largest_static = 0;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const array::Grid& grid = tables.grids[k];
    const program::ArrayDecl& decl = program.arrays[k];
    const auto keep_larger = [&](std::int64_t bytes, std::int64_t& largest, std::string& name) {
      if (bytes <= largest) return;
      largest = bytes;
      name = fmt::format("'{}' ({})", decl.name, program::place_of(program, decl.at));
    };
    keep_larger(bytes_of(grid.largest_block(), decl.type), need.largest_block_bytes,
                need.largest_block);
    if (decl.kind == ArrayKind::static_) {
      const std::int64_t bytes = bytes_of(grid.element_count(), decl.type);
      keep_larger(bytes, largest_static, need.largest_static);
      need.static_bytes = std::min(need.static_bytes + bytes, most_bytes);
    }
    // Spread over all processes: may be more than one of them could have.
    constexpr std::int64_t most_of_all = std::int64_t{1} << 60;
    const auto element = static_cast<std::int64_t>(array::bytes_of(decl.type));
    if (decl.kind == ArrayKind::distributed || decl.kind == ArrayKind::served)
      need.distributed_bytes = std::min(
          need.distributed_bytes + std::min(grid.element_count(), most_of_all / element) * element +
              rounding_of(grid, decl.type),
          most_of_all);
  }
  Reckoner reckoner(program, tables);
  need.block_bytes =
      std::min(reckoner.locals() + reckoner.need(0, program::proc_at(program, 0).end) +
                   std::max(3 * need.largest_block_bytes, product_scratch(program, tables)),
               most_bytes);
  return need;
}

}  // namespace blockyard::flow
