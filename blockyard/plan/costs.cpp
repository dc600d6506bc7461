// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/costs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "blockyard/flow/chain.h"
#include "blockyard/qc/integral_cost.h"
#include "blockyard/tensor/contract_packing.h"

namespace blockyard::plan {

namespace {

constexpr double element_bytes = sizeof(double);

/// Source: finalizer of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash += value + 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31);
}

std::uint64_t mix(std::uint64_t hash, const tensor::Shape& shape) {
  for (const base::Extent extent : shape.extents())
    hash = mix(hash, static_cast<std::uint64_t>(extent));
  return hash;
}

double elements_of(const tensor::Shape& shape) {
  return static_cast<double>(shape.element_count());
}

enum class Known { integrals, fitting, one_electron, denominators, triples, eigenvectors };

struct Row {
  std::string_view name;
  Known what;
};

constexpr std::array rows = {Row{"compute_integral_batch", Known::integrals},
                             Row{"compute_integrals", Known::integrals},
                             Row{"fitting_integrals", Known::fitting},
                             Row{"triples_energy", Known::triples},
                             Row{"return_ovl", Known::one_electron},
                             Row{"return_h1", Known::one_electron},
                             Row{"energy_denominator_rhf", Known::denominators},
                             Row{"eigen_calc", Known::eigenvectors},
                             Row{"eigen_calc_sqr_inv", Known::eigenvectors}};

const Row* row_of(std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

Costs::Costs(const job::Job& job, const program::Program& program, const Machine& machine)
    : job_(job),
      program_(program),
      machine_(machine),
      rates_{machine.quartet_seconds, machine.primitive_seconds},
      products_(program.code.size()) {}

bool Costs::knows(std::string_view super_instruction) {
  return row_of(super_instruction) != nullptr;
}

const Cost& Costs::product(std::int32_t pc, std::int32_t to, std::int32_t product,
                           const tensor::Shape& result, std::span<const tensor::Shape> operands) {
  std::uint64_t key = mix(0, result);
  for (const tensor::Shape& shape : operands) key = mix(key, shape);
  auto& known = products_[static_cast<std::size_t>(pc)];
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, make_product(to, product, result, operands)).first->second;
}

Cost Costs::make_product(std::int32_t to, std::int32_t product, const tensor::Shape& result,
                         std::span<const tensor::Shape> operands) const {
  std::vector<tensor::Names> names;
  for (const std::int32_t operand : program_.products[static_cast<std::size_t>(product)].operands)
    names.emplace_back(program_.selectors[static_cast<std::size_t>(operand)].indexes);
  const tensor::Names result_names =
      to < 0 ? tensor::Names()
             : tensor::Names(program_.selectors[static_cast<std::size_t>(to)].indexes);
  const flow::Chain chain = flow::make_chain(names, operands, result_names, result);
  std::vector<double> elements;
  for (const tensor::Shape& shape : operands) elements.push_back(elements_of(shape));
  Cost cost{chain.flops, machine_.block_seconds, 0};
  double scratch = static_cast<double>(chain.workspace_elements);
  for (const flow::Chain::Step& step : chain.steps) {
    const double made = elements_of(step.shape);
    const tensor::ContractPlan& plan = step.plan;
    const double flops = 2.0 * static_cast<double>(plan.m()) * static_cast<double>(plan.n()) *
                         static_cast<double>(plan.k()) * static_cast<double>(plan.batch_count());
    const double moved =
        tensor::packed_elements(plan, elements[step.left], elements[step.right], made);
    const auto& steps = plan.steps();
    cost.seconds += flops / contraction_rate(machine_, static_cast<double>(steps.call_m),
                                             static_cast<double>(steps.call_n),
                                             static_cast<double>(steps.call_k)) +
                    2 * moved * element_bytes / machine_.permute_bytes;
    elements.push_back(made);
    if (&step != &chain.steps.back()) scratch += made;
  }
  cost.scratch_bytes = scratch * element_bytes;
  return cost;
}

Cost Costs::copy(double elements, bool is_permuted) const {
  const double rate = is_permuted ? machine_.permute_bytes : machine_.copy_bytes;
  return {0, machine_.block_seconds + 2 * elements * element_bytes / rate, 0};
}

Cost Costs::fill(double elements) const {
  return {0, machine_.block_seconds + elements * element_bytes / machine_.copy_bytes, 0};
}

std::optional<double> Costs::integral_seconds(const CostOperand& operand) {
  const qc::Integrals& integrals = job_.chemistry->system.integrals;
  const auto& shells = job_.chemistry->system.segments.shells;
  std::array<qc::ShellRange, 4> ranges;
  std::uint64_t key = 0;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    std::uint64_t segment = 0;  // the whole range
    ranges[k] = integrals.all_shells();
    if (operand.shape[k] != integrals.basis().function_count) {
      segment = static_cast<std::uint64_t>(operand.segments[k]);
      if (segment < 1 || segment > shells.size()) return std::nullopt;
      ranges[k] = shells[segment - 1];
    }
    key = key * (shells.size() + 1) + segment;
  }
  const auto [found, is_new] = integrals_.try_emplace(key);
  if (is_new)
    found->second =
        qc::repulsion_seconds(integrals, rates_, ranges[0], ranges[1], ranges[2], ranges[3]);
  return found->second;
}

Cost Costs::super(std::string_view name, std::span<const CostOperand> operands) {
  constexpr double element_of_attraction_seconds = 1e-6;
  constexpr double element_of_fitting_seconds = 5e-8;
  constexpr double element_of_triples_seconds = 3e-9;
  double elements = 0;
  for (const CostOperand& operand : operands) elements += elements_of(operand.shape);
  const Row* row = row_of(name);
  double seconds = machine_.block_seconds + 2 * elements * element_bytes / machine_.copy_bytes;
  if (row == nullptr || operands.empty()) return {0, seconds, 0};
  const tensor::Shape& first = operands.front().shape;
  switch (row->what) {
    case Known::integrals:
      if (job_.chemistry && first.order() == 4)
        seconds += integral_seconds(operands.front()).value_or(0);
      break;
    case Known::fitting:
      seconds += elements_of(first) * element_of_fitting_seconds;
      break;
    case Known::triples:  // the second operand is the first block of W
      if (operands.size() > 1)
        seconds += elements_of(operands[1].shape) * element_of_triples_seconds;
      break;
    case Known::one_electron:
      if (job_.chemistry)
        seconds += elements_of(first) * element_of_attraction_seconds *
                   static_cast<double>(job_.chemistry->system.molecule.atoms.size());
      break;
    case Known::denominators:
      seconds = machine_.block_seconds + elements_of(first) * machine_.denominator_seconds;
      break;
    case Known::eigenvectors:
      if (first.order() > 0)
        seconds += machine_.eigen_seconds * std::pow(static_cast<double>(first[0]), 3);
      break;
  }
  return {0, seconds, 0};
}

}  // namespace blockyard::plan
