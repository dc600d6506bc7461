// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/contraction.h"
#include "blockyard/worker/detail/device_arithmetic.h"

namespace blockyard::worker::detail {

/// Block statements: fills, copies, products. Chooses how once per instruction and set of shapes;
/// after that a statement allocates nothing. One thread.
class Arithmetic {
 public:
  Arithmetic(const program::Program& program, Blocks& blocks, const Options& options);

  /// From now on statements may run on a device.
  void attach(block::Residency& device) {
    device_ = std::make_unique<DeviceArithmetic>(program_, blocks_, device, options_);
  }

  /// Every element of the block = or += or -= or *= value.
  void fill(std::int32_t selector, program::Mode mode, Number value);
  /// block [+]= factor * block, matched by name.
  void copy(std::int32_t to, std::int32_t from, bool accumulates, Number factor);
  /// block [+]= factor * product, computed in the widest of the types of all these blocks.
  void product(std::int32_t to, std::int32_t product, bool accumulates, Number factor);
  /// The full contraction of a product, computed in double precision.
  [[nodiscard]] Number contract_all(std::int32_t product);
  /// The one element of a block.
  [[nodiscard]] Number element(std::int32_t selector);

  /// gpu_on and gpu_off.
  void hint(bool begins) noexcept {
    if (device_) device_->hint(begins);
  }

  /// Null: there is none.
  [[nodiscard]] DeviceArithmetic* device() noexcept { return device_.get(); }

  /// Of host and device.
  [[nodiscard]] double flops() const noexcept;
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
  /// One may still come: until then products are timed.
  void await_device(bool awaits) noexcept { awaits_device_ = awaits; }
  [[nodiscard]] bool awaits_device() const noexcept { return awaits_device_; }
  /// Their time since the last call.
  [[nodiscard]] double take_host_seconds() noexcept { return std::exchange(host_seconds_, 0.0); }

 private:
  [[nodiscard]] const Match& match(const program::Selector& to, const program::Selector& from);
  [[nodiscard]] View read(const Located& from);
  [[nodiscard]] View target(const Located& to, bool accumulates) {
    return accumulates ? blocks_.update(to) : blocks_.write(to);
  }
  void fill(const Located& to, program::Mode mode, Number value);
  /// Scratch memory for this many elements.
  template <class T>
  [[nodiscard]] T* scratch(Extent elements) {
    return reinterpret_cast<T*>(blocks_.scratch(static_cast<std::size_t>(elements) * sizeof(T)));
  }
  /// The elements of a view one after the other as elements of type T; in scratch memory if they
  /// are not so already.
  template <class T>
  [[nodiscard]] const T* dense(const View& view);
  template <class T>
  void fill_as(const View& to, program::Mode mode, T value);
  template <class T>
  void copy_as(const View& to, View source, const Match& match, program::Part part,
               bool accumulates, T factor);
  /// Locates the operands and plans the steps of contraction_.
  void decide(std::int32_t product, const Located* to, ElementType type);
  template <class T>
  void product_as();
  /// result = made, or += made; `is_zeroed`: 0 times it, in which NaN and infinity are NaN.
  template <class T>
  void store(const T* made, const View& result, bool accumulates, bool is_zeroed = false);
  template <class T>
  void run(T factor, T beta, T* result);
  /// Reads the operands into views_; false if one of them is zero everywhere.
  [[nodiscard]] bool read_operands();

  const program::Program& program_;
  Blocks& blocks_;
  const Options& options_;
  std::vector<std::unique_ptr<Match>> matches_;  ///< by pc
  Copies copies_;
  Chains chains_;
  std::uint64_t operations_ = 0;
  bool awaits_device_ = false;
  double host_seconds_ = 0;
  double flops_ = 0;  ///< of the host
  std::unique_ptr<DeviceArithmetic> device_;
  Contraction contraction_;          ///< under way
  std::vector<View> views_;          ///< of its operands
  std::vector<const void*> values_;  ///< of its chain
};

}  // namespace blockyard::worker::detail
