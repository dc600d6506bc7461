// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/block/placement.h"
#include "blockyard/block/residency.h"
#include "blockyard/super/form_plans.h"
#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/contraction.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// A super instruction that has a device form, and what it is called with.
struct DeviceSuper {
  const super::Entry& entry;
  std::span<const super::Operand> operands;  ///< without the elements of blocks and arrays
  std::span<const std::int32_t> selectors;   ///< by operand; -1: a number
  const super::Context& context;
};

/// Block statements on a device. Each function says whether the device does it; if not, nothing
/// has changed but that blocks were made, and the host does it. A device that fails is retired. One
/// thread.
class DeviceArithmetic {
 public:
  DeviceArithmetic(const program::Program& program, Blocks& blocks, block::Residency& device,
                   const Options& options);

  [[nodiscard]] bool fill(const Located& to, program::Mode mode, Number value);
  [[nodiscard]] bool copy(const Located& to, const Located& from, bool accumulates, Number factor,
                          const Match& match);
  [[nodiscard]] bool product(const Contraction& all);
  [[nodiscard]] std::optional<Number> contract_all(const Contraction& all);
  /// In device_supers.cpp.
  [[nodiscard]] bool execute(const DeviceSuper& what);

  /// The host did a product, or a super instruction that has a device form, in this time, waits
  /// apart. Of the latter the elements that it writes count for flops.
  void host_took(double flops, double seconds) noexcept;
  [[nodiscard]] bool is_learning() const noexcept { return learns_ && !device_.is_retired(); }
  /// Begin or end of a region that the program wants on the device.
  void hint(bool begins) noexcept { is_hinted_ = begins && respects_hints_; }

  /// Whether blocks of the array are read on the device: the last product with it ran there.
  [[nodiscard]] bool reads(std::int32_t array) const noexcept {
    const auto k = static_cast<std::size_t>(array);
    return is_operand_[k] && on_device_[k];
  }
  /// Starts to copy a fetched block that a product will read soon.
  void copy_ahead(const block::SharedFrame& frame);

  [[nodiscard]] double flops() const noexcept { return flops_; }

 private:
  /// A chain as plans of the device; none: it cannot do one of them.
  struct Planned {
    bool is_possible = false;
    std::vector<device::Plan> plans;  ///< by step
    std::size_t workspace_bytes = 0;
  };
  struct PlannedCopy {
    ElementType type = ElementType::f64;
    tensor::Shape in;
    std::vector<int> permutation;
    std::optional<device::Plan> plan;
  };

  /// Whether fills and copies into an array go to the device: as the last product with it.
  [[nodiscard]] bool is_wanted(const Located& to) const {
    return is_hinted_ || on_device_[static_cast<std::size_t>(to.selector->array)];
  }
  /// The side for a product whose operands have been read.
  [[nodiscard]] block::Placement::Side side(const Contraction& all);
  void add_copies(block::Placement::Work& work, const Contraction& all) const;
  void note_side(const Contraction& all, bool is_on_device);
  [[nodiscard]] bool bring_operands(bool is_trial);
  template <class Body>
  bool attempt(const Body& body);
  [[nodiscard]] bool has_results(const DeviceSuper& what) const;
  [[nodiscard]] bool read_operands(const DeviceSuper& what);
  [[nodiscard]] block::Placement::Side side(const DeviceSuper& what);
  [[nodiscard]] bool find_addresses(const DeviceSuper& what);
  void run(const DeviceSuper& what, const super::DeviceCall& call, const device::Plan& plan,
           bool is_trial);
  [[nodiscard]] bool read_operands(const Contraction& all);
  /// Whether the statement under way is worth examining.
  [[nodiscard]] bool is_open() {
    return !learns_ || is_hinted_ || placement_.is_open(blocks_.pc());
  }
  [[nodiscard]] const Planned& plan(const Chain& chain, ElementType type);
  [[nodiscard]] bool run(const Contraction& all, device::Address result, bool is_trial);
  [[nodiscard]] const std::optional<device::Plan>& copy_plan(ElementType type,
                                                             const tensor::Shape& in,
                                                             const std::vector<int>& permutation);
  [[nodiscard]] const std::optional<device::Plan>& axpby_plan(ElementType type, Extent count);
  [[nodiscard]] ElementType type_of(const Located& at) const {
    return program::type_of(program_, *at.selector);
  }

  const program::Program& program_;
  Blocks& blocks_;
  block::Residency& device_;
  double flops_ = 0;
  bool learns_;
  bool respects_hints_;
  bool is_hinted_ = false;
  block::Placement placement_;
  std::vector<bool> on_device_;   ///< by array: where the last product with it ran
  std::vector<bool> is_operand_;  ///< by array: a product on the device has read it
  std::unordered_map<const Chain*, Planned> plans_;
  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<PlannedCopy>>> copy_plans_;
  std::map<std::pair<ElementType, Extent>, std::optional<device::Plan>> axpby_plans_;
  super::FormPlans form_plans_;
  std::vector<DeviceOperand> operands_;     ///< of the run under way
  std::vector<device::Address> values_;     ///< of the chain under way
  std::vector<Located> located_;            ///< by operand of the super instruction under way
  std::vector<device::Address> addresses_;  ///< by operand of the super instruction under way
};

/// One run: `body` says whether it is enqueued.
template <class Body>
bool DeviceArithmetic::attempt(const Body& body) {
  if (device_.is_retired()) return false;
  bool is_done = false;
  device_.note_place(blocks_.pc());
  try {
    is_done = body();
    device_.end_run(is_done);
  } catch (const base::Error& error) {
    is_done = false;
    if (error.code() != base::Errc::device) throw;
    device_.retire(error.what());
  }
  operands_.clear();
  blocks_.release_scratch();
  return is_done;
}

}  // namespace blockyard::worker::detail
