// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/program/repeated_names.h"
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

}  // namespace

Arithmetic::Arithmetic(const program::Program& program, Blocks& blocks, const Options& options)
    : program_(program),
      blocks_(blocks),
      options_(options),
      matches_(program.code.size()),
      copies_(program.code.size()),
      chains_(program) {}

double Arithmetic::flops() const noexcept {
  return flops_ + (device_ == nullptr ? 0.0 : device_->flops);
}

View Arithmetic::read(std::int32_t selector) {
  const View view = blocks_.read(selector);
  if (options_.check && view.data != nullptr && is_uninitialised(view)) {
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
  if (device_ && device_->fill(selector, mode, value)) return;
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
  // A slice: itself, or one element seen everywhere.
  if (mode == Mode::subtract) value = -value;
  const bool multiplies = mode == Mode::multiply;
  const View from = multiplies ? View::dense(const_cast<double*>(dense(to)), to.shape)
                               : View{const_cast<double*>(&one), to.shape, {}};
  const double kept = multiplies || mode == Mode::set ? 0.0 : 1.0;
  tensor::transform<double>(value, from, identity(to.shape), kept, to);
  blocks_.release_scratch();
}

const Match& Arithmetic::match(const Selector& to, const Selector& from) {
  auto& kept = matches_[static_cast<std::size_t>(blocks_.pc)];
  if (kept) return *kept;
  auto made = std::make_unique<Match>();
  if (const auto places = program::targets_of_repeated(to.indexes, from.indexes)) {
    for (std::size_t k = 0; k < places->size(); ++k) {
      made->to_positions.push_back(k);
      made->from_positions.push_back(k);
      made->permutation.push_back(
          static_cast<int>(std::ranges::find(*places, k) - places->begin()));
    }
    kept = std::move(made);
    return *kept;
  }
  std::vector<std::size_t> free_to;
  std::vector<bool> is_used(from.indexes.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t k = 0; k < to.indexes.size(); ++k) {
    std::size_t position = 0;  // a name that stands twice takes its places in order
    while (position < is_used.size() &&
           (to.indexes[k] < 0 || is_used[position] || from.indexes[position] != to.indexes[k]))
      ++position;
    if (position == is_used.size()) {
      free_to.push_back(k);
      continue;
    }
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
  if (device_ &&
      device_->copy(to, from, accumulates, factor, match(target_selector, source_selector)))
    return;
  View source = read(from);
  if (source.data == nullptr) {  // a sparse block never written: zero
    if (!accumulates) fill(to, Mode::set, 0.0);
    return;
  }
  // a -= a is a difference, not a product: it gives no negative zeros.
  const bool is_difference = accumulates && factor == -1.0;
  if (target_selector == source_selector && !is_difference &&
      target_selector.form == program::SelectorForm::block) {
    fill(to, Mode::multiply, accumulates ? 1.0 + factor : factor);
    return;
  }
  if (target_selector.array == source_selector.array) {  // the two may overlap
    double* copied = blocks_.scratch(source.shape.element_count());
    const View apart = View::dense(copied, source.shape);
    tensor::transform<double>(1.0, source, identity(source.shape), 0.0, apart);
    source = apart;
  }
  const View result = target(to, accumulates);
  const tensor::PermutePlan& plan =
      copies_.of(blocks_.pc, match(target_selector, source_selector), result, source);
  tensor::run<double>(plan, factor, source.data, accumulates ? 1.0 : 0.0, result.data);
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
  shapes_.clear();
  bool is_zero = false;
  for (const std::int32_t operand : product.operands) {
    views_.push_back(read(operand));
    shapes_.push_back(views_.back().shape);
    is_zero = is_zero || views_.back().data == nullptr;
  }
  return !is_zero;
}

void Arithmetic::run(const Chain& chain, double factor, double beta, double* result) {
  values_.clear();
  for (const View& view : views_) values_.push_back(dense(view));
  double* workspace =
      chain.workspace_elements > 0 ? blocks_.scratch(chain.workspace_elements) : nullptr;
  const bool is_timed = device_ ? device_->is_learning() : awaits_device;
  const double begin = is_timed ? base::now_seconds() : 0;
  const std::span<double> room(workspace, static_cast<std::size_t>(chain.workspace_elements));
  for (std::size_t k = 0; k < chain.steps.size(); ++k) {
    const Chain::Step& step = chain.steps[k];
    const bool is_last = k + 1 == chain.steps.size();
    double* made = is_last ? result : blocks_.scratch(step.shape.element_count());
    tensor::run<double>(step.plan, is_last ? factor : 1.0, values_[step.left], values_[step.right],
                        is_last ? beta : 0.0, made, room);
    values_.push_back(made);
  }
  flops_ += chain.flops;
  if (!is_timed) return;
  const double seconds = base::now_seconds() - begin;
  if (device_)
    device_->host_took(chain.flops, seconds);
  else
    host_seconds += seconds;
}

void Arithmetic::product(std::int32_t to, std::int32_t product, bool accumulates, double factor) {
  ++operations;
  const auto& operands = program_.products[static_cast<std::size_t>(product)];
  const Selector& target_selector = program_.selectors[static_cast<std::size_t>(to)];
  // BLAS and devices take a factor of 0 as leave not to look at the operands; here NaN and infinity
  // stay what they are.
  const bool is_scaled_after = factor == 0.0;
  if (device_ && !is_scaled_after && device_->product(to, product, accumulates, factor)) return;
  if (!read_operands(operands)) {
    if (!accumulates) fill(to, Mode::set, 0.0);
    return;
  }
  const bool may_alias = std::ranges::any_of(operands.operands, [&](std::int32_t operand) {
    return program_.selectors[static_cast<std::size_t>(operand)].array == target_selector.array;
  });
  const Names names(target_selector.indexes);
  if (!may_alias && !is_scaled_after) {
    const View result = target(to, accumulates);
    const Chain& steps = chains_.of(blocks_.pc, operands, shapes_, names, result.shape);
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
    run(chains_.of(blocks_.pc, operands, shapes_, names, shape), is_scaled_after ? 1.0 : factor,
        0.0, made);
    tensor::transform<double>(is_scaled_after ? factor : 1.0, View::dense(made, shape),
                              identity(shape), accumulates ? 1.0 : 0.0, target(to, accumulates));
  }
  blocks_.release_scratch();
}

double Arithmetic::contract_all(std::int32_t product) {
  ++operations;
  const auto& operands = program_.products[static_cast<std::size_t>(product)];
  if (device_)
    if (const auto result = device_->contract_all(product)) return *result;
  if (!read_operands(operands)) return 0.0;
  double result = 0;
  run(chains_.of(blocks_.pc, operands, shapes_, Names(), Shape()), 1.0, 0.0, &result);
  blocks_.release_scratch();
  return result;
}

}  // namespace blockyard::worker::detail
