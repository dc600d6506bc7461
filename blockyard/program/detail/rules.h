// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/program/program.h"

/// The parts of `verify`, in the order in which they run: each may rely on those before it.
namespace blockyard::program::detail {

/// Every entry of every table but the code is whole: names, bounds, kinds, selectors, products.
void verify_tables(const Program& program);

/// Every instruction, reachable or not: its operands lie in their tables and suit the opcode.
void verify_operands(const Program& program);

/// An open loop or section; `outer` is the one around it, an entry of Flow::opens, or -1.
struct Open {
  enum class Kind { do_, pardo, section } kind;
  std::int32_t id = 0;  ///< entry of the indexes or of the pardos
  std::int32_t outer = -1;
  std::size_t depth = 1;
};

struct Call {
  std::int32_t pc = 0;
  std::size_t callee = 0;  ///< entry of Flow::routines
  std::int32_t open = -1;  ///< the innermost loop around the call, an entry of Flow::opens, or -1
};

/// What one routine (the main program, or a proc that is called) does, seen from its callers.
struct Routine {
  std::int32_t entry = 0;
  std::set<std::int32_t> needs;  ///< indexes used, and not bound by a loop of its own
  std::vector<Call> calls;
  std::int32_t pardo = -1;    ///< pc of a pardo, or -1
  std::int32_t barrier = -1;  ///< pc of a barrier or section, or -1
};

/// What the walk finds: the routines, the main program first, and all loops.
struct Flow {
  std::vector<Routine> routines;
  std::vector<Open> opens;

  /// Whether `index` is bound in loop `open` or in one around it, within the routine.
  [[nodiscard]] bool binds(const Program& program, std::int32_t open, std::int32_t index) const;
  [[nodiscard]] bool is_in_pardo(std::int32_t open) const;
};

/// Walks all paths of all routines: the expression stack, the loops and the bound regions are the
/// same on every path to an instruction, and suit it.
[[nodiscard]] Flow verify_flow(const Program& program);

/// Rules that hold across calls: no index is used that no loop of the callers binds; no pardo runs
/// within a pardo and no barrier within a pardo.
void verify_calls(const Program& program, Flow flow);

/// Error{bad_input}, with the source line of the instruction that breaks a rule.
class Refusal : public base::Error {
 public:
  explicit Refusal(std::string_view what, std::optional<SourceLine> at = {});
  [[nodiscard]] const std::optional<SourceLine>& line() const noexcept { return line_; }

 private:
  std::optional<SourceLine> line_;
};

/// All throw Refusal.
[[noreturn]] void refuse(std::string_view what);
[[noreturn]] void refuse_at(const Program& program, std::size_t pc, std::string_view what);

/// The type of a value that the line of an opcode calls `letter`: n and v become s or z.
[[nodiscard]] char value_type(const Program& program, const Instruction& instruction, char letter);

/// Whether `number` is an entry of a table of `size` entries.
[[nodiscard]] constexpr bool is_entry(std::int32_t number, std::size_t size) noexcept {
  return number >= 0 && static_cast<std::size_t>(number) < size;
}

/// An entry that verify_tables or verify_operands has found to be in its table.
template <class T>
[[nodiscard]] const T& entry(const std::vector<T>& table, std::int32_t number) {
  return table[static_cast<std::size_t>(number)];
}

/// Whether position `k` selects a part of the segments that the array has there.
[[nodiscard]] bool is_slice(const Program& program, const Selector& selector, std::size_t k);

/// Whether `product` gives a block with the names of `result`: each stands there once and in some
/// operand; what is not in the result is summed, so it must be in two operands or more, or simple.
[[nodiscard]] bool suits(const Program& program, const Product& product,
                         std::span<const std::int32_t> result);

/// Whether a block `from` may be copied to `to`: the same names in any order; positions that only
/// one side has must be declared simple. Or a name stands twice in `to` (repeated_names.h).
/// `in_order`: the names of both must also stand in the same order: then the elements do.
[[nodiscard]] bool can_copy(const Program& program, const Selector& to, const Selector& from,
                            bool in_order);

}  // namespace blockyard::program::detail
