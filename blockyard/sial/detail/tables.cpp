// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/tables.h"

#include <fmt/format.h>

#include <bit>

namespace blockyard::sial::detail {
namespace {

template <class T>
std::int32_t append(std::vector<T>& list, T value) {
  list.push_back(std::move(value));
  return static_cast<std::int32_t>(list.size() - 1);
}

}  // namespace

std::int32_t Tables::int_name(std::int32_t id) {
  const auto [entry, is_new] = ints_.emplace(id, -1);
  if (is_new) entry->second = append(program_.ints, unit_.ints[static_cast<std::size_t>(id)]);
  return entry->second;
}

std::int32_t Tables::scalar(std::int32_t id) {
  const auto [entry, is_new] = scalars_.emplace(id, -1);
  if (is_new) entry->second = append(program_.scalars, unit_.scalars[static_cast<std::size_t>(id)]);
  return entry->second;
}

program::Bound Tables::bound(program::Bound bound) {
  if (bound.is_name) bound.value = int_name(bound.value);
  return bound;
}

std::int32_t Tables::index(std::int32_t id) {
  if (const auto known = indexes_.find(id); known != indexes_.end()) return known->second;
  program::IndexDecl entry = unit_.indexes[static_cast<std::size_t>(id)];
  entry.first = bound(entry.first);
  entry.last = bound(entry.last);
  if (entry.parent >= 0) entry.parent = index(entry.parent);
  return indexes_[id] = append(program_.indexes, std::move(entry));
}

std::int32_t Tables::array(std::int32_t id) {
  if (const auto known = arrays_.find(id); known != arrays_.end()) return known->second;
  program::ArrayDecl entry = unit_.arrays[static_cast<std::size_t>(id)];
  for (auto& position : entry.indexes) position = index(position);
  return arrays_[id] = append(program_.arrays, std::move(entry));
}

std::int32_t Tables::special(std::int32_t id) {
  const auto [entry, is_new] = specials_.emplace(id, -1);
  if (is_new)
    entry->second = append(program_.specials, unit_.specials[static_cast<std::size_t>(id)]);
  return entry->second;
}

std::int32_t Tables::text(std::string_view text) {
  if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
  return texts_[std::string(text)] = append(program_.texts, std::string(text));
}

std::int32_t Tables::literal(double value) {
  const auto [entry, is_new] = literals_.emplace(std::bit_cast<std::int64_t>(value), -1);
  if (is_new) entry->second = append(program_.literals, value);
  return entry->second;
}

std::int32_t Tables::selector(const program::Selector& selector, std::int32_t mention) {
  program::Selector entry = selector;
  entry.array = array(selector.array);
  for (auto& position : entry.indexes)
    if (position >= 0) position = index(position);
  return intern(std::move(entry), mention);
}

std::int32_t Tables::intern(program::Selector selector, std::int32_t mention) {
  std::vector<std::int32_t> key = {static_cast<std::int32_t>(selector.form),
                                   static_cast<std::int32_t>(selector.part), mention,
                                   selector.array};
  key.insert(key.end(), selector.indexes.begin(), selector.indexes.end());
  const auto [entry, is_new] = selectors_.emplace(std::move(key), -1);
  if (is_new) entry->second = append(program_.selectors, std::move(selector));
  return entry->second;
}

std::int32_t Tables::product(std::vector<std::int32_t> operands) {
  const auto [entry, is_new] = products_.emplace(operands, -1);
  if (is_new) entry->second = append(program_.products, program::Product{std::move(operands)});
  return entry->second;
}

std::int32_t Tables::part_of(std::int32_t selector, program::Part part) {
  program::Selector selected = program_.selectors[static_cast<std::size_t>(selector)];
  selected.part = part;
  return intern(std::move(selected));
}

std::int32_t Tables::hidden(const std::vector<std::int32_t>& indexes, program::ElementType type,
                            Place at) {
  for (auto& temp : hidden_)
    if (temp.is_free && temp.indexes == indexes && temp.type == type) {
      temp.is_free = false;
      return temp.selector;
    }
  program::ArrayDecl entry;
  entry.name = fmt::format("${}", hidden_.size() + 1);
  entry.kind = program::ArrayKind::temp;
  entry.is_hidden = true;
  entry.type = type;
  entry.at = {at.file, at.line};
  for (const auto id : indexes) entry.indexes.push_back(index(id));
  program::Selector selector;
  selector.indexes = entry.indexes;
  selector.array = append(program_.arrays, std::move(entry));
  hidden_.push_back({indexes, type, intern(std::move(selector)), false});
  return hidden_.back().selector;
}

void Tables::release_hidden() {
  for (auto& temp : hidden_) temp.is_free = true;
}

}  // namespace blockyard::sial::detail
