// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "blockyard/tensor/detail/contract_steps.h"
#include "blockyard/tensor/element.h"
#include "blockyard/tensor/permute.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor {

/// Names of the indexes of one operand, in its order. A name is any int: only equality counts.
class Names {
 public:
  Names() = default;
  /// Throws Error{bad_input} if there are more than Shape::max_order names.
  explicit Names(std::span<const int> names);
  Names(std::initializer_list<int> names) : Names(std::span(names.begin(), names.size())) {}
  [[nodiscard]] std::size_t order() const noexcept { return order_; }
  [[nodiscard]] int operator[](std::size_t k) const noexcept { return names_[k]; }
  [[nodiscard]] std::span<const int> all() const noexcept { return {names_.data(), order_}; }
  friend bool operator==(const Names&, const Names&) = default;

 private:
  std::array<int, Shape::max_order> names_{};
  std::size_t order_ = 0;
};

/// A contraction computes:
///   result(..) = alpha * sum over the summed indexes of left(..) * right(..) + beta * result(..)
/// A name in left and right only is summed; in one of them and result it is free; in all three it
/// is batched (elementwise). A name that stands in one place only is an error.
struct ContractSpec {
  Names result;
  Names left;
  Names right;
  Conjugate conjugate_left = Conjugate::no;
  Conjugate conjugate_right = Conjugate::no;
  friend bool operator==(const ContractSpec&, const ContractSpec&) = default;
};

enum class ElementKind { real, complex };

/// Real elements have a faster plan than complex ones. Threads share a contraction by making one
/// plan each, part 0 .. parts - 1: they write different elements of the result, together all.
/// A plan for f64 runs on f32 too, but the length of its blocks is not the best then.
struct ContractOptions {
  ElementKind elements = ElementKind::real;
  int part = 0;
  int parts = 1;
  int element_bytes = 8;
};

/// The options for elements of type T.
template <Element T>
inline constexpr ContractOptions options_for = {
    std::same_as<T, Real<T>> ? ElementKind::real : ElementKind::complex, 0, 1, sizeof(T)};

/// A contraction of dense blocks with all decisions made: which operands are permuted (as few as
/// possible, often none), how the indexes map to calls of the BLAS. A value; making one costs
/// some microseconds, so keep it for blocks of the same shapes. Any thread may run it.
class ContractPlan {
 public:
  /// Throws Error{bad_input} with the fault of the names or extents.
  ContractPlan(const ContractSpec& spec, const Shape& result, const Shape& left, const Shape& right,
               const ContractOptions& options = {});

  /// Elements of scratch memory that `run` needs; often 0.
  [[nodiscard]] Extent workspace_elements() const noexcept { return steps_.workspace_elements; }
  /// How many of the three operands are permuted.
  [[nodiscard]] int permutation_count() const noexcept { return steps_.permutation_count(); }
  /// The underlying matrix product: m x k times k x n, batch_count() times.
  [[nodiscard]] Extent m() const noexcept { return steps_.m; }
  [[nodiscard]] Extent n() const noexcept { return steps_.n; }
  [[nodiscard]] Extent k() const noexcept { return steps_.k; }
  [[nodiscard]] Extent batch_count() const noexcept { return steps_.batch; }
  /// True of a part without work.
  [[nodiscard]] bool is_empty() const noexcept { return is_empty_; }
  /// For `run` only.
  [[nodiscard]] const detail::ContractSteps& steps() const noexcept { return steps_; }
  [[nodiscard]] Extent offset(detail::Side side) const noexcept { return offset_[side]; }

 private:
  detail::ContractSteps steps_;
  std::array<Extent, 3> offset_{};  // of this part, by Side
  bool is_empty_ = false;
};

/// Runs a plan on dense blocks of the plan's shapes, first index fastest. beta == 0 overwrites:
/// `result` is then not read. `result` must not overlap left, right or the workspace; left and
/// right may be the same block.
/// workspace  at least plan.workspace_elements() values, else Error{bad_input}
/// Hot path: no allocation, lock or string. Uses one thread if limit_blas_threads(1) was called.
/// Cost: 2 m n k operations per batch (8 for complex), plus the plan's permutations.
template <Element T>
void run(const ContractPlan& plan, std::type_identity_t<T> alpha, const T* left, const T* right,
         std::type_identity_t<T> beta, T* result, std::type_identity_t<std::span<T>> workspace);

}  // namespace blockyard::tensor
