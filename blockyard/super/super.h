// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/array/dense_array.h"
#include "blockyard/array/element.h"
#include "blockyard/array/segments.h"
#include "blockyard/base/error.h"

/// Super instructions: what `execute name a b` runs. A super instruction sees its operands as plain
/// values and knows nothing of ranks, caches or files.
namespace blockyard::super {

using base::Extent;

/// The use of an operand: r, w or u of a SIAL `special` line.
enum class Access : std::uint8_t { read, write, update };

/// One argument: a block, a region, a whole static array or a scalar.
struct Operand {
  std::string_view name;                    ///< of the array or scalar; "" for a number
  std::span<double> values;                 ///< f64: dense, first index fastest; a scalar: one
  std::span<const Extent> extents;          ///< one per index; empty for a scalar
  std::span<const std::int64_t> segments;   ///< segment per index; whole array: the first
  std::span<const array::IndexKind> kinds;  ///< index kind per index
  Access access = Access::read;             ///< values of a read operand must stay as they are
  array::ElementType type = array::ElementType::f64;
  std::span<std::byte> others = {};  ///< elements of another type than f64; `values` is empty then

  /// The elements. REQUIRES: T is what `type` names.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    base::require(array::element_type_of<T> == type, "an operand is read as what it is");
    const std::span<std::byte> all = bytes();
    return {reinterpret_cast<T*>(all.data()), all.size() / sizeof(T)};
  }
  [[nodiscard]] std::span<std::byte> bytes() const {
    return type == array::ElementType::f64 ? std::as_writable_bytes(values) : others;
  }
  [[nodiscard]] std::size_t element_count() const { return bytes().size() / bytes_of(type); }
};

/// The element types that one operand may have.
class Types {
 public:
  [[nodiscard]] bool holds(array::ElementType type) const noexcept {
    return (bits_ >> static_cast<unsigned>(type) & 1U) != 0;
  }
  void add(array::ElementType type) noexcept { bits_ |= 1U << static_cast<unsigned>(type); }
  /// "f64, f32 or c128"
  [[nodiscard]] std::string text() const;

 private:
  std::uint32_t bits_ = 0;
};

/// The run as seen by a super instruction. One per worker, constant during a program.
struct Context {
  int worker = 0;
  int workers = 1;
  const array::Segments* segments = nullptr;
  const std::map<std::string, std::int64_t, std::less<>>* ints = nullptr;  ///< constants of the job
  const std::map<std::string, double, std::less<>>* scalars = nullptr;     ///< constants of the job
  /// Predefined arrays of the job; ints of a .dat file as numbers.
  const std::map<std::string, array::DenseArray, std::less<>>* arrays = nullptr;
  /// These throw Error{bad_input} with what the job must give.
  [[nodiscard]] std::int64_t int_constant(std::string_view name) const;
  [[nodiscard]] double scalar_constant(std::string_view name) const;
  [[nodiscard]] const array::DenseArray& predefined_array(std::string_view name) const;
};

/// Does the work. Reports bad input by throwing Error{bad_input}: the worker adds name and line.
using Function = std::function<void(std::span<Operand>, const Context&)>;

struct DeviceForm;  // device_form.h

/// One super instruction. `signature` has one Access per operand; the loader checks it against the
/// program's `special` line before the first iteration. Some old programs declare another intent
/// for the same instruction ("ru" for "rw"): `also` lists signatures accepted besides.
/// `types` has a word for each operand, or one for all: element types with '|' between them
/// ("f64|c128 f64"), or `any`; "" is f64 for all. Operands of other types never come in.
struct Entry {
  std::string name;
  std::string signature;  ///< letters r, w, u
  Function function;
  std::vector<std::string> also;
  std::string types = {};
  /// The same as a kernel of devices; null: there is none. Shared with copies of the entry.
  std::shared_ptr<const DeviceForm> device = {};

  /// The operands allowed as operand `k`. REQUIRES: the entry is one of a Table.
  [[nodiscard]] Types types_of(std::size_t k) const;
};

/// The super instructions of one worker, by name. Each worker has its own table, so that an entry
/// may keep scratch of its own. One thread.
class Table {
 public:
  /// Throws Error{bad_input} if the name is taken, or signature, types or device form are
  /// malformed.
  void add(Entry entry);
  /// The entry called `name`, or null.
  [[nodiscard]] const Entry* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace blockyard::super
