// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "blockyard/array/element.h"
#include "blockyard/array/index.h"
#include "blockyard/program/opcode.h"

/// A compiled SIAL program: instructions and the tables that their operands point into. A plain
/// value: it knows names and source lines, and no sizes, ranks or run-time state.
namespace blockyard::program {

enum class ArrayKind : std::uint8_t { static_, temp, local, distributed, served };
using array::ElementType;

/// Where something stands in the source. `file` is an entry of Program::files.
struct SourceLine {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

struct Instruction {
  Opcode opcode = Opcode::halt;
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int32_t c = 0;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// `predefined`: the job must give the value by name.
struct IntDecl {
  std::string name;
  bool is_predefined = false;
  std::int64_t initial = 0;
  SourceLine at;
  friend bool operator==(const IntDecl&, const IntDecl&) = default;
};

struct ScalarDecl {
  std::string name;
  bool is_predefined = false;
  double initial = 0;
  SourceLine at;
  bool is_complex = false;
  friend bool operator==(const ScalarDecl&, const ScalarDecl&) = default;
};

/// A bound of an index range: a number, or the value of a predefined int (entry of Program::ints).
struct Bound {
  bool is_name = false;
  std::int32_t value = 0;
  friend bool operator==(const Bound&, const Bound&) = default;
};

/// An index over segments first..last, or, with a parent, a subindex over the subsegments of them.
struct IndexDecl {
  std::string name;
  array::IndexKind kind = array::IndexKind::simple;
  Bound first;
  Bound last;
  std::int32_t parent = -1;  ///< entry of Program::indexes, or -1
  SourceLine at;
  friend bool operator==(const IndexDecl&, const IndexDecl&) = default;
};

struct ArrayDecl {
  std::string name;
  ArrayKind kind = ArrayKind::temp;
  ElementType type = ElementType::f64;
  bool is_predefined = false;
  bool is_contiguous = false;
  bool is_sparse = false;
  bool is_hidden = false;  ///< made by the compiler for a part of an expression
  std::vector<std::int32_t> indexes;
  SourceLine at;
  friend bool operator==(const ArrayDecl&, const ArrayDecl&) = default;
};

/// A super instruction as the program declares it: one of r, w, u for each operand.
struct SpecialDecl {
  std::string name;
  std::string signature;
  SourceLine at;
  friend bool operator==(const SpecialDecl&, const SpecialDecl&) = default;
};

enum class SelectorForm : std::uint8_t {
  block,   ///< one index at each position: one block, or a slice where a subindex selects a part
  every,   ///< for allocate and deallocate: an index, or -1 for all segments, at each position
  region,  ///< of a contiguous array: an index, or -1 for a range set by bind_region, at each
  whole    ///< the array itself; no positions
};

/// The part of each element of a complex block that is read: all, or conj(), real(), imag() of it.
enum class Part : std::uint8_t { all, conjugate, real, imaginary };

/// The meaning of `a[i,j]`: an array and an index (entry of Program::indexes) at each position.
struct Selector {
  SelectorForm form = SelectorForm::block;
  std::int32_t array = 0;
  std::vector<std::int32_t> indexes;
  Part part = Part::all;
  friend bool operator==(const Selector&, const Selector&) = default;
};

/// Selectors whose blocks are multiplied: two or more of form `block`.
/// A name in several of them and not in the result is summed.
struct Product {
  std::vector<std::int32_t> operands;
  friend bool operator==(const Product&, const Product&) = default;
};

/// How the iterations of a pardo are dealt to workers; `unset` leaves it to the job;
/// `every_worker`: each does all of them; `locality`: dynamic, near the blocks that they touch.
enum class Policy : std::uint8_t {
  unset,
  sequential,
  static_,
  balanced,
  dynamic,
  every_worker,
  locality
};

/// A parallel loop: code is  begin: pardo_begin  [where code ... where_end]  body ... pardo_next.
struct PardoDecl {
  std::vector<std::int32_t> indexes;  ///< the first runs fastest
  Policy policy = Policy::unset;
  std::int32_t where = -1;  ///< pc of the where code, or -1
  std::int32_t body = 0;    ///< pc of the body
  friend bool operator==(const PardoDecl&, const PardoDecl&) = default;
};

/// Instructions begin .. end - 1 are a procedure. Procedures follow the main program without gaps.
struct ProcDecl {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  friend bool operator==(const ProcDecl&, const ProcDecl&) = default;
};

enum class ArgumentKind : std::uint8_t { selector, scalar, int_name, literal };

/// One argument of execute; `id` is an entry of the table that the kind names.
struct Argument {
  ArgumentKind kind = ArgumentKind::selector;
  std::int32_t id = 0;
  friend bool operator==(const Argument&, const Argument&) = default;
};

struct Program {
  std::string name;
  std::vector<std::string> files;
  std::vector<std::string> texts;
  std::vector<double> literals;
  std::vector<IntDecl> ints;
  std::vector<ScalarDecl> scalars;
  std::vector<IndexDecl> indexes;
  std::vector<ArrayDecl> arrays;
  std::vector<SpecialDecl> specials;
  std::vector<Selector> selectors;
  std::vector<Product> products;
  std::vector<PardoDecl> pardos;
  std::vector<Argument> arguments;
  std::vector<ProcDecl> procs;  ///< by their place in the code
  std::vector<Instruction> code;
  std::vector<SourceLine> lines;  ///< one for each instruction
  /// Names of predefined ints and scalars that the source declares and its code does not use: a job
  /// may give them.
  std::vector<std::string> unused;
  friend bool operator==(const Program&, const Program&) = default;
};

/// Most values on the expression stack; the verifier proves that a program stays within.
inline constexpr std::size_t max_stack = 64;
/// Most loops open at one time, calls included.
inline constexpr std::size_t max_loops = 64;
/// Most nested calls; recursion deeper than this is a run-time error.
inline constexpr std::size_t max_calls = 1000;

/// The type that a selector reads: that of its array, or of the parts of its elements.
[[nodiscard]] ElementType type_of(const Program& program, const Selector& selector);
/// The type that a product is computed in for a result of type `result`: the widest of all.
[[nodiscard]] ElementType type_of(const Program& program, const Product& product,
                                  ElementType result);

/// Whether the scalar that an opcode with `v` in its line pops or pushes is complex: as its operand
/// a, a scalar, the block of a selector, or a product.
[[nodiscard]] bool is_complex(const Program& program, const Instruction& instruction);

/// "file.sial:12" for instruction `pc`, and for a declaration.
[[nodiscard]] std::string place_of(const Program& program, std::int32_t pc);
[[nodiscard]] std::string place_of(const Program& program, const SourceLine& at);

}  // namespace blockyard::program
