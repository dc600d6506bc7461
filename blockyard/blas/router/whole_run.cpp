// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_run.h"

#include <algorithm>
#include <span>
#include <utility>

namespace blockyard::blas {

/// Also after a failure nothing still writes into what goes away here.
template <class T>
WholeRun<T>::~WholeRun() {
  bool works = true;
  try {
    stream_.synchronise();
  } catch (const std::exception&) {  // it touches nothing any more
    works = false;
  }
  if (kept_ == nullptr) return;
  kept_->let_go(used_, !has_arrived_);
  if (works) kept_->put_back(std::move(stream_));
}

/// Allocating is a round trip to a server: a small call would spend its time on them. What is kept
/// makes way for what does not fit.
template <class T>
device::Address WholeRun<T>::reserve(std::int64_t bytes) {
  if (!is_possible_) return 0;
  if (kept_ != nullptr && kept_->has_room(bytes)) {
    Kept::Operand*& made = used_.emplace_back(nullptr);
    made = kept_->make(bytes, {});
    if (made != nullptr) return made->memory.address();
  } else {
    auto made = kept_ != nullptr ? kept_->allocate(bytes) : device_.allocate(bytes);
    if (made) return memory_.emplace_back(std::move(*made)).address();
  }
  is_possible_ = false;
  if (lacked_room_ != nullptr) *lacked_room_ = true;
  return 0;
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::make(std::int64_t elements) {
  const device::Address address = reserve(elements * static_cast<std::int64_t>(sizeof(T)));
  return is_possible_ ? Block{address, elements} : Block{};
}

/// The elements as they lie, or packed.
template <class T>
std::span<const T> WholeRun<T>::dense(const View<T>& view) {
  const auto elements = static_cast<std::size_t>(view.rows * view.columns);
  if (view.is_plain() && view.leading == view.rows) return {view.at, elements};
  auto& packed = host_.emplace_back(elements);
  pack(view, packed.data());
  return packed;
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::send(const View<T>& view) {
  const Block block = make(view.rows * view.columns);
  if (is_possible_) send(block, dense(view));
  return block;
}

template <class T>
Kept::Operand* WholeRun<T>::kept(std::span<const T> elements) {
  if (kept_ == nullptr) return nullptr;
  const auto bytes = std::as_bytes(elements);
  const auto content = kept_->content_of(bytes);
  if (!content) return nullptr;
  Kept::Operand*& there = used_.emplace_back(nullptr);
  there = kept_->find(*content);
  if (there != nullptr) return there;
  there = kept_->make(static_cast<std::int64_t>(bytes.size()), content);
  if (there != nullptr)
    send({there->memory.address(), static_cast<std::int64_t>(elements.size())}, elements);
  return there;
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::send_operand(const View<T>& view) {
  if (!is_possible_) return {};
  const std::span<const T> elements = dense(view);
  const std::int64_t count = view.rows * view.columns;
  if (const Kept::Operand* const there = kept(elements)) return {there->memory.address(), count};
  const Block block = make(count);
  send(block, elements);
  return block;
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::send_copy(const View<T>& view) {
  const Block block = make(view.rows * view.columns);
  if (!is_possible_) return block;
  const std::span<const T> elements = dense(view);
  const bool may_keep = kept_ != nullptr && kept_->has_room(view.bytes());
  const Kept::Operand* const there = may_keep ? kept(elements) : nullptr;
  if (there != nullptr)
    stream_.copy_within(block.address, there->memory.address(), view.bytes());
  else
    send(block, elements);
  return block;
}

template <class T>
void WholeRun<T>::keep(const Block& block, std::span<const T> fetched) {
  const auto found = std::ranges::find_if(used_, [&](const Kept::Operand* operand) {
    return operand != nullptr && operand->memory.address() == block.address;
  });
  if (found != used_.end() && kept_->wants_result((*found)->memory.bytes()))
    kept_->keep_result(**found, base::fingerprint(std::as_bytes(fetched), kept_->seed()));
}

template <class T>
typename WholeRun<T>::Block WholeRun<T>::send(std::vector<T> elements) {
  const Block block = make(static_cast<std::int64_t>(elements.size()));
  send(block, std::move(elements));
  return block;
}

template <class T>
void WholeRun<T>::send(const Block& to, std::span<const T> elements) {
  if (!is_possible_) return;
  has_arrived_ = false;
  stream_.copy_in(to.address, std::as_bytes(elements));
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
  is_possible_ = plan.has_value();
  if (!is_possible_) return;
  // Memory is a round trip to a server, which costs a small call more than its work.
  const bool needs_workspace = plan->workspace_bytes() > 0;
  const device::Address workspace = needs_workspace ? reserve(plan->workspace_bytes()) : 0;
  if (!is_possible_) return;
  stream_.run(*plan, {.alpha = std::complex<double>(alpha),
                      .result = result.address,
                      .left = left.address,
                      .right = right.address,
                      .workspace = workspace});
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
  has_arrived_ = true;
  return is_possible_;
}

template class WholeRun<float>;
template class WholeRun<double>;
template class WholeRun<c64>;
template class WholeRun<c128>;

}  // namespace blockyard::blas
