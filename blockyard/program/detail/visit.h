// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "blockyard/program/program.h"

/// The fields of each type of a program, in the order of the file: visit(archive, x) calls
/// archive(field) for each field of x, and archive(field, last) for an enum, with its last value.
/// `T` is const when the archive writes.
namespace blockyard::program::detail {

template <class T, class Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

template <class Archive>
void visit(Archive& archive, Is<SourceLine> auto& x) {
  archive(x.file);
  archive(x.line);
}

template <class Archive>
void visit(Archive& archive, Is<Instruction> auto& x) {
  archive(x.opcode, static_cast<Opcode>(opcode_table().size() - 1));
  archive(x.a);
  archive(x.b);
  archive(x.c);
}

template <class Archive>
void visit(Archive& archive, Is<IntDecl> auto& x) {
  archive(x.name);
  archive(x.is_predefined);
  archive(x.initial);
  archive(x.at);
}

template <class Archive>
void visit(Archive& archive, Is<ScalarDecl> auto& x) {
  archive(x.name);
  archive(x.is_predefined);
  archive(x.initial);
  archive(x.is_complex);
  archive(x.at);
}

template <class Archive>
void visit(Archive& archive, Is<Bound> auto& x) {
  archive(x.is_name);
  archive(x.value);
}

template <class Archive>
void visit(Archive& archive, Is<IndexDecl> auto& x) {
  archive(x.name);
  archive(x.kind, static_cast<array::IndexKind>(array::kind_count - 1));
  archive(x.first);
  archive(x.last);
  archive(x.parent);
  archive(x.at);
}

template <class Archive>
void visit(Archive& archive, Is<ArrayDecl> auto& x) {
  archive(x.name);
  archive(x.kind, ArrayKind::served);
  archive(x.type, ElementType::c64);
  archive(x.is_predefined);
  archive(x.is_contiguous);
  archive(x.is_sparse);
  archive(x.is_hidden);
  archive(x.indexes);
  archive(x.at);
}

template <class Archive>
void visit(Archive& archive, Is<SpecialDecl> auto& x) {
  archive(x.name);
  archive(x.signature);
  archive(x.at);
}

template <class Archive>
void visit(Archive& archive, Is<Selector> auto& x) {
  archive(x.form, SelectorForm::whole);
  archive(x.array);
  archive(x.indexes);
  archive(x.part, Part::imaginary);
}

template <class Archive>
void visit(Archive& archive, Is<Product> auto& x) {
  archive(x.operands);
}

template <class Archive>
void visit(Archive& archive, Is<PardoDecl> auto& x) {
  archive(x.indexes);
  archive(x.policy, Policy::locality);
  archive(x.where);
  archive(x.body);
}

template <class Archive>
void visit(Archive& archive, Is<ProcDecl> auto& x) {
  archive(x.begin);
  archive(x.end);
}

template <class Archive>
void visit(Archive& archive, Is<Argument> auto& x) {
  archive(x.kind, ArgumentKind::literal);
  archive(x.id);
}

template <class Archive>
void visit(Archive& archive, Is<Program> auto& x) {
  archive(x.name);
  archive(x.files);
  archive(x.texts);
  archive(x.literals);
  archive(x.ints);
  archive(x.scalars);
  archive(x.indexes);
  archive(x.arrays);
  archive(x.specials);
  archive(x.selectors);
  archive(x.products);
  archive(x.pardos);
  archive(x.arguments);
  archive(x.procs);
  archive(x.code);
  archive(x.lines);
}

}  // namespace blockyard::program::detail
