// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// The instruction set. The table below is the document: docs/bytecode.md is printed from it, the
/// verifier checks against it, the printer names from it, the interpreter switches over it.
namespace blockyard::program {

/// The meaning of an operand field (a, b, c) of an instruction.
enum class OperandKind : std::uint8_t {
  none,      ///< must be 0
  integer,   ///< any number
  literal,   ///< entry of Program::literals
  text,      ///< entry of Program::texts
  target,    ///< pc to go to
  int_name,  ///< entry of Program::ints
  scalar,    ///< entry of Program::scalars
  index,     ///< entry of Program::indexes
  array,     ///< entry of Program::arrays
  selector,  ///< entry of Program::selectors
  product,   ///< entry of Program::products
  pardo,     ///< entry of Program::pardos
  special,   ///< entry of Program::specials
  argument,  ///< first entry of Program::arguments
  count,     ///< how many entries from the field before
  mode,      ///< a Mode
  relation,  ///< a Relation
  number,    ///< 0 real numbers, 1 complex ones
  flags      ///< sum of Flag values
};

/// Where control goes after an instruction; flow.h turns it into successors.
enum class Control : std::uint8_t {
  next,        ///< to the next instruction
  jump,        ///< to the target
  branch,      ///< to the next instruction or to the target
  call,        ///< to the target, and to the next instruction when that procedure returns
  return_,     ///< to the instruction after the call
  end,         ///< nowhere: the program is complete
  stop,        ///< nowhere: the job ends with an error
  where_end,   ///< back to the pardo that runs the where code
  loop_begin,  ///< into the body (a pardo: into its where code first), or to the target
  loop_next,   ///< into the body again, or to the next instruction
  loop_leave   ///< to the next instruction, with the loop closed
};

/// The effects of an instruction besides computing a value. A sum of several.
namespace effect {
enum : std::uint8_t {
  nothing = 0,
  writes = 1,       ///< sets what operand a names; a mode or flags operand may make that an update
  updates = 2,      ///< changes what operand a names, and the old value counts
  gets = 4,         ///< starts the transfer of block a to this worker
  puts = 8,         ///< changes block a at its home
  replaces = 16,    ///< all blocks of array a change or go
  meets = 32,       ///< every worker must get here before any continues
  ends_epoch = 64,  ///< what workers put before is visible to all afterwards
  makes = 128       ///< the blocks that operand a names exist from here on, until they are removed
};
}  // namespace effect

/// How a result is combined with the old value.
enum class Mode : std::uint8_t { set, add, subtract, multiply };

enum class Relation : std::uint8_t { less, greater, less_equal, greater_equal, equal, not_equal };

/// Flags of block_copy and block_product: result = [result +] [-] [popped scalar *] right side.
/// The scalar is complex if the result is.
enum Flag : std::int32_t { flag_accumulate = 1, flag_negate = 2, flag_scaled = 4 };
inline constexpr std::int32_t all_flags = 7;

enum class Opcode : std::uint16_t {
  halt,
  stop,
  jump,
  jump_if_false,
  call,
  return_,
  do_begin,
  do_next,
  do_leave,
  pardo_begin,
  where_end,
  pardo_next,
  pardo_leave,
  section_begin,
  section_end,
  barrier,
  gpu_begin,
  gpu_end,
  push_int,
  push_literal,
  push_int_name,
  push_scalar,
  push_index,
  push_block,
  push_product,
  int_add,
  int_subtract,
  int_multiply,
  int_divide,
  int_negate,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  square_root,
  absolute,
  make_complex,
  real_part,
  imaginary_part,
  conjugate,
  to_scalar,
  to_int,
  compare_int,
  compare,
  and_,
  or_,
  not_,
  exists,
  store_int,
  store_scalar,
  block_fill,
  block_copy,
  block_product,
  bind_region,
  allocate,
  deallocate,
  allocate_region,
  deallocate_region,
  get,
  put,
  put_scalar,
  create_array,
  delete_array,
  execute,
  collective_sum,
  assert_same,
  broadcast,
  persist_array,
  persist_scalar,
  restore_array,
  restore_scalar,
  print_text,
  print_int_name,
  print_scalar,
  print_index,
  print_int,
  print_value,
  print_block,
  print_array,
  opcode_count
};

inline constexpr std::size_t opcode_count = static_cast<std::size_t>(Opcode::opcode_count);

/// One line of the table. `pops` and `pushes` name values of the stack, the top one last:
/// i integer, s real scalar, z complex scalar, b truth, r two integers (low, high) for each unnamed
/// range of selector a; n is s or z as the operand of kind `number` says, v as operand a is: a
/// scalar, a block or a product. An opcode with flags pops a v more when flag_scaled is set.
struct OpcodeRow {
  Opcode opcode;
  std::string_view name;
  std::array<OperandKind, 3> operands;
  std::string_view pops;
  std::string_view pushes;
  Control control;
  int effects;  ///< sum of values of `effect`
  std::string_view meaning;
};

/// By number of the opcode. A program that defines this function itself has the table that it
/// returns there, with rows after the last opcode: so a test adds opcodes.
[[nodiscard]] std::span<const OpcodeRow> opcode_table() noexcept;

[[nodiscard]] inline const OpcodeRow& row_of(Opcode opcode) noexcept {
  return opcode_table()[static_cast<std::size_t>(opcode)];
}

[[nodiscard]] inline bool has_effect(Opcode opcode, int effects) noexcept {
  return (row_of(opcode).effects & effects) != 0;
}

/// Whether it only pops and pushes values: it reads names and blocks, and changes nothing.
[[nodiscard]] inline bool is_expression(Opcode opcode) noexcept {
  return !row_of(opcode).pushes.empty();
}

}  // namespace blockyard::program
