// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/supers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "blockyard/base/checksum.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::ArgumentKind;
using super::Access;

namespace {

/// Whether a program may declare a super instruction so: what it writes must be declared w or u;
/// what it only reads may be declared u.
bool allows(std::string_view declared, std::string_view needed) {
  return std::ranges::equal(declared, needed, [](char one, char need) {
    return one == need || one == 'u' || (one == 'w' && need == 'u');
  });
}

Access access_of(char letter) {
  if (letter == 'r') return Access::read;
  return letter == 'w' ? Access::write : Access::update;
}

/// Gives an operand its elements.
void show(super::Operand& operand, ElementType type, std::byte* elements, std::size_t count) {
  operand.type = type;
  if (type == ElementType::f64)
    operand.values = {reinterpret_cast<double*>(elements), count};
  else
    operand.others = {elements, count * array::bytes_of(type)};
}

}  // namespace

Supers::Supers(const Naming& naming, Blocks& blocks, super::Table& table,
               const Environment& environment, const Options& options, WorkerDevice& device)
    : naming_(naming),
      blocks_(blocks),
      table_(table),
      check_(options.check),
      form_check_([&device] { return device.compared(); }, naming.program.code.size()) {
  context_.worker = options.worker;
  context_.workers = options.workers;
  context_.segments = &environment.segments;
  context_.ints = &environment.ints;
  context_.scalars = &environment.scalars;
  context_.arrays = &environment.arrays;
  std::set<std::int32_t> executed;
  for (const program::Instruction& instruction : naming.program.code)
    if (instruction.opcode == program::Opcode::execute) executed.insert(instruction.a);
  for (const auto& special : naming.program.specials) {
    const super::Entry* entry = table.find(special.name);
    const auto id = static_cast<std::int32_t>(entries_.size());
    entries_.push_back(entry);
    if (entry == nullptr || (special.signature.empty() && !executed.contains(id)) ||
        allows(special.signature, entry->signature) ||
        std::ranges::find(entry->also, special.signature) != entry->also.end())
      continue;
    throw Error(Errc::bad_input,
                fmt::format("{}:{}: super instruction '{}' is declared with signature '{}', but it "
                            "is '{}'",
                            naming.program.files[special.at.file], special.at.line, special.name,
                            special.signature, entry->signature));
  }
  for (std::size_t pc = 0; pc < naming.program.code.size(); ++pc)
    check_types(static_cast<std::int32_t>(pc));
}

/// The type that an argument has, which the program says, is one that the super instruction takes.
void Supers::check_types(std::int32_t pc) const {
  const program::Program& program = naming_.program;
  const program::Instruction& instruction = program.code[static_cast<std::size_t>(pc)];
  if (instruction.opcode != program::Opcode::execute) return;
  const super::Entry* entry = entries_[static_cast<std::size_t>(instruction.a)];
  if (entry == nullptr) return;
  for (std::int32_t k = 0; k < instruction.c; ++k) {
    const auto& argument = program.arguments[static_cast<std::size_t>(instruction.b + k)];
    const auto id = static_cast<std::size_t>(argument.id);
    ElementType type = ElementType::f64;
    std::string name = "a number";
    if (argument.kind == ArgumentKind::scalar) {
      if (program.scalars[id].is_complex) type = ElementType::c128;
      name = fmt::format("'{}'", program.scalars[id].name);
    } else if (argument.kind == ArgumentKind::selector) {
      const auto& array = program.arrays[static_cast<std::size_t>(program.selectors[id].array)];
      type = array.type;
      name = fmt::format("'{}'", array.name);
    }
    const super::Types types = entry->types_of(static_cast<std::size_t>(k));
    if (types.holds(type)) continue;
    const bool is_lost = array::is_complex(type) && !types.holds(ElementType::c128) &&
                         !types.holds(ElementType::c64);
    throw PlacedError(
        Errc::bad_input,
        fmt::format("{}: super instruction '{}' takes {} here, but argument {} ({}) is {}; copy it "
                    "to a block or scalar of that type{}",
                    naming_.place(pc), entry->name, types.text(), k + 1, name,
                    array::element_names[static_cast<std::size_t>(type)],
                    is_lost ? ", with real() or imag()" : ""));
  }
}

void Supers::report_unknown(const std::string& name) const {
  if (name == "array_copy")
    throw Error(Errc::bad_input,
                "unknown super instruction 'array_copy': copy block by block, with get and put "
                "in a pardo");
  if (name == "blocks_to_list" || name == "list_to_blocks")
    throw Error(Errc::bad_input, fmt::format("unknown super instruction '{}': set_persistent and "
                                             "restore_persistent hand arrays on to later programs",
                                             name));
  const std::string nearest = base::nearest_name(name, table_.names());
  throw Error(Errc::bad_input,
              fmt::format("unknown super instruction '{}'{}; load your own with --super", name,
                          nearest.empty() ? "" : fmt::format("; is '{}' meant?", nearest)));
}

void Supers::execute(std::int32_t special, std::int32_t first, std::int32_t count,
                     std::span<std::complex<double>> scalars, std::span<const std::int64_t> ints) {
  const auto& decl = naming_.program.specials[static_cast<std::size_t>(special)];
  const super::Entry* entry = entries_[static_cast<std::size_t>(special)];
  if (entry == nullptr) report_unknown(decl.name);
  const auto arguments = static_cast<std::size_t>(count);
  const Arguments all{
      std::span(naming_.program.arguments).subspan(static_cast<std::size_t>(first), arguments),
      decl.signature, scalars, ints};
  SuperUse& use = uses_[decl.name];
  ++use.calls;
  operands_.assign(arguments, {});
  laid_.assign(arguments, {});
  if (entry->device && device_ != nullptr && !keep_overwritten(all)) {
    if (run_on_device(*entry, all)) {
      ++use.device_calls;
      return;
    }
    operands_.assign(arguments, {});
    laid_.assign(arguments, {});
  }
  static_cast<void>(keep_overwritten(all));
  // What is read goes first: it may be a copy of what is cleared to be written.
  for (const bool is_read : {true, false})
    for (std::size_t k = 0; k < arguments; ++k)
      if ((decl.signature[k] == 'r') == is_read)
        lay_out(all.all[k], access_of(decl.signature[k]), scalars, ints, k);
  if (check_ && entry->device)
    form_check_.run(*entry, static_cast<std::size_t>(blocks_.pc()), operands_, context_);
  run_on_host(*entry, use);
  if (check_ && entry->device) form_check_.compare(*entry, operands_);
  bring_back(decl.name);
  blocks_.release_scratch();
}

/// Arguments that are read although another one writes into the same elements are to be copied, so
/// that the super instruction sees the old ones. False: there are none.
bool Supers::keep_overwritten(const Arguments& arguments) {
  bool is_any = false;
  for (std::size_t k = 0; k < arguments.all.size(); ++k)
    for (std::size_t n = 0; n < arguments.all.size() && arguments.signature[k] == 'r'; ++n)
      if (arguments.signature[n] != 'r' && may_meet(arguments.all[k], arguments.all[n]))
        laid_[k].is_copied = is_any = true;
  return is_any;
}

/// Whether two arguments can be, or share, the same elements.
bool Supers::may_meet(const program::Argument& one, const program::Argument& other) const {
  if (one.kind != other.kind) return false;
  if (one.kind == ArgumentKind::scalar) return one.id == other.id;
  if (one.kind != ArgumentKind::selector) return false;
  const auto& left = naming_.program.selectors[static_cast<std::size_t>(one.id)];
  const auto& right = naming_.program.selectors[static_cast<std::size_t>(other.id)];
  if (left.array != right.array) return false;
  if (left.form != program::SelectorForm::block || right.form != program::SelectorForm::block)
    return true;
  const auto is_whole = [this](std::int32_t index) {
    return naming_.program.indexes[static_cast<std::size_t>(index)].parent < 0;
  };
  for (std::size_t k = 0; k < left.indexes.size(); ++k)
    if (is_whole(left.indexes[k]) && is_whole(right.indexes[k]) &&
        blocks_.value_of(left.indexes[k]) != blocks_.value_of(right.indexes[k]))
      return false;
  return true;
}

void Supers::run_on_host(const super::Entry& entry, SuperUse& use) {
  const double begin = base::now_seconds();
  try {
    entry.function(operands_, context_);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("super instruction '{}': {}", entry.name, error.what()));
  } catch (const std::exception& error) {
    throw Error(Errc::internal,
                fmt::format("super instruction '{}' failed: {}", entry.name, error.what()));
  }
  const double seconds = base::now_seconds() - begin;
  use.seconds += seconds;
  if (!entry.device) return;
  host_seconds_ += seconds;
  if (device_ != nullptr && device_->is_learning())
    device_->host_took(super::work_of(operands_), seconds);
}

/// False: the host does it, which lays the operands out for itself.
bool Supers::run_on_device(const super::Entry& entry, const Arguments& arguments) {
  selectors_.assign(arguments.all.size(), -1);
  for (std::size_t k = 0; k < arguments.all.size(); ++k) {
    const program::Argument& argument = arguments.all[k];
    const Access access = access_of(arguments.signature[k]);
    if (argument.kind != ArgumentKind::selector) {
      if (access != Access::read) return false;
      lay_out(argument, access, arguments.scalars, arguments.ints, k);
      continue;
    }
    const auto shape = blocks_.device_shape(argument.id);
    if (!shape || shape->order() == 0) return false;
    selectors_[k] = argument.id;
    operands_[k].access = access;
    operands_[k].type = program::type_of(
        naming_.program, naming_.program.selectors[static_cast<std::size_t>(argument.id)]);
    describe(argument.id, *shape, k);
  }
  return device_->execute({entry, operands_, selectors_, context_});
}

void Supers::lay_out(const program::Argument& argument, Access access,
                     std::span<std::complex<double>> scalars, std::span<const std::int64_t> ints,
                     std::size_t k) {
  super::Operand& operand = operands_[k];
  operand.access = access;
  const auto id = static_cast<std::size_t>(argument.id);
  switch (argument.kind) {
    case ArgumentKind::selector:
      lay_out_block(argument.id, access, k);
      break;
    case ArgumentKind::scalar:
      operand.name = naming_.program.scalars[id].name;
      // The begin of a complex number is its real part.
      laid_[k].number = scalars[id];
      show(operand, naming_.program.scalars[id].is_complex ? ElementType::c128 : ElementType::f64,
           reinterpret_cast<std::byte*>(laid_[k].is_copied ? &laid_[k].number : &scalars[id]), 1);
      if (access == Access::write) scalars[id] = 0.0;
      break;
    case ArgumentKind::int_name:
    case ArgumentKind::literal:
      laid_[k].number = argument.kind == ArgumentKind::literal ? naming_.program.literals[id]
                                                               : static_cast<double>(ints[id]);
      if (argument.kind == ArgumentKind::int_name) operand.name = naming_.program.ints[id].name;
      show(operand, ElementType::f64, reinterpret_cast<std::byte*>(&laid_[k].number), 1);
      if (access != Access::read)
        throw Error(Errc::bad_input,
                    fmt::format("argument {} is written by the super instruction, so it must be a "
                                "scalar, a block or an array",
                                k + 1));
      break;
  }
  if (check_ && access == Access::read) laid_[k].checksum = base::checksum(operand.bytes());
}

void Supers::lay_out_block(std::int32_t selector, Access access, std::size_t k) {
  super::Operand& operand = operands_[k];
  Laid& laid = laid_[k];
  const Located at = blocks_.locate(selector);
  View view = access == Access::read     ? blocks_.read(at)
              : access == Access::update ? blocks_.update(at)
                                         : blocks_.write(at);
  laid.origin = view;
  laid.goes_back = access != Access::read;
  laid.is_copied = laid.is_copied || !view.is_dense() || view.data == nullptr;
  if (laid.is_copied) {
    std::byte* values = blocks_.scratch(view.bytes());
    // Without data: a sparse block never written.
    if (view.data != nullptr && access != Access::write)
      copy_dense(view, values);
    else if (access != Access::write)
      std::memset(values, 0, view.bytes());
    view = View::dense(values, view.shape, view.type);
  }
  // Super instructions add into what they are given to write, as ACES4 lets them.
  if (access == Access::write) std::memset(view.data, 0, view.bytes());
  show(operand, view.type, view.data, static_cast<std::size_t>(view.shape.element_count()));
  describe(selector, view.shape, k);
}

/// What an operand is, but for its elements.
void Supers::describe(std::int32_t selector, const tensor::Shape& shape, std::size_t k) {
  const auto& selected = naming_.program.selectors[static_cast<std::size_t>(selector)];
  const auto& array = naming_.program.arrays[static_cast<std::size_t>(selected.array)];
  super::Operand& operand = operands_[k];
  Laid& laid = laid_[k];
  operand.name = array.name;
  laid.origin.shape = shape;
  operand.extents = laid.origin.shape.extents();
  const auto& bounds = blocks_.regions().bounds(selector);
  for (std::size_t n = 0; n < array.indexes.size(); ++n) {
    laid.kinds[n] = naming_.program.indexes[static_cast<std::size_t>(array.indexes[n])].kind;
    laid.segments[n] =
        naming_.tables.grids[static_cast<std::size_t>(selected.array)].axis(n).first();
    if (selected.form == program::SelectorForm::block)
      laid.segments[n] = blocks_.value_of(selected.indexes[n]);
    if (selected.form == program::SelectorForm::region) laid.segments[n] = bounds[2 * n];
  }
  operand.segments = {laid.segments.data(), array.indexes.size()};
  operand.kinds = {laid.kinds.data(), array.indexes.size()};
}

void Supers::bring_back(const std::string& name) {
  for (std::size_t k = 0; k < laid_.size(); ++k) {
    const Laid& laid = laid_[k];
    if (check_ && operands_[k].access == Access::read &&
        laid.checksum != base::checksum(operands_[k].bytes()))
      throw Error(
          Errc::bad_input,
          fmt::format("super instruction '{}' changed argument {} ('{}'), which it declares "
                      "to read only",
                      name, k + 1, operands_[k].name));
    if (laid.is_copied && laid.goes_back)
      convert(View::dense(operands_[k].bytes().data(), laid.origin.shape, laid.origin.type),
              laid.origin);
  }
}

}  // namespace blockyard::worker::detail
