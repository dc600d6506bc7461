// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>

namespace blockyard::program {
namespace {

using std::string_view;

template <class Enum, std::size_t size>
string_view name_in(const std::array<string_view, size>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

constexpr std::array<string_view, 5> array_kinds = {"static", "temp", "local", "distributed",
                                                    "served"};
constexpr std::array<string_view, 4> parts = {"", "conj", "real", "imag"};
constexpr std::array<string_view, 4> modes = {"=", "+=", "-=", "*="};
constexpr std::array<string_view, 6> relations = {"<", ">", "<=", ">=", "==", "!="};
constexpr std::array<string_view, 7> policies = {"",        "sequential",   "static",  "balanced",
                                                 "dynamic", "every worker", "locality"};

string_view name_of(const Program& program, std::int32_t index) {
  return program.indexes[static_cast<std::size_t>(index)].name;
}

std::string names_of(const Program& program, const std::vector<std::int32_t>& indexes,
                     string_view unnamed = "*") {
  std::vector<string_view> names;
  for (const auto index : indexes) names.push_back(index < 0 ? unnamed : name_of(program, index));
  return fmt::format("{}", fmt::join(names, ","));
}

std::string in_quotes(string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else
      out += c;
  }
  return out + '"';
}

/// Prints a program that `verify` has accepted.
class Printer {
 public:
  explicit Printer(const Program& program) : p_(program) {}

  std::string print() {
    line("program {}", p_.name);
    table("file", p_.files, [](const std::string& x) { return x; });
    table("int", p_.ints, [](const IntDecl& x) {
      return x.is_predefined ? fmt::format("predefined {}", x.name)
                             : fmt::format("{} = {}", x.name, x.initial);
    });
    table("scalar", p_.scalars, [](const ScalarDecl& x) {
      const string_view type = x.is_complex ? "complex " : "";
      return x.is_predefined ? fmt::format("{}predefined {}", type, x.name)
                             : fmt::format("{}{} = {}", type, x.name, x.initial);
    });
    table("unused", p_.unused, [](const std::string& x) { return x; });
    table("index", p_.indexes, [this](const IndexDecl& x) { return print_index(x); });
    table("array", p_.arrays, [this](const ArrayDecl& x) { return print_array(x); });
    table("special", p_.specials,
          [](const SpecialDecl& x) { return fmt::format("{} {}", x.name, x.signature); });
    table("pardo", p_.pardos, [this](const PardoDecl& x) {
      return fmt::format("{} {}", names_of(p_, x.indexes), name_in(policies, x.policy));
    });
    line("code");
    for (std::size_t pc = 0; pc < p_.code.size(); ++pc) print_instruction(pc);
    return std::move(out_);
  }

 private:
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
    while (out_.ends_with(' ')) out_.pop_back();
    out_ += '\n';
  }

  template <class T, class Text>
  void table(string_view title, const std::vector<T>& entries, const Text& text) {
    for (std::size_t k = 0; k < entries.size(); ++k)
      line("{:<7} {:>4}  {}", title, k, text(entries[k]));
  }

  std::string print_bound(const Bound& bound) const {
    return bound.is_name ? p_.ints[static_cast<std::size_t>(bound.value)].name
                         : fmt::to_string(bound.value);
  }

  std::string print_index(const IndexDecl& x) const {
    if (x.parent >= 0) return fmt::format("subindex {} of {}", x.name, name_of(p_, x.parent));
    return fmt::format("{} {} = {}:{}", name_in(array::kind_keywords, x.kind), x.name,
                       print_bound(x.first), print_bound(x.last));
  }

  std::string print_array(const ArrayDecl& x) const {
    return fmt::format("{}{}{}{}{}{} {}[{}]", x.is_hidden ? "hidden " : "",
                       x.is_predefined ? "predefined " : "", x.is_contiguous ? "contiguous " : "",
                       x.is_sparse ? "sparse " : "", name_in(array::element_words, x.type),
                       word_of(x.kind), x.name, names_of(p_, x.indexes));
  }

  void print_instruction(std::size_t pc) {
    const Instruction& at = p_.code[pc];
    const OpcodeRow& row = row_of(at.opcode);
    const std::array<std::int32_t, 3> values = {at.a, at.b, at.c};
    std::vector<std::string> operands;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (row.operands[k] == OperandKind::count) break;  // printed with the arguments
      const bool is_plain = row.operands[k] == OperandKind::number && values[k] == 0;
      if (row.operands[k] != OperandKind::none && !is_plain)
        operands.push_back(print_operand(row.operands[k], values[k], at));
    }
    line("{:>6}  {:<17} {:<40} # {}", pc, row.name, fmt::format("{}", fmt::join(operands, ", ")),
         place_of(p_, static_cast<std::int32_t>(pc)));
  }

  std::string print_operand(OperandKind kind, std::int32_t value, const Instruction& at) const {
    const auto k = static_cast<std::size_t>(value);
    switch (kind) {
      case OperandKind::none:
      case OperandKind::count:
      case OperandKind::integer:
        return fmt::to_string(value);
      case OperandKind::literal:
        return fmt::to_string(p_.literals[k]);
      case OperandKind::text:
        return in_quotes(p_.texts[k]);
      case OperandKind::target:
        return fmt::format("-> {}", value);
      case OperandKind::int_name:
        return p_.ints[k].name;
      case OperandKind::scalar:
        return p_.scalars[k].name;
      case OperandKind::index:
        return p_.indexes[k].name;
      case OperandKind::array:
        return p_.arrays[k].name;
      case OperandKind::selector:
        return print_selector(p_, p_.selectors[k]);
      case OperandKind::product:
        return print_product(p_.products[k]);
      case OperandKind::pardo:
        return names_of(p_, p_.pardos[k].indexes);
      case OperandKind::special:
        return p_.specials[k].name;
      case OperandKind::argument:
        return print_arguments(value, at.c);
      case OperandKind::mode:
        return std::string(name_in(modes, value));
      case OperandKind::relation:
        return std::string(name_in(relations, value));
      case OperandKind::number:
        return value == 0 ? "real" : "complex";
      case OperandKind::flags:
        return print_flags(value);
    }
    return {};
  }

  std::string print_product(const Product& x) const {
    std::vector<std::string> factors;
    for (const auto operand : x.operands)
      factors.push_back(print_selector(p_, p_.selectors[static_cast<std::size_t>(operand)]));
    return fmt::format("{}", fmt::join(factors, " * "));
  }

  std::string print_arguments(std::int32_t first, std::int32_t count) const {
    std::vector<std::string> texts;
    for (std::int32_t k = first; k < first + count; ++k)
      texts.push_back(print_argument(p_.arguments[static_cast<std::size_t>(k)]));
    return fmt::format("{}", fmt::join(texts, " "));
  }

  std::string print_argument(const Argument& x) const {
    const auto k = static_cast<std::size_t>(x.id);
    switch (x.kind) {
      case ArgumentKind::selector:
        return print_selector(p_, p_.selectors[k]);
      case ArgumentKind::scalar:
        return p_.scalars[k].name;
      case ArgumentKind::int_name:
        return p_.ints[k].name;
      case ArgumentKind::literal:
        return fmt::to_string(p_.literals[k]);
    }
    return {};
  }

  static std::string print_flags(std::int32_t flags) {
    return fmt::format("{}{}{}", (flags & flag_accumulate) != 0 ? "accumulate " : "set ",
                       (flags & flag_negate) != 0 ? "negate " : "",
                       (flags & flag_scaled) != 0 ? "scaled" : "");
  }

  const Program& p_;
  std::string out_;
};

/// A cell of a Markdown table.
std::string_view kind_name(OperandKind kind) {
  static constexpr std::array<string_view, 19> names = {
      "",      "integer", "literal",  "text",    "target", "int",     "scalar",
      "index", "array",   "block",    "product", "pardo",  "special", "argument",
      "count", "mode",    "relation", "number",  "flags"};
  return name_in(names, kind);
}

std::string_view control_name(Control control) {
  static constexpr std::array<string_view, 11> names = {
      "",     "jump",  "branch",     "call",      "return",    "end",
      "stop", "where", "loop begin", "loop next", "loop leave"};
  return name_in(names, control);
}

std::string effect_names(int effects) {
  static constexpr std::array<string_view, 8> names = {
      "writes", "updates", "gets", "puts", "replaces", "meets", "ends epoch", "makes"};
  std::vector<string_view> found;
  for (std::size_t k = 0; k < names.size(); ++k)
    if ((effects >> k & 1) != 0) found.push_back(names[k]);
  return fmt::format("{}", fmt::join(found, ", "));
}

}  // namespace

std::string print(const Program& program) { return Printer(program).print(); }

std::string_view word_of(ArrayKind kind) noexcept { return name_in(array_kinds, kind); }

std::string print_selector(const Program& program, const Selector& selector) {
  const std::string& name = program.arrays[static_cast<std::size_t>(selector.array)].name;
  if (selector.form == SelectorForm::whole) return name;
  const string_view unnamed = selector.form == SelectorForm::region ? ":" : "*";
  const std::string block =
      fmt::format("{}[{}]", name, names_of(program, selector.indexes, unnamed));
  return selector.part == Part::all ? block
                                    : fmt::format("{}({})", name_in(parts, selector.part), block);
}

std::string print_opcode_table() {
  std::string out =
      "| number | opcode | a | b | c | pops | pushes | control | does | meaning |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const OpcodeRow& row : opcode_table())
    out += fmt::format("| {} | `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                       static_cast<int>(row.opcode), row.name, kind_name(row.operands[0]),
                       kind_name(row.operands[1]), kind_name(row.operands[2]), row.pops, row.pushes,
                       control_name(row.control), effect_names(row.effects), row.meaning);
  return out;
}

}  // namespace blockyard::program
