// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "blockyard/worker/chain.h"
#include "blockyard/worker/detail/blocks.h"

namespace blockyard::worker::detail {

/// Block statements: fills, copies, products. Chooses how once per instruction and set of shapes;
/// after that a statement allocates nothing. One thread.
class Arithmetic {
 public:
  Arithmetic(const program::Program& program, Blocks& blocks, bool check)
      : program_(program),
        blocks_(blocks),
        check_(check),
        matches_(program.code.size()),
        chains_(program.code.size()) {}

  /// Every element of the block = or += or -= or *= value.
  void fill(std::int32_t selector, program::Mode mode, double value);
  /// block [+]= factor * block, matched by name.
  void copy(std::int32_t to, std::int32_t from, bool accumulates, double factor);
  /// block [+]= factor * product.
  void product(std::int32_t to, std::int32_t product, bool accumulates, double factor);
  /// The full contraction of a product.
  [[nodiscard]] double contract_all(std::int32_t product);
  /// The one element of a block.
  [[nodiscard]] double element(std::int32_t selector);

  std::uint64_t operations = 0;
  double flops = 0;

 private:
  /// Which position of the source each position of the target takes; the rest has extent 1.
  struct Match {
    std::vector<std::size_t> to_positions;
    std::vector<std::size_t> from_positions;
    std::vector<int> permutation;  ///< of the matched source positions, in the order of the target
  };
  struct Planned {
    std::vector<tensor::Shape> shapes;
    Chain chain;
  };
  using Plans = std::unordered_map<std::uint64_t, Planned>;

  [[nodiscard]] const Match& match(const program::Selector& to, const program::Selector& from);
  [[nodiscard]] View read(std::int32_t selector);
  [[nodiscard]] View target(std::int32_t selector, bool accumulates);
  /// The elements of a view one after the other; in scratch memory if they are not so already.
  [[nodiscard]] const double* dense(const View& view);
  [[nodiscard]] const Chain& chain(const program::Product& product, const tensor::Names& result,
                                   const tensor::Shape& result_shape);
  void run(const Chain& chain, double factor, double beta, double* result);
  /// Reads the operands into views_; false if one of them is zero everywhere.
  [[nodiscard]] bool read_operands(const program::Product& product);

  const program::Program& program_;
  Blocks& blocks_;
  bool check_;
  std::vector<std::unique_ptr<Match>> matches_;  ///< by pc
  std::vector<Plans> chains_;                    ///< by pc
  std::vector<View> views_;                      ///< of the operands under way
  std::vector<const double*> values_;            ///< of the chain under way
};

}  // namespace blockyard::worker::detail
