// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using program::Instruction;
using program::Opcode;

namespace {
/// Longer blocks are cut: more is not readable.
constexpr Extent most_elements = 1'000'000;

/// 14 decimals, as ACES4 prints; with an exponent where those would leave less than ten digits of
/// the number, or have more than it has.
std::string decimals(double number) {
  const double size = std::fabs(number);
  const bool has_exponent = (size > 0 && size < 1e-4) || size >= 1e15;
  return has_exponent ? fmt::format("{:.14e}", number) : fmt::format("{:.14f}", number);
}

std::string digits(double number) { return fmt::format("{:.14g}", number); }

}  // namespace

std::string shortest(double number) { return fmt::format("{}", number); }

std::string text_of(Number value, bool is_complex, std::string (*part)(double)) {
  if (!is_complex) return part(value.real());
  return fmt::format("({},{})", part(value.real()), part(value.imag()));
}

void Printer::write(std::string text, std::int32_t newlines) {
  text.append(static_cast<std::size_t>(std::clamp(newlines, 0, 16)) + 1, '\n');
  out_(text);
}

void Printer::print(const Instruction& instruction) {
  const program::Program& program = naming_.program;
  const auto a = static_cast<std::size_t>(instruction.a);
  const std::int32_t newlines = instruction.b;
  Expressions& values = variables_.values();
  switch (instruction.opcode) {
    case Opcode::print_text:
      return text(program.texts[a], newlines);
    case Opcode::print_int_name:
      return named(program.ints[a].name, variables_.ints()[a], newlines);
    case Opcode::print_scalar:
      return named(program.scalars[a].name, variables_.scalars()[a], program.scalars[a].is_complex,
                   newlines);
    case Opcode::print_index:
      return named(program.indexes[a].name, blocks_.value_of(instruction.a), newlines);
    case Opcode::print_int:
      return value(values.pop_int(), instruction.a);
    case Opcode::print_value:
      return value(values.pop_number(), instruction.b != 0, instruction.a);
    case Opcode::print_block:
      return block(instruction.a, newlines);
    case Opcode::print_array:
      return array(instruction.a, newlines);
    default:
      base::require(false, "every opcode has its case");
  }
}

bool Printer::execute(const Instruction& instruction) {
  const std::string& name = naming_.program.specials[static_cast<std::size_t>(instruction.a)].name;
  const int worker = setting_.options.worker;
  if (name == "enable_all_rank_print" || name == "disable_all_rank_print") {
    let_all_print(name == "enable_all_rank_print");
  } else if (name == "print_block" || name == "print_block_and_index" ||
             name == "print_static_array") {
    arguments(instruction);
  } else if (name == "list_block_map") {
    text(fmt::format("worker {}: {} bytes of blocks", worker, setting_.frames.used_bytes()), 0);
  } else if (name == "list_blocks_with_number") {
    for (std::size_t array = 0; array < naming_.program.arrays.size(); ++array)
      for (const array::BlockId& id : blocks_.own().made(static_cast<std::int32_t>(array)))
        text(fmt::format("{}: {}", naming_.block(id), id.number), 0);
  } else if (name == "get_and_print_mpi_rank") {
    text(fmt::format("mpi_rank = {}", worker), 0);
  } else {
    return false;
  }
  return true;
}

void Printer::arguments(const Instruction& instruction) {
  for (std::int32_t k = 0; k < instruction.c; ++k) {
    const auto& argument = naming_.program.arguments[static_cast<std::size_t>(instruction.b + k)];
    if (argument.kind != program::ArgumentKind::selector)
      throw base::Error(base::Errc::bad_input,
                        "only blocks and static arrays can be printed so; use print");
    const program::Selector& selected = setting_.selector(argument.id);
    if (selected.form == program::SelectorForm::whole)
      array(selected.array, 0);
    else
      block(argument.id, 0);
  }
}

std::string Printer::line() const {
  return fmt::format("{}:  ", naming_.program.lines[static_cast<std::size_t>(blocks_.pc())].line);
}

void Printer::text(std::string_view text, std::int32_t newlines) {
  if (is_on()) write(std::string(text), newlines);
}

void Printer::named(std::string_view name, std::int64_t value, std::int32_t newlines) {
  if (is_on()) write(fmt::format("{}{} = {}", line(), name, value), newlines);
}

void Printer::named(std::string_view name, Number value, bool is_complex, std::int32_t newlines) {
  if (is_on())
    write(fmt::format("{}{} = {}", line(), name, text_of(value, is_complex, decimals)), newlines);
}

void Printer::value(std::int64_t value, std::int32_t newlines) {
  if (is_on()) write(fmt::format("{}", value), newlines);
}

void Printer::value(Number value, bool is_complex, std::int32_t newlines) {
  if (is_on()) write(text_of(value, is_complex, decimals), newlines);
}

std::string Printer::name_of(std::int32_t selector) const {
  const auto& selected = naming_.program.selectors[static_cast<std::size_t>(selector)];
  std::string text = naming_.array(selected.array) + "[";
  const auto& bounds = blocks_.regions().bounds(selector);
  for (std::size_t k = 0; k < selected.indexes.size(); ++k) {
    if (k > 0) text += ",";
    if (selected.form != program::SelectorForm::region)
      text += fmt::format("{}", blocks_.value_of(selected.indexes[k]));
    else if (bounds[2 * k] == bounds[2 * k + 1])
      text += fmt::format("{}", bounds[2 * k]);
    else
      text += fmt::format("{}:{}", bounds[2 * k], bounds[2 * k + 1]);
  }
  return text + "]";
}

void Printer::block(std::int32_t selector, std::int32_t newlines) {
  View view = blocks_.read(selector);  // on every worker: a missing block is an error everywhere
  if (!is_on()) return;
  const std::string name = name_of(selector);
  Number zero = 0;  // of any type
  if (view.data == nullptr) view.data = reinterpret_cast<std::byte*>(&zero), view.strides = {};
  const bool is_complex = array::is_complex(view.type);
  const auto& grid = naming_.tables.grids[static_cast<std::size_t>(
      naming_.program.selectors[static_cast<std::size_t>(selector)].array)];
  bool is_scalar = true;
  for (std::size_t k = 0; k < grid.order(); ++k)
    is_scalar = is_scalar && grid.axis(k).kind() == array::IndexKind::simple;
  if (is_scalar) {  // a block of simple indexes prints as a scalar expression does
    value(element_of(view, 0), is_complex, newlines);
    return;
  }
  if (view.shape.element_count() == 1) {
    named(name, element_of(view, 0), is_complex, newlines);
    return;
  }
  elements("block", name, view, newlines);
}

void Printer::array(std::int32_t array, std::int32_t newlines) {
  if (!is_on()) return;
  if (naming_.tables.grids[static_cast<std::size_t>(array)].element_count() == 0)
    write(fmt::format("{}printing 0 of 0 elements of contiguous array {}", line(),
                      naming_.array(array)),
          newlines);
  else
    elements("contiguous array", naming_.array(array), blocks_.whole(array), newlines);
}

void Printer::elements(std::string_view what, std::string_view name, View view,
                       std::int32_t newlines) {
  const Extent all = view.shape.element_count();
  const Extent shown = std::min(all, most_elements);
  std::string text =
      fmt::format("{}printing {} of {} elements of {} {} in the order stored in memory", line(),
                  shown, all, what, name);
  for (Extent n = 0; n < shown; ++n) {
    text += n % view.shape[0] == 0 ? '\n' : ' ';
    text += text_of(element_of(view, n), array::is_complex(view.type), digits);
  }
  write(std::move(text), newlines);
}

}  // namespace blockyard::worker::detail
