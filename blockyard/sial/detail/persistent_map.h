// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace blockyard::sial::detail {

/// A map from numbers that is copied in no time: copies share what they have in common, and joining
/// two looks at what differs alone. For an analysis of programs that holds a state for each branch.
/// A trie of the digits of keys in base 4, lowest digit first. A change takes O(log key).
/// Source: Okasaki, Gill, Fast mergeable integer maps, ML workshop 1998.
template <class Value>
class PersistentMap {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return root_ == nullptr; }
  [[nodiscard]] bool contains(std::uint32_t key) const { return find(key) != nullptr; }
  /// Null if there is none. Valid until this changes.
  [[nodiscard]] const Value* find(std::uint32_t key) const {
    const Node* node = root_.get();
    for (; node != nullptr && key != 0; key /= base) node = node->next[key % base].get();
    return node != nullptr && node->value ? &*node->value : nullptr;
  }
  void insert_or_assign(std::uint32_t key, Value value) {
    root_ = with(root_, key, std::move(value));
  }
  /// Leaves a value that is there.
  void insert(std::uint32_t key, Value value) {
    if (!contains(key)) insert_or_assign(key, std::move(value));
  }
  void erase(std::uint32_t key) {
    if (contains(key)) root_ = with(root_, key, std::nullopt);
  }

  /// In order of nothing in particular.
  template <class Visit>
  void for_each(const Visit& visit) const {
    each_below(root_.get(), 0, 1, visit);
  }

  /// What is in either, or in both; with the value of `a` where they have two.
  [[nodiscard]] static PersistentMap either(const PersistentMap& a, const PersistentMap& b) {
    return PersistentMap(merge<true>(a.root_, b.root_));
  }
  [[nodiscard]] static PersistentMap both(const PersistentMap& a, const PersistentMap& b) {
    return PersistentMap(merge<false>(a.root_, b.root_));
  }

  PersistentMap() = default;

 private:
  static constexpr std::uint32_t base = 4;
  struct Node;
  using Link = std::shared_ptr<const Node>;  // shared by the maps that have it in common
  struct Node {
    std::optional<Value> value;
    std::array<Link, base> next;
  };

  explicit PersistentMap(Link root) : root_(std::move(root)) {}

  [[nodiscard]] static Link made(Node node) {
    bool is_empty = !node.value;
    for (const Link& next : node.next) is_empty = is_empty && next == nullptr;
    return is_empty ? nullptr : std::make_shared<const Node>(std::move(node));
  }

  [[nodiscard]] static Link with(const Link& old, std::uint32_t key, std::optional<Value> value) {
    Node node = old ? *old : Node();
    if (key == 0)
      node.value = std::move(value);
    else
      node.next[key % base] = with(node.next[key % base], key / base, std::move(value));
    return made(std::move(node));
  }

  template <bool in_either>
  [[nodiscard]] static Link merge(const Link& a, const Link& b) {
    if (a == b) return a;
    if (!a || !b) return !in_either ? nullptr : a ? a : b;
    Node node;
    if (in_either ? a->value || b->value : a->value && b->value)
      node.value = a->value ? a->value : b->value;
    bool is_a = node.value.has_value() == a->value.has_value();
    for (std::uint32_t digit = 0; digit < base; ++digit) {
      node.next[digit] = merge<in_either>(a->next[digit], b->next[digit]);
      is_a = is_a && node.next[digit] == a->next[digit];
    }
    return is_a ? a : made(std::move(node));  // what is shared stays so
  }

  template <class Visit>
  static void each_below(const Node* node, std::uint32_t key, std::uint32_t place,
                         const Visit& visit) {
    if (node == nullptr) return;
    if (node->value) visit(key, *node->value);
    for (std::uint32_t digit = 0; digit < base; ++digit)
      each_below(node->next[digit].get(), key + digit * place, place * base, visit);
  }

  Link root_;
};

}  // namespace blockyard::sial::detail
