// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_run.h"

#include <algorithm>
#include <span>
#include <utility>

namespace blockyard::blas {

/// Also after a failure nothing still writes into what goes away here.
template <class T>
WholeRun<T>::~WholeRun() {
  try {
    stream_.synchronise();
  } catch (const std::exception&) {  // it has failed, and touches nothing
  }
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::make(std::int64_t elements) {
  if (!is_possible_) return {};
  auto made = device_.allocate(elements * static_cast<std::int64_t>(sizeof(T)));
  is_possible_ = made.has_value();
  if (!is_possible_) return {};
  return {memory_.emplace_back(std::move(*made)).address(), elements};
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::send(const View<T>& view) {
  const Block block = make(view.rows * view.columns);
  if (!is_possible_) return block;
  std::span<const T> elements(view.at, static_cast<std::size_t>(block.elements));
  if (!view.is_plain() || view.leading != view.rows) {
    auto& packed = host_.emplace_back(static_cast<std::size_t>(block.elements));
    pack(view, packed.data());
    elements = packed;
  }
  stream_.copy_in(block.address, std::as_bytes(elements));
  return block;
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::send(std::vector<T> elements) {
  const Block block = make(static_cast<std::int64_t>(elements.size()));
  send(block, std::move(elements));
  return block;
}

template <class T>
void WholeRun<T>::send(const Block& to, std::span<const T> elements) {
  if (is_possible_) stream_.copy_in(to.address, std::as_bytes(elements));
}

template <class T>
void WholeRun<T>::run(std::uint32_t kind, std::uint32_t flags, const Operand& result,
                      const Operand& left, const Operand& right, T alpha) {
  if (!is_possible_) return;
  const auto operand = [](const Operand& one) {
    blockyard_operand made{};
    made.order = one.columns > 0 ? 2 : 1;
    made.name[1] = 1;
    made.extent[0] = one.columns > 0 ? one.rows : one.block.elements;
    made.extent[1] = one.columns;
    return made;
  };
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = kind;
  operation.element = element<T>;
  operation.flags = flags;
  operation.result = operand(result);
  operation.left = operand(left);
  if (right.block.address != 0) operation.right = operand(right);
  run(operation, result.block, left.block, right.block, alpha);
}

template <class T>
void WholeRun<T>::run(const blockyard_operation& operation, const Block& result, const Block& left,
                      const Block& right, T alpha) {
  if (!is_possible_) return;
  const auto plan = device_.open_plan(operation);
  const device::Extent needed = plan ? plan->workspace_bytes() : 0;
  auto workspace = device_.allocate(std::max<device::Extent>(needed, 1));
  is_possible_ = plan && workspace;
  if (!is_possible_) return;
  stream_.run(*plan, {.alpha = std::complex<double>(alpha),
                      .result = result.address,
                      .left = left.address,
                      .right = right.address,
                      .workspace = needed > 0 ? workspace->address() : 0});
  memory_.push_back(std::move(*workspace));
}

template <class T>
const std::vector<T>& WholeRun<T>::fetch(const Block& block) {
  auto& into = host_.emplace_back(static_cast<std::size_t>(block.elements));
  if (is_possible_) stream_.copy_out(std::as_writable_bytes(std::span(into)), block.address);
  return into;
}

template <class T>
bool WholeRun<T>::synchronise() {
  stream_.synchronise();
  return is_possible_;
}

template class WholeRun<float>;
template class WholeRun<double>;
template class WholeRun<c64>;
template class WholeRun<c128>;

}  // namespace blockyard::blas
