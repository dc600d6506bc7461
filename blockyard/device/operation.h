// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "blockyard/device/abi.h"
#include "blockyard/tensor/contract.h"
#include "blockyard/tensor/element.h"

/// Descriptors of operations for Device::open_plan, from the types of the tensor room.
namespace blockyard::device {

/// The ABI's value for T.
template <tensor::Element T>
inline constexpr blockyard_element element_of = BLOCKYARD_F64;
template <>
inline constexpr blockyard_element element_of<float> = BLOCKYARD_F32;
template <>
inline constexpr blockyard_element element_of<tensor::c64> = BLOCKYARD_C64;
template <>
inline constexpr blockyard_element element_of<tensor::c128> = BLOCKYARD_C128;

/// As tensor::transform: index k of the result is index to[k] of the operand.
/// Throws Error{bad_input} if `to` has another length or leaves the block.
[[nodiscard]] blockyard_operation permute_operation(blockyard_element element,
                                                    const tensor::Shape& in,
                                                    std::span<const int> to);

/// As tensor::ContractPlan.
[[nodiscard]] blockyard_operation contract_operation(blockyard_element element,
                                                     const tensor::ContractSpec& spec,
                                                     const tensor::Shape& result,
                                                     const tensor::Shape& left,
                                                     const tensor::Shape& right);

/// result = alpha * left + beta * result.
[[nodiscard]] blockyard_operation axpby_operation(blockyard_element element,
                                                  const tensor::Shape& shape);

/// result = alpha * sum of left * right + beta * result, one element.
[[nodiscard]] blockyard_operation dot_operation(blockyard_element element,
                                                const tensor::Shape& shape);

}  // namespace blockyard::device
