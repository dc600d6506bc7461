// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/plan.h"

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/abi_kernel_check.h"
#include "blockyard/tensor/permute.h"

namespace blockyard::device::host {
namespace {

using base::Errc;
using base::Error;
using tensor::Conjugate;
using tensor::Names;
using tensor::Shape;

/// Throws before anything is read past the arrays of the operand.
std::size_t order_of(const blockyard_operand& operand) {
  if (operand.order > blockyard_max_order)
    throw Error(Errc::bad_input, "an operand has too many indexes");
  return operand.order;
}

Shape shape_of(const blockyard_operand& operand) {
  return Shape(std::span<const base::Extent>(operand.extent, order_of(operand)));
}

Names names_of(const blockyard_operand& operand) {
  return Names(std::span<const int>(operand.name, order_of(operand)));
}

template <class T>
T* pointer(blockyard_address address) noexcept {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

Conjugate conjugation(std::uint32_t flags, std::uint32_t flag) noexcept {
  return (flags & flag) != 0 ? Conjugate::yes : Conjugate::no;
}

}  // namespace

bool is_supported(const blockyard_operation& operation) noexcept {
  constexpr std::uint32_t known_flags = blockyard_conjugate_left | blockyard_conjugate_right;
  if (operation.size < sizeof operation) return false;
  if (operation.kind == BLOCKYARD_KERNEL) return blockyard_is_kernel(&operation) != 0;
  if (operation.kind > BLOCKYARD_DOT) return Whole::is_known(operation);
  return operation.element <= BLOCKYARD_C128 && operation.flags <= known_flags;
}

Plan::Plan(const blockyard_operation& operation)
    : kind_(operation.kind),
      element_(operation.element),
      conjugate_left_(conjugation(operation.flags, blockyard_conjugate_left)),
      conjugate_right_(conjugation(operation.flags, blockyard_conjugate_right)),
      result_(kind_ == BLOCKYARD_KERNEL ? Shape() : shape_of(operation.result)),
      left_(kind_ == BLOCKYARD_KERNEL ? Shape() : shape_of(operation.left)) {
  if (kind_ == BLOCKYARD_KERNEL)
    kernel_.emplace(reinterpret_cast<const blockyard_kernel&>(operation));
  else if (kind_ > BLOCKYARD_DOT)
    whole_.emplace(operation);
  else if (kind_ == BLOCKYARD_PERMUTE || kind_ == BLOCKYARD_AXPBY)
    prepare_permutation(operation);
  else
    prepare_contraction(operation);
}

void Plan::prepare_contraction(const blockyard_operation& operation) {
  if (kind_ == BLOCKYARD_DOT &&
      (result_.order() != 0 || names_of(operation.left) != names_of(operation.right)))
    throw Error(Errc::bad_input, "the operands do not fit a dot product");
  const tensor::ContractSpec spec = {names_of(operation.result), names_of(operation.left),
                                     names_of(operation.right), conjugate_left_, conjugate_right_};
  const bool is_real = element_ == BLOCKYARD_F32 || element_ == BLOCKYARD_F64;
  const tensor::ContractOptions options = {is_real ? tensor::ElementKind::real
                                                   : tensor::ElementKind::complex};
  contraction_.emplace(spec, result_, left_, shape_of(operation.right), options);
}

void Plan::prepare_permutation(const blockyard_operation& operation) {
  const Names result = names_of(operation.result);
  const Names left = names_of(operation.left);
  if (result.order() != left.order())
    throw Error(Errc::bad_input, "a block is permuted into one of another order");
  std::array<bool, blockyard_max_order> used{};
  for (std::size_t k = 0; k < result.order(); ++k) {
    const auto from =
        static_cast<std::size_t>(std::ranges::find(left.all(), result[k]) - left.all().begin());
    if (from == left.order() || used[from] || left_[from] != result_[k] ||
        (kind_ == BLOCKYARD_AXPBY && from != k))
      throw Error(Errc::bad_input, "the indexes of result and operand do not agree");
    used[from] = true;
    to_[k] = static_cast<int>(from);
  }
}

std::uint64_t Plan::workspace_bytes() const {
  constexpr std::array<std::uint64_t, 4> element_bytes = {4, 8, 8, 16};
  if (!contraction_) return 0;
  return static_cast<std::uint64_t>(contraction_->workspace_elements()) * element_bytes[element_];
}

template <tensor::Element T>
void Plan::run_as(const blockyard_run& run) const {
  const T alpha = number<T>(run.alpha), beta = number<T>(run.beta);
  if (contraction_) {
    const auto elements = static_cast<std::size_t>(contraction_->workspace_elements());
    if (elements > 0 && run.workspace == 0)
      throw Error(Errc::bad_input, "a plan that needs a workspace runs without one");
    tensor::run<T>(*contraction_, alpha, pointer<const T>(run.left), pointer<const T>(run.right),
                   beta, pointer<T>(run.result), std::span<T>(pointer<T>(run.workspace), elements));
    return;
  }
  tensor::transform<T>(alpha, tensor::View<const T>::dense(pointer<const T>(run.left), left_),
                       std::span<const int>(to_).first(left_.order()), beta,
                       tensor::View<T>::dense(pointer<T>(run.result), result_), conjugate_left_);
}

void Plan::run(const blockyard_run& run, Pool& pool) const {
  // The struct of a kernel's run begins with that of any run; its size says that it is one.
  if (kernel_) return kernel_->run(reinterpret_cast<const blockyard_kernel_run&>(run), pool);
  if (whole_) return whole_->run(run);
  switch (element_) {
    case BLOCKYARD_F32:
      return run_as<float>(run);
    case BLOCKYARD_F64:
      return run_as<double>(run);
    case BLOCKYARD_C64:
      return run_as<tensor::c64>(run);
    default:
      return run_as<tensor::c128>(run);
  }
}

}  // namespace blockyard::device::host
