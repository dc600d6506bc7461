// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/tensor/elementwise.h"
#include "blockyard/tensor/permute.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Mode;
using program::Selector;
using tensor::Names;
using tensor::Shape;

namespace {

constexpr std::array<int, array::max_order> same_order = {0, 1, 2, 3, 4, 5, 6, 7};

std::span<const int> identity(const Shape& shape) { return {same_order.data(), shape.order()}; }

std::span<double> values_of(const View& dense) {
  return {dense.data, static_cast<std::size_t>(dense.shape.element_count())};
}

/// Positions of `view` in this order, without those left out (which must have an extent of 1).
View squeeze(const View& view, const std::vector<std::size_t>& positions) {
  View result;
  result.data = view.data;
  std::array<Extent, array::max_order> extents{};
  Extent count = 1;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    extents[k] = view.shape[positions[k]];
    result.strides[k] = view.strides[positions[k]];
    count *= extents[k];
  }
  if (count != view.shape.element_count())
    throw Error(Errc::bad_input, "indexes that stand on one side only must have an extent of 1");
  result.shape = Shape({extents.data(), positions.size()});
  return result;
}

/// Mixes the extents of shapes into one number. Source: Fowler, Noll, Vo, FNV-1a.
std::uint64_t mix(std::uint64_t hash, const Shape& shape) {
  for (const Extent extent : shape.extents())
    hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

View Arithmetic::read(std::int32_t selector) {
  const View view = blocks_.read(selector);
  if (check_ && view.data != nullptr && is_uninitialised(view)) {
    const auto& array = program_.selectors[static_cast<std::size_t>(selector)].array;
    throw Error(Errc::bad_input,
                fmt::format("a block of array '{}' is read that has elements never assigned",
                            program_.arrays[static_cast<std::size_t>(array)].name));
  }
  return view;
}

View Arithmetic::target(std::int32_t selector, bool accumulates) {
  return accumulates ? blocks_.update(selector) : blocks_.write(selector);
}

double Arithmetic::element(std::int32_t selector) {
  const View view = read(selector);
  return view.data == nullptr ? 0.0 : *view.data;
}

void Arithmetic::fill(std::int32_t selector, Mode mode, double value) {
  ++operations;
  const View to = target(selector, mode != Mode::set);
  const double one = 1.0;
  if (to.is_dense()) {
    switch (mode) {
      case Mode::set:
        tensor::fill(values_of(to), value);
        return;
      case Mode::add:
        tensor::add_scalar(values_of(to), value);
        return;
      case Mode::subtract:
        tensor::add_scalar(values_of(to), -value);
        return;
      case Mode::multiply:
        tensor::scale(values_of(to), value);
        return;
    }
  }
  // A slice: combine with one element seen everywhere.
  if (mode == Mode::multiply) value -= 1.0;
  if (mode == Mode::subtract) value = -value;
  const View ones{const_cast<double*>(&one), to.shape, {}};
  const View from =
      mode == Mode::multiply ? View::dense(const_cast<double*>(dense(to)), to.shape) : ones;
  tensor::transform<double>(value, from, identity(to.shape), mode == Mode::set ? 0.0 : 1.0, to);
  blocks_.release_scratch();
}

const Arithmetic::Match& Arithmetic::match(const Selector& to, const Selector& from) {
  auto& kept = matches_[static_cast<std::size_t>(blocks_.pc)];
  if (kept) return *kept;
  auto made = std::make_unique<Match>();
  std::vector<std::size_t> free_to;
  std::vector<bool> is_used(from.indexes.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t k = 0; k < to.indexes.size(); ++k) {
    const auto found =
        to.indexes[k] < 0 ? from.indexes.end() : std::ranges::find(from.indexes, to.indexes[k]);
    if (found == from.indexes.end()) {
      free_to.push_back(k);
      continue;
    }
    const auto position = static_cast<std::size_t>(found - from.indexes.begin());
    is_used[position] = true;
    pairs.emplace_back(k, position);
  }
  if (to.indexes.size() == from.indexes.size()) {  // names that differ are paired in order
    std::size_t next = 0;
    for (std::size_t k = 0; k < is_used.size(); ++k)
      if (!is_used[k]) pairs.emplace_back(free_to[next++], k);
    std::ranges::sort(pairs);
  }
  for (const auto& [target_position, source_position] : pairs) {
    made->to_positions.push_back(target_position);
    made->from_positions.push_back(source_position);
  }
  std::ranges::sort(made->from_positions);
  for (const auto& [target_position, source_position] : pairs)
    made->permutation.push_back(static_cast<int>(
        std::ranges::find(made->from_positions, source_position) - made->from_positions.begin()));
  kept = std::move(made);
  return *kept;
}

void Arithmetic::copy(std::int32_t to, std::int32_t from, bool accumulates, double factor) {
  ++operations;
  const Selector& target_selector = program_.selectors[static_cast<std::size_t>(to)];
  const Selector& source_selector = program_.selectors[static_cast<std::size_t>(from)];
  View source = read(from);
  if (source.data == nullptr) {  // a sparse block never written: zero
    if (!accumulates) fill(to, Mode::set, 0.0);
    return;
  }
  if (target_selector == source_selector && target_selector.form == program::SelectorForm::block) {
    fill(to, Mode::multiply, accumulates ? 1.0 + factor : factor);
    return;
  }
  if (target_selector.array == source_selector.array) {  // the two may overlap
    double* copied = blocks_.scratch(source.shape.element_count());
    const View apart = View::dense(copied, source.shape);
    tensor::transform<double>(1.0, source, identity(source.shape), 0.0, apart);
    source = apart;
  }
  const Match& matched = match(target_selector, source_selector);
  const View target_view = squeeze(target(to, accumulates), matched.to_positions);
  const View source_view = squeeze(source, matched.from_positions);
  for (std::size_t k = 0; k < matched.permutation.size(); ++k)
    if (target_view.shape[k] != source_view.shape[static_cast<std::size_t>(matched.permutation[k])])
      throw Error(Errc::bad_input,
                  fmt::format("the two sides differ in extent at position {}: {} and {}", k + 1,
                              target_view.shape[k],
                              source_view.shape[static_cast<std::size_t>(matched.permutation[k])]));
  tensor::transform<double>(factor, source_view, matched.permutation, accumulates ? 1.0 : 0.0,
                            target_view);
  blocks_.release_scratch();
}

const double* Arithmetic::dense(const View& view) {
  if (view.is_dense()) return view.data;
  double* copied = blocks_.scratch(view.shape.element_count());
  tensor::transform<double>(1.0, view, identity(view.shape), 0.0, View::dense(copied, view.shape));
  return copied;
}

bool Arithmetic::read_operands(const program::Product& product) {
  views_.clear();
  bool is_zero = false;
  for (const std::int32_t operand : product.operands) {
    views_.push_back(read(operand));
    is_zero = is_zero || views_.back().data == nullptr;
  }
  return !is_zero;
}

const Chain& Arithmetic::chain(const program::Product& product, const Names& result,
                               const Shape& result_shape) {
  std::uint64_t key = mix(0xcbf29ce484222325ULL, result_shape);
  for (const View& view : views_) key = mix(key, view.shape);
  Plans& plans = chains_[static_cast<std::size_t>(blocks_.pc)];
  for (auto found = plans.find(key); found != plans.end(); found = plans.find(++key)) {
    const auto& shapes = found->second.shapes;
    bool is_same = shapes.back() == result_shape;
    for (std::size_t k = 0; k < views_.size(); ++k)
      is_same = is_same && shapes[k] == views_[k].shape;
    if (is_same) return found->second.chain;
  }
  std::vector<Shape> shapes;
  std::vector<Names> names;
  for (std::size_t k = 0; k < views_.size(); ++k) {
    shapes.push_back(views_[k].shape);
    names.emplace_back(program_.selectors[static_cast<std::size_t>(product.operands[k])].indexes);
  }
  Chain made = make_chain(names, shapes, result, result_shape);
  shapes.push_back(result_shape);
  return plans.emplace(key, Planned{std::move(shapes), std::move(made)}).first->second.chain;
}

void Arithmetic::run(const Chain& chain, double factor, double beta, double* result) {
  values_.clear();
  for (const View& view : views_) values_.push_back(dense(view));
  double* workspace =
      chain.workspace_elements > 0 ? blocks_.scratch(chain.workspace_elements) : nullptr;
  const std::span<double> room(workspace, static_cast<std::size_t>(chain.workspace_elements));
  for (std::size_t k = 0; k < chain.steps.size(); ++k) {
    const Chain::Step& step = chain.steps[k];
    const bool is_last = k + 1 == chain.steps.size();
    double* made = is_last ? result : blocks_.scratch(step.shape.element_count());
    tensor::run<double>(step.plan, is_last ? factor : 1.0, values_[step.left], values_[step.right],
                        is_last ? beta : 0.0, made, room);
    values_.push_back(made);
  }
  flops += chain.flops;
}

void Arithmetic::product(std::int32_t to, std::int32_t product, bool accumulates, double factor) {
  ++operations;
  const auto& operands = program_.products[static_cast<std::size_t>(product)];
  const Selector& target_selector = program_.selectors[static_cast<std::size_t>(to)];
  if (!read_operands(operands)) {
    if (!accumulates) fill(to, Mode::set, 0.0);
    return;
  }
  const bool may_alias = std::ranges::any_of(operands.operands, [&](std::int32_t operand) {
    return program_.selectors[static_cast<std::size_t>(operand)].array == target_selector.array;
  });
  const Names names(target_selector.indexes);
  if (!may_alias) {
    const View result = target(to, accumulates);
    const Chain& steps = chain(operands, names, result.shape);
    if (result.is_dense()) {
      run(steps, factor, accumulates ? 1.0 : 0.0, result.data);
    } else {
      double* made = blocks_.scratch(result.shape.element_count());
      run(steps, factor, 0.0, made);
      tensor::transform<double>(1.0, View::dense(made, result.shape), identity(result.shape),
                                accumulates ? 1.0 : 0.0, result);
    }
  } else {
    const Shape shape = blocks_.locate(target_selector).shape;
    double* made = blocks_.scratch(shape.element_count());
    run(chain(operands, names, shape), factor, 0.0, made);
    tensor::transform<double>(1.0, View::dense(made, shape), identity(shape),
                              accumulates ? 1.0 : 0.0, target(to, accumulates));
  }
  blocks_.release_scratch();
}

double Arithmetic::contract_all(std::int32_t product) {
  ++operations;
  const auto& operands = program_.products[static_cast<std::size_t>(product)];
  if (!read_operands(operands)) return 0.0;
  double result = 0;
  run(chain(operands, Names(), Shape()), 1.0, 0.0, &result);
  blocks_.release_scratch();
  return result;
}

}  // namespace blockyard::worker::detail
