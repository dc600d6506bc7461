// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/block/uninitialised.h"
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

template <class T>
std::span<T> values_of(const View& dense) {
  return {dense.as<T>(), static_cast<std::size_t>(dense.shape.element_count())};
}

tensor::Conjugate conjugate_of(program::Part part) {
  return part == program::Part::conjugate ? tensor::Conjugate::yes : tensor::Conjugate::no;
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
  return flops_ + (device_ == nullptr ? 0.0 : device_->flops());
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

Number Arithmetic::element(std::int32_t selector) {
  const View view = read(selector);
  if (view.data == nullptr) return 0.0;
  const Number value = element_of(view, 0);
  const program::Part part = program_.selectors[static_cast<std::size_t>(selector)].part;
  return part == program::Part::conjugate ? std::conj(value) : value;
}

void Arithmetic::fill(std::int32_t selector, Mode mode, Number value) {
  ++operations_;
  if (device_ && device_->fill(selector, mode, value)) return;
  const View to = target(selector, mode != Mode::set);
  array::with_type(to.type,
                   [&]<class T>() { fill_as<T>(to, mode, array::element_from<T>(value)); });
}

template <class T>
void Arithmetic::fill_as(const View& to, Mode mode, T value) {
  T one = 1;
  if (to.is_dense()) {
    switch (mode) {
      case Mode::set:
        tensor::fill<T>(values_of<T>(to), value);
        return;
      case Mode::add:
        tensor::add_scalar<T>(values_of<T>(to), value);
        return;
      case Mode::subtract:
        tensor::add_scalar<T>(values_of<T>(to), -value);
        return;
      case Mode::multiply:
        tensor::scale<T>(values_of<T>(to), value);
        return;
    }
  }
  // A slice: itself, or one element seen everywhere.
  if (mode == Mode::subtract) value = -value;
  const bool multiplies = mode == Mode::multiply;
  const auto from = multiplies ? tensor::View<const T>::dense(dense<T>(to), to.shape)
                               : tensor::View<const T>{&one, to.shape, {}};
  const T kept = multiplies || mode == Mode::set ? T(0) : T(1);
  tensor::transform<T>(value, from, identity(to.shape), kept, to.typed<T>());
  blocks_.release_scratch();
}

const Match& Arithmetic::match(const Selector& to, const Selector& from) {
  auto& kept = matches_[static_cast<std::size_t>(blocks_.pc())];
  if (!kept) kept = std::make_unique<Match>(flow::match_of(to, from));
  return *kept;
}

void Arithmetic::copy(std::int32_t to, std::int32_t from, bool accumulates, Number factor) {
  ++operations_;
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
    std::byte* copied = blocks_.scratch(source.bytes());
    copy_dense(source, copied);
    source = View::dense(copied, source.shape, source.type);
  }
  const View result = target(to, accumulates);
  const Match& matched = match(target_selector, source_selector);
  array::with_type(result.type, [&]<class T>() {
    copy_as<T>(result, source, matched, source_selector.part, accumulates,
               array::element_from<T>(factor));
  });
  blocks_.release_scratch();
}

template <class T>
void Arithmetic::copy_as(const View& to, View source, const Match& match, program::Part part,
                         bool accumulates, T factor) {
  if (source.type != to.type)
    source = View::dense(const_cast<T*>(dense<T>(source)), source.shape, to.type);
  const tensor::PermutePlan& plan = copies_.of(blocks_.pc(), match, to, source);
  tensor::run<T>(plan, factor, source.as<const T>(), accumulates ? T(1) : T(0), to.as<T>(),
                 conjugate_of(part));
}

template <class T>
const T* Arithmetic::dense(const View& view) {
  const bool is_of_type = view.type == array::element_type_of<T>;
  if (is_of_type && view.is_dense()) return view.as<const T>();
  T* copied = scratch<T>(view.shape.element_count());
  if (is_of_type)
    copy_dense(view, reinterpret_cast<std::byte*>(copied));
  else
    convert(view, View::dense(copied, view.shape, array::element_type_of<T>));
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
    type_ = array::wider(type_, views_.back().type);
  }
  return !is_zero;
}

template <class T>
void Arithmetic::run(const Chain& chain, T factor, T beta, T* result) {
  values_.clear();
  for (const View& view : views_) values_.push_back(dense<T>(view));
  T* workspace = chain.workspace_elements > 0 ? scratch<T>(chain.workspace_elements) : nullptr;
  const bool is_timed = device_ ? device_->is_learning() : awaits_device_;
  const double begin = is_timed ? base::now_seconds() : 0;
  const std::span<T> room(workspace, static_cast<std::size_t>(chain.workspace_elements));
  for (std::size_t k = 0; k < chain.steps.size(); ++k) {
    const Chain::Step& step = chain.steps[k];
    const bool is_last = k + 1 == chain.steps.size();
    T* made = is_last ? result : scratch<T>(step.shape.element_count());
    tensor::run<T>(step.plan, is_last ? factor : T(1), static_cast<const T*>(values_[step.left]),
                   static_cast<const T*>(values_[step.right]), is_last ? beta : T(0), made, room);
    values_.push_back(made);
  }
  flops_ += chain.flops;
  if (!is_timed) return;
  const double seconds = base::now_seconds() - begin;
  if (device_)
    device_->host_took(chain.flops, seconds);
  else
    host_seconds_ += seconds;
}

void Arithmetic::product(std::int32_t to, std::int32_t product, bool accumulates, Number factor) {
  ++operations_;
  const auto& operands = program_.products[static_cast<std::size_t>(product)];
  const Selector& target_selector = program_.selectors[static_cast<std::size_t>(to)];
  // BLAS and devices take a factor of 0 as leave not to look at the operands; here NaN and infinity
  // stay what they are.
  const bool is_scaled_after = factor == 0.0;
  if (device_ && !is_scaled_after && device_->product(to, product, accumulates, factor)) return;
  type_ = program_.arrays[static_cast<std::size_t>(target_selector.array)].type;
  if (!read_operands(operands)) {
    if (!accumulates) fill(to, Mode::set, 0.0);
    return;
  }
  array::with_type(type_, [&]<class T>() {
    product_as<T>(to, product, accumulates, array::element_from<T>(factor));
  });
  blocks_.release_scratch();
}

/// Uses scratch memory first where the result may also be an operand or is not a dense block of T.
template <class T>
void Arithmetic::product_as(std::int32_t to, std::int32_t product, bool accumulates, T factor) {
  const auto& operands = program_.products[static_cast<std::size_t>(product)];
  const Selector& target_selector = program_.selectors[static_cast<std::size_t>(to)];
  const bool may_alias = std::ranges::any_of(operands.operands, [&](std::int32_t operand) {
    return program_.selectors[static_cast<std::size_t>(operand)].array == target_selector.array;
  });
  const Names names(target_selector.indexes);
  const bool is_scaled_after = factor == T(0);
  const auto chain = [&](const Shape& shape) -> const Chain& {
    return chains_.of(blocks_.pc(), operands, shapes_, names, shape, type_);
  };
  if (may_alias || is_scaled_after) {
    const Shape shape = blocks_.locate(target_selector).shape;
    T* made = scratch<T>(shape.element_count());
    run<T>(chain(shape), is_scaled_after ? T(1) : factor, T(0), made);
    return store<T>(made, target(to, accumulates), accumulates, is_scaled_after);
  }
  const View result = target(to, accumulates);
  const Chain& steps = chain(result.shape);
  if (result.type == type_ && result.is_dense())
    return run<T>(steps, factor, accumulates ? T(1) : T(0), result.as<T>());
  T* made = scratch<T>(result.shape.element_count());
  run<T>(steps, factor, T(0), made);
  store<T>(made, result, accumulates);
}

template <class T>
void Arithmetic::store(const T* made, const View& result, bool accumulates, bool is_zeroed) {
  const View from = View::dense(const_cast<T*>(made), result.shape, array::element_type_of<T>);
  array::with_type(result.type, [&]<class To>() {
    tensor::transform<To>(is_zeroed ? To(0) : To(1),
                          tensor::View<const To>::dense(dense<To>(from), result.shape),
                          identity(result.shape), accumulates ? To(1) : To(0), result.typed<To>());
  });
}

Number Arithmetic::contract_all(std::int32_t product) {
  ++operations_;
  const auto& operands = program_.products[static_cast<std::size_t>(product)];
  if (device_)
    if (const auto result = device_->contract_all(product)) return *result;
  type_ = ElementType::f64;
  if (!read_operands(operands)) return 0.0;
  const auto contract = [&]<class T>() {
    T result = 0;
    run<T>(chains_.of(blocks_.pc(), operands, shapes_, Names(), Shape(), type_), T(1), T(0),
           &result);
    return Number(result);
  };
  const Number result = array::with_type(type_, contract);
  blocks_.release_scratch();
  return result;
}

}  // namespace blockyard::worker::detail
