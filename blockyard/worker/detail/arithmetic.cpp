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

View Arithmetic::read(const Located& from) {
  const View view = blocks_.read(from);
  if (options_.check && view.data != nullptr && is_uninitialised(view)) {
    const auto array = static_cast<std::size_t>(from.selector->array);
    throw Error(Errc::bad_input,
                fmt::format("a block of array '{}' is read that has elements never assigned",
                            program_.arrays[array].name));
  }
  return view;
}

Number Arithmetic::element(std::int32_t selector) {
  const Located from = blocks_.locate(selector);
  const View view = read(from);
  if (view.data == nullptr) return 0.0;
  const Number value = element_of(view, 0);
  return from.selector->part == program::Part::conjugate ? std::conj(value) : value;
}

void Arithmetic::fill(std::int32_t selector, Mode mode, Number value) {
  ++operations_;
  fill(blocks_.locate(selector), mode, value);
}

void Arithmetic::fill(const Located& at, Mode mode, Number value) {
  if (device_ && device_->fill(at, mode, value)) return;
  const View to = target(at, mode != Mode::set);
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
  if (!kept) kept = std::make_unique<Match>(flow::match_of(program_, to, from));
  return *kept;
}

void Arithmetic::copy(std::int32_t to, std::int32_t from, bool accumulates, Number factor) {
  ++operations_;
  const Located target_at = blocks_.locate(to);
  const Located source_at = blocks_.locate(from);
  const Match& matched = match(*target_at.selector, *source_at.selector);
  if (device_ && device_->copy(target_at, source_at, accumulates, factor, matched)) return;
  View source = read(source_at);
  if (source.data == nullptr) {  // a sparse block never written: zero
    if (!accumulates) fill(target_at, Mode::set, 0.0);
    return;
  }
  // a -= a is a difference, not a product: it gives no negative zeros.
  const bool is_difference = accumulates && factor == -1.0;
  if (*target_at.selector == *source_at.selector && !is_difference && target_at.is_block()) {
    fill(target_at, Mode::multiply, accumulates ? 1.0 + factor : factor);
    return;
  }
  if (target_at.selector->array == source_at.selector->array) {  // the two may overlap
    std::byte* copied = blocks_.scratch(source.bytes());
    copy_dense(source, copied);
    source = View::dense(copied, source.shape, source.type);
  }
  const View result = target(target_at, accumulates);
  array::with_type(result.type, [&]<class T>() {
    copy_as<T>(result, source, matched, source_at.selector->part, accumulates,
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

void Arithmetic::decide(std::int32_t product, const Located* to, ElementType type) {
  Contraction& all = contraction_;
  all.product = &program_.products[static_cast<std::size_t>(product)];
  all.to = to;
  const std::vector<std::int32_t>& operands = all.product->operands;
  all.operands.resize(operands.size());
  all.shapes.clear();
  all.type = type;
  all.is_mixed = false;
  all.accumulates = false;
  all.factor = 1.0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Located& at = all.operands[k];
    blocks_.locate(operands[k], at);
    all.shapes.push_back(at.shape());
    all.type = array::wider(all.type, program::type_of(program_, *at.selector));
  }
  const auto is_of_type = [&](const Located& at) {
    return program::type_of(program_, *at.selector) == all.type;
  };
  all.is_mixed =
      (to != nullptr && type != all.type) || !std::ranges::all_of(all.operands, is_of_type);
  all.chain = to == nullptr
                  ? &chains_.of(blocks_.pc(), *all.product, all.shapes, Names(), Shape(), all.type)
                  : &chains_.of(blocks_.pc(), *all.product, all.shapes,
                                Names(to->selector->indexes), to->shape(), all.type);
}

bool Arithmetic::read_operands() {
  views_.clear();
  bool is_zero = false;
  for (const Located& operand : contraction_.operands) {
    views_.push_back(read(operand));
    is_zero = is_zero || views_.back().data == nullptr;
  }
  return !is_zero;
}

template <class T>
void Arithmetic::run(T factor, T beta, T* result) {
  const Chain& chain = *contraction_.chain;
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
  const Located result = blocks_.locate(to);
  decide(product, &result, program::type_of(program_, *result.selector));
  contraction_.accumulates = accumulates;
  contraction_.factor = factor;
  // BLAS and devices take a factor of 0 as leave not to look at the operands; here NaN and infinity
  // stay what they are.
  if (device_ && factor != 0.0 && device_->product(contraction_)) return;
  if (!read_operands()) {
    if (!accumulates) fill(result, Mode::set, 0.0);
    return;
  }
  array::with_type(contraction_.type, [&]<class T>() { product_as<T>(); });
  blocks_.release_scratch();
}

/// Uses scratch memory first where the result may also be an operand or is not a dense block of T.
template <class T>
void Arithmetic::product_as() {
  const Located& to = *contraction_.to;
  const T factor = array::element_from<T>(contraction_.factor);
  const bool accumulates = contraction_.accumulates;
  const bool is_scaled_after = factor == T(0);
  const bool may_alias = std::ranges::any_of(contraction_.operands, [&](const Located& operand) {
    return operand.selector->array == to.selector->array;
  });
  if (may_alias || is_scaled_after) {
    T* made = scratch<T>(to.shape().element_count());
    run<T>(is_scaled_after ? T(1) : factor, T(0), made);
    return store<T>(made, target(to, accumulates), accumulates, is_scaled_after);
  }
  const View result = target(to, accumulates);
  if (result.type == contraction_.type && result.is_dense())
    return run<T>(factor, accumulates ? T(1) : T(0), result.as<T>());
  T* made = scratch<T>(result.shape.element_count());
  run<T>(factor, T(0), made);
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
  decide(product, nullptr, ElementType::f64);
  if (device_)
    if (const auto result = device_->contract_all(contraction_)) return *result;
  if (!read_operands()) return 0.0;
  const Number result = array::with_type(contraction_.type, [&]<class T>() {
    T made = 0;
    run<T>(T(1), T(0), &made);
    return Number(made);
  });
  blocks_.release_scratch();
  return result;
}

}  // namespace blockyard::worker::detail
