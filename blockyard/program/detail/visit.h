// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "blockyard/program/program.h"

/// The fields of each type of a program, in the order of the file: visit(archive, x) calls
/// archive(field) or archive.fields(field, ...) for the fields of x, and archive(field, last) for
/// an enum, with its last value. `T` is const when the archive writes.
namespace blockyard::program::detail {

template <class T, class Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

template <class Archive>
void visit(Archive& archive, Is<SourceLine> auto& x) {
  archive.fields(x.file, x.line);
}

template <class Archive>
void visit(Archive& archive, Is<Instruction> auto& x) {
  archive(x.opcode, static_cast<Opcode>(opcode_table().size() - 1));
  archive.fields(x.a, x.b, x.c);
}

template <class Archive>
void visit(Archive& archive, Is<IntDecl> auto& x) {
  archive.fields(x.name, x.is_predefined, x.initial, x.at);
}

template <class Archive>
void visit(Archive& archive, Is<ScalarDecl> auto& x) {
  archive.fields(x.name, x.is_predefined, x.initial, x.is_complex, x.at);
}

template <class Archive>
void visit(Archive& archive, Is<Bound> auto& x) {
  archive.fields(x.is_name, x.value);
}

template <class Archive>
void visit(Archive& archive, Is<IndexDecl> auto& x) {
  archive(x.name);
  archive(x.kind, static_cast<array::IndexKind>(array::kind_count - 1));
  archive.fields(x.first, x.last, x.parent, x.at);
}

template <class Archive>
void visit(Archive& archive, Is<ArrayDecl> auto& x) {
  archive(x.name);
  archive(x.kind, ArrayKind::served);
  archive(x.type, ElementType::c64);
  archive.fields(x.is_predefined, x.is_contiguous, x.is_sparse, x.is_hidden, x.indexes, x.at);
}

template <class Archive>
void visit(Archive& archive, Is<SpecialDecl> auto& x) {
  archive.fields(x.name, x.signature, x.at);
}

template <class Archive>
void visit(Archive& archive, Is<Selector> auto& x) {
  archive(x.form, SelectorForm::whole);
  archive.fields(x.array, x.indexes);
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
  archive.fields(x.where, x.body);
}

template <class Archive>
void visit(Archive& archive, Is<ProcDecl> auto& x) {
  archive.fields(x.begin, x.end);
}

template <class Archive>
void visit(Archive& archive, Is<Argument> auto& x) {
  archive(x.kind, ArgumentKind::literal);
  archive(x.id);
}

template <class Archive>
void visit(Archive& archive, Is<Program> auto& x) {
  archive.fields(x.name, x.files, x.texts, x.literals, x.ints, x.scalars, x.indexes, x.arrays,
                 x.specials, x.selectors, x.products, x.pardos, x.arguments, x.procs, x.code,
                 x.lines);
}

}  // namespace blockyard::program::detail
