// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "blockyard/flow/chain.h"
#include "blockyard/program/program.h"

namespace blockyard::flow {

/// How the products of a program are computed: made once per instruction and set of shapes. What
/// it gives stays where it is. One thread.
class Chains {
 public:
  explicit Chains(const program::Program& program)
      : program_(program), plans_(program.code.size()) {}

  /// For the instruction at `pc`; `shapes` are those of the operands, `type` is the one that it is
  /// computed in, always the same.
  [[nodiscard]] const Chain& of(std::int32_t pc, const program::Product& product,
                                std::span<const tensor::Shape> shapes, const tensor::Names& result,
                                const tensor::Shape& result_shape, array::ElementType type);

 private:
  struct Planned {
    std::vector<tensor::Shape> shapes;  ///< of the operands and of the result
    Chain chain;
  };
  using Plans = std::unordered_map<std::uint64_t, Planned>;

  const program::Program& program_;
  std::vector<Plans> plans_;  ///< by pc
};

}  // namespace blockyard::flow
