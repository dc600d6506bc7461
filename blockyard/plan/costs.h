// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "blockyard/job/job.h"
#include "blockyard/plan/machine.h"
#include "blockyard/program/program.h"
#include "blockyard/qc/integral_cost.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::plan {

/// The cost of one statement on blocks.
struct Cost {
  double flops = 0;    ///< of contractions, as a run counts them
  double seconds = 0;  ///< of one core
  double scratch_bytes = 0;
};

/// An operand of a statement: its extents and, for super instructions, its segments.
struct CostOperand {
  tensor::Shape shape;
  std::array<std::int64_t, array::max_order> segments{};
};

/// Costs of statements by their extents, each made once. One thread.
class Costs {
 public:
  Costs(const job::Job& job, const program::Program& program, const Machine& machine);

  /// result = the product of the blocks of `product` (result of selector `to`, -1: a number).
  [[nodiscard]] const Cost& product(std::int32_t pc, std::int32_t to, std::int32_t product,
                                    const tensor::Shape& result,
                                    std::span<const tensor::Shape> operands);
  [[nodiscard]] Cost copy(double elements, bool is_permuted) const;
  [[nodiscard]] Cost fill(double elements) const;
  /// Unknown super instructions cost as much as reading and writing their operands.
  [[nodiscard]] Cost super(std::string_view name, std::span<const CostOperand> operands);
  [[nodiscard]] static bool knows(std::string_view super_instruction);

 private:
  [[nodiscard]] Cost make_product(std::int32_t to, std::int32_t product,
                                  const tensor::Shape& result,
                                  std::span<const tensor::Shape> operands) const;
  /// Nothing if an index of the operand is neither a segment of the AO range nor all of it.
  [[nodiscard]] std::optional<double> integral_seconds(const CostOperand& operand);

  const job::Job& job_;
  const program::Program& program_;
  const Machine& machine_;
  qc::RepulsionRates rates_;
  std::unordered_map<std::uint64_t, double> integrals_;            ///< seconds, by segments
  std::vector<std::unordered_map<std::uint64_t, Cost>> products_;  ///< by pc, then by extents
};

}  // namespace blockyard::plan
