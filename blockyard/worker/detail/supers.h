// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "blockyard/super/super.h"
#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// Runs `execute` statements: lays the operands out as the super instruction wants them, and brings
/// back what it wrote. One thread.
class Supers {
 public:
  /// Throws Error{bad_input} if a super instruction of the program has another signature in
  /// `table`, or is executed on elements of a type that it does not take.
  Supers(const Naming& naming, Blocks& blocks, super::Table& table, const Environment& environment,
         const Options& options);

  /// Runs special `special` on `count` arguments from `first`.
  /// Throws Error with the name of the super instruction.
  void execute(std::int32_t special, std::int32_t first, std::int32_t count,
               std::span<std::complex<double>> scalars, std::span<const std::int64_t> ints);

  [[nodiscard]] const std::map<std::string, SuperUse, std::less<>>& uses() const { return uses_; }

 private:
  /// An operand on its way: where it came from if it had to be laid out anew.
  struct Laid {
    View origin;
    bool is_copied = false;
    bool goes_back = false;
    double number = 0;  ///< of an argument that is no variable
    std::array<std::int64_t, array::max_order> segments{};
    std::array<array::IndexKind, array::max_order> kinds{};
    std::uint64_t checksum = 0;  ///< of a read operand in the checking mode
  };
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
  super::Context context_;
  std::vector<const super::Entry*> entries_;  ///< by special; null: not found
  std::vector<super::Operand> operands_;
  std::vector<Laid> laid_;
  std::map<std::string, SuperUse, std::less<>> uses_;
};

}  // namespace blockyard::worker::detail
