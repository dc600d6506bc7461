// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/chains.h"
#include "blockyard/worker/detail/copies.h"
#include "blockyard/worker/detail/device_arithmetic.h"
#include "blockyard/worker/detail/match.h"

namespace blockyard::worker::detail {

/// Block statements: fills, copies, products. Chooses how once per instruction and set of shapes;
/// after that a statement allocates nothing. One thread.
class Arithmetic {
 public:
  Arithmetic(const program::Program& program, Blocks& blocks, const Options& options);

  /// From now on statements may run on a device.
  void attach(block::Residency& device) {
    device_ = std::make_unique<DeviceArithmetic>(program_, blocks_, chains_, device, options_);
  }

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

  /// gpu_on and gpu_off.
  void hint(bool begins) noexcept {
    if (device_) device_->hint(begins);
  }

  /// Null: there is none.
  [[nodiscard]] DeviceArithmetic* device() noexcept { return device_.get(); }

  /// Of host and device.
  [[nodiscard]] double flops() const noexcept;
  std::uint64_t operations = 0;
  bool awaits_device = false;  ///< one may still come: until then products are timed
  double host_seconds = 0;     ///< theirs

 private:
  [[nodiscard]] const Match& match(const program::Selector& to, const program::Selector& from);
  [[nodiscard]] View read(std::int32_t selector);
  [[nodiscard]] View target(std::int32_t selector, bool accumulates);
  /// The elements of a view one after the other; in scratch memory if they are not so already.
  [[nodiscard]] const double* dense(const View& view);
  void run(const Chain& chain, double factor, double beta, double* result);
  /// Reads the operands into views_; false if one of them is zero everywhere.
  [[nodiscard]] bool read_operands(const program::Product& product);

  const program::Program& program_;
  Blocks& blocks_;
  const Options& options_;
  std::vector<std::unique_ptr<Match>> matches_;  ///< by pc
  Copies copies_;
  Chains chains_;
  double flops_ = 0;  ///< of the host
  std::unique_ptr<DeviceArithmetic> device_;
  std::vector<View> views_;            ///< of the operands under way
  std::vector<tensor::Shape> shapes_;  ///< theirs
  std::vector<const double*> values_;  ///< of the chain under way
};

}  // namespace blockyard::worker::detail
