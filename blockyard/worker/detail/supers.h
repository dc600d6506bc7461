// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "blockyard/super/form_check.h"
#include "blockyard/super/super.h"
#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/device_arithmetic.h"
#include "blockyard/worker/detail/worker_device.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// Runs `execute` statements: lays the operands out as the super instruction wants them, and brings
/// back what it wrote. One thread.
class Supers {
 public:
  /// Throws Error{bad_input} if a super instruction of the program has another signature in
  /// `table`, or is executed on elements of a type that it does not take.
  Supers(const Naming& naming, Blocks& blocks, super::Table& table, const Environment& environment,
         const Options& options, WorkerDevice& device);

  /// From now on those that have a device form may run there.
  void attach(DeviceArithmetic& device) noexcept { device_ = &device; }

  /// Runs special `special` on `count` arguments from `first`.
  /// Throws Error with the name of the super instruction.
  void execute(std::int32_t special, std::int32_t first, std::int32_t count,
               std::span<std::complex<double>> scalars, std::span<const std::int64_t> ints);

  [[nodiscard]] const std::map<std::string, SuperUse, std::less<>>& uses() const { return uses_; }

  /// Of calls on the host that a device could have done, since the last call.
  [[nodiscard]] double take_host_seconds() noexcept { return std::exchange(host_seconds_, 0.0); }

 private:
  /// An operand on its way: where it came from if it has to be laid out anew.
  struct Laid {
    View origin;
    bool is_copied = false;
    bool goes_back = false;
    std::complex<double> number;  ///< of an argument that is not a variable, or is copied
    std::array<std::int64_t, array::max_order> segments{};
    std::array<array::IndexKind, array::max_order> kinds{};
    std::uint64_t checksum = 0;  ///< of a read operand in the checking mode
  };
  /// The arguments of one statement.
  struct Arguments {
    std::span<const program::Argument> all;
    std::string_view signature;
    std::span<std::complex<double>> scalars;
    std::span<const std::int64_t> ints;
  };
  [[nodiscard]] bool keep_overwritten(const Arguments& arguments);
  [[nodiscard]] bool may_meet(const program::Argument& one, const program::Argument& other) const;
  [[nodiscard]] bool run_on_device(const super::Entry& entry, const Arguments& arguments);
  void run_on_host(const super::Entry& entry, SuperUse& use);
  void describe(std::int32_t selector, const tensor::Shape& shape, std::size_t k);
  void lay_out(const program::Argument& argument, super::Access access,
               std::span<std::complex<double>> scalars, std::span<const std::int64_t> ints,
               std::size_t k);
  void check_types(std::int32_t pc) const;
  void lay_out_block(std::int32_t selector, super::Access access, std::size_t k);
  void bring_back(const std::string& name);
  [[noreturn]] void report_unknown(const std::string& name) const;

  const Naming& naming_;
  Blocks& blocks_;
  super::Table& table_;
  bool check_;
  super::FormCheck form_check_;
  DeviceArithmetic* device_ = nullptr;  ///< null: none yet
  super::Context context_;
  std::vector<const super::Entry*> entries_;  ///< by special; null: not found
  std::vector<super::Operand> operands_;
  std::vector<Laid> laid_;
  std::vector<std::int32_t> selectors_;  ///< of the arguments, for a device; -1: a number
  std::map<std::string, SuperUse, std::less<>> uses_;
  double host_seconds_ = 0;
};

}  // namespace blockyard::worker::detail
