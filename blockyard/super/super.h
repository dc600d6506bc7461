// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/array/dense_array.h"
#include "blockyard/array/segments.h"

/// Super instructions: what `execute name a b` runs. A super instruction sees its operands as plain
/// values and knows nothing of ranks, caches or files.
namespace blockyard::super {

using base::Extent;

/// How an operand is used: r, w or u of a SIAL `special` line.
enum class Access : std::uint8_t { read, write, update };

/// One argument: a block, a region, a whole static array or a scalar.
struct Operand {
  std::string_view name;                    ///< of the array or scalar; "" for a number
  std::span<double> values;                 ///< dense, first index fastest; a scalar: one value
  std::span<const Extent> extents;          ///< one per index; empty for a scalar
  std::span<const std::int64_t> segments;   ///< segment per index; whole array: the first
  std::span<const array::IndexKind> kinds;  ///< index kind per index
  Access access = Access::read;             ///< values of a read operand must stay as they are
};

/// What a super instruction may know of the run. One per worker, constant during a program.
struct Context {
  int worker = 0;
  int workers = 1;
  const array::Segments* segments = nullptr;
  const std::map<std::string, std::int64_t, std::less<>>* ints = nullptr;  ///< constants of the job
  const std::map<std::string, double, std::less<>>* scalars = nullptr;     ///< constants of the job
  /// Predefined arrays of the job; ints of a .dat file as numbers.
  const std::map<std::string, array::DenseArray, std::less<>>* arrays = nullptr;
  /// These throw Error{bad_input} that says what the job must give.
  [[nodiscard]] std::int64_t int_constant(std::string_view name) const;
  [[nodiscard]] double scalar_constant(std::string_view name) const;
  [[nodiscard]] const array::DenseArray& predefined_array(std::string_view name) const;
};

/// Does the work. Reports bad input by throwing Error{bad_input}: the worker adds name and line.
using Function = std::function<void(std::span<Operand>, const Context&)>;

/// One super instruction. `signature` has one Access per operand; the loader checks it against the
/// program's `special` line before the first iteration. Some old programs declare another intent
/// for the same instruction ("ru" for "rw"): `also` lists signatures accepted besides.
struct Entry {
  std::string name;
  std::string signature;  ///< letters r, w, u
  Function function;
  std::vector<std::string> also;
};

/// The super instructions of one worker, by name. Each worker has its own table, so that an entry
/// may keep scratch of its own. One thread.
class Table {
 public:
  /// Throws Error{bad_input} if the name is taken.
  void add(Entry entry);
  /// The entry called `name`, or null.
  [[nodiscard]] const Entry* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace blockyard::super
