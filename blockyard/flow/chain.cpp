// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/chain.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "blockyard/base/error.h"

namespace blockyard::flow {
namespace {

using tensor::Names;
using tensor::Shape;

/// A value that is still to be multiplied.
struct Value {
  std::size_t id;
  Names names;
  Shape shape;
};

bool has(const Names& names, int name) {
  return std::ranges::find(names.all(), name) != names.all().end();
}

/// The names of `left * right` that are needed later; nothing if they are too many for a block.
std::optional<Value> pair_up(const std::vector<Value>& values, std::size_t l, std::size_t r,
                             const Names& result, std::size_t id) {
  const auto is_needed = [&](int name) {
    if (has(result, name)) return true;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (k != l && k != r && has(values[k].names, name)) return true;
    return false;
  };
  std::vector<int> names;
  std::vector<Extent> extents;
  for (const std::size_t side : {l, r})
    for (std::size_t k = 0; k < values[side].names.order(); ++k) {
      const int name = values[side].names[k];
      if (!is_needed(name) || std::ranges::find(names, name) != names.end()) continue;
      names.push_back(name);
      extents.push_back(values[side].shape[k]);
    }
  if (names.size() > Shape::max_order) return std::nullopt;
  return Value{id, Names(names), Shape(extents)};
}

/// Multiplications of left * right: the product of the extents of all its names.
double cost_of(const Value& left, const Value& right) {
  double cost = static_cast<double>(left.shape.element_count());
  for (std::size_t k = 0; k < right.names.order(); ++k)
    if (!has(left.names, right.names[k])) cost *= static_cast<double>(right.shape[k]);
  return cost;
}

struct Pairing {
  double cost = std::numeric_limits<double>::infinity();
  std::vector<std::array<std::size_t, 2>> ids;
};

/// The values after two of them were multiplied.
std::vector<Value> rest_of(const std::vector<Value>& values, std::size_t l, std::size_t r,
                           Value made) {
  std::vector<Value> rest = values;
  rest[l] = std::move(made);
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(r));
  return rest;
}

/// The cheapest order of all. Few values: more than 5 are paired greedily. No ids: every order
/// makes a block of too many indexes.
Pairing best_pairing(const std::vector<Value>& values, const Names& result, std::size_t next_id) {
  constexpr std::size_t exhaustive = 5;
  Pairing best;
  if (values.size() == 2) {
    best.cost = cost_of(values[0], values[1]);
    best.ids = {{values[0].id, values[1].id}};
    return best;
  }
  std::optional<Value> cheapest;
  std::array<std::size_t, 2> sides{};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < values.size(); ++l)
    for (std::size_t r = l + 1; r < values.size(); ++r) {
      const double cost = cost_of(values[l], values[r]);
      if (values.size() > exhaustive && cost >= least) continue;
      auto made = pair_up(values, l, r, result, next_id);
      if (!made) continue;
      if (values.size() > exhaustive) {
        least = cost;
        cheapest = std::move(made);
        sides = {l, r};
        continue;
      }
      Pairing tail = best_pairing(rest_of(values, l, r, std::move(*made)), result, next_id + 1);
      if (cost + tail.cost >= best.cost) continue;
      best.cost = cost + tail.cost;
      best.ids = {{values[l].id, values[r].id}};
      best.ids.insert(best.ids.end(), tail.ids.begin(), tail.ids.end());
    }
  if (!cheapest) return best;
  const auto [l, r] = sides;
  Pairing tail = best_pairing(rest_of(values, l, r, std::move(*cheapest)), result, next_id + 1);
  if (tail.ids.empty()) return best;
  best.cost = least + tail.cost;
  best.ids = {{values[l].id, values[r].id}};
  best.ids.insert(best.ids.end(), tail.ids.begin(), tail.ids.end());
  return best;
}

}  // namespace

namespace {

/// An operand without the simple indexes that stand in it only: they have one value, and of a dense
/// block they change nothing.
Value without_lonely(std::size_t operand, std::span<const Names> operands, const Shape& shape,
                     const Names& result) {
  const auto is_lonely = [&](int name) {
    std::size_t places = std::ranges::count(result.all(), name);
    for (const Names& names : operands) places += std::ranges::count(names.all(), name);
    return places == 1;
  };
  std::vector<int> names;
  std::vector<Extent> extents;
  for (std::size_t k = 0; k < shape.order(); ++k) {
    const int name = operands[operand][k];
    if (shape[k] == 1 && is_lonely(name)) continue;
    names.push_back(name);
    extents.push_back(shape[k]);
  }
  return {operand, Names(names), Shape(extents)};
}

}  // namespace

Chain make_chain(std::span<const Names> operands, std::span<const Shape> shapes,
                 const Names& result, const Shape& result_shape, array::ElementType type,
                 std::span<const tensor::Conjugate> conjugates) {
  std::vector<Value> values;
  for (std::size_t k = 0; k < operands.size(); ++k)
    values.push_back(without_lonely(k, operands, shapes[k], result));
  const Pairing pairing = best_pairing(values, result, operands.size());
  if (pairing.ids.empty())
    throw base::Error(base::Errc::bad_input,
                      "in whatever order these blocks are multiplied, a product of two has more "
                      "than 8 indexes: compute a part of it into a block of its own");
  const auto conjugate_of = [&](std::size_t id) {
    return id < conjugates.size() ? conjugates[id] : tensor::Conjugate::no;
  };
  const tensor::ContractOptions options =
      array::with_type(type, []<class T>() { return tensor::options_for<T>; });
  Chain chain;
  std::size_t next_id = operands.size();
  for (const auto& [left_id, right_id] : pairing.ids) {
    const auto l =
        static_cast<std::size_t>(std::ranges::find(values, left_id, &Value::id) - values.begin());
    const auto r =
        static_cast<std::size_t>(std::ranges::find(values, right_id, &Value::id) - values.begin());
    const bool is_last = values.size() == 2;
    Value made = is_last ? Value{next_id, result, result_shape}
                         : pair_up(values, l, r, result, next_id).value();
    const tensor::ContractSpec spec{made.names, values[l].names, values[r].names,
                                    conjugate_of(left_id), conjugate_of(right_id)};
    tensor::ContractPlan plan(spec, made.shape, values[l].shape, values[r].shape, options);
    chain.flops += (array::is_complex(type) ? 8.0 : 2.0) * cost_of(values[l], values[r]);
    chain.workspace_elements = std::max(chain.workspace_elements, plan.workspace_elements());
    chain.steps.push_back(
        {left_id, right_id, std::move(plan), made.shape, spec, values[l].shape, values[r].shape});
    values[l] = std::move(made);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(r));
    ++next_id;
  }
  return chain;
}

}  // namespace blockyard::flow
