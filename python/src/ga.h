// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "blockyard/garray/lattice.h"
#include "blockyard/garray/locks.h"
#include "blockyard/garray/patch.h"
#include "blockyard/garray/runtime.h"

// Global arrays for blockyard.ga (python/blockyard/ga).
namespace blockyard::python {

namespace nb = nanobind;

using garray::Extent;
using garray::Indexes;
using Extents = std::vector<Extent>;

/// The memory of a Python object (an array of NumPy) by the buffer protocol. Under the GIL; what it
/// shows stays while it lives.
class PyMemory {
 public:
  enum class Use : std::uint8_t { read, write };
  PyMemory(const nb::handle& object, Use use);
  ~PyMemory() { PyBuffer_Release(&buffer_); }
  PyMemory(const PyMemory&) = delete;
  PyMemory& operator=(const PyMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(buffer_.buf); }
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(buffer_.len); }
  [[nodiscard]] std::size_t axes() const noexcept { return static_cast<std::size_t>(buffer_.ndim); }
  [[nodiscard]] Extent extent(std::size_t d) const noexcept { return buffer_.shape[d]; }
  [[nodiscard]] Extent stride_bytes(std::size_t d) const noexcept { return buffer_.strides[d]; }

 private:
  Py_buffer buffer_{};
};

/// One rank: its arrays and groups. An array that Python drops lives until it is dropped at all
/// members of its group (`collect`): others may still reach this rank's part.
class GaWorld {
 public:
  explicit GaWorld(std::unique_ptr<fabric::Memory> memory) : runtime(std::move(memory)) {}

  /// Collective among the group. Ends what no member holds any more, but for the first of it that
  /// `is_wanted`, which it returns: memory that has its pages already.
  garray::Array* collect(int group,
                         const std::function<bool(const garray::Array&)>& is_wanted = {});
  /// An array was made; the same order at all members.
  void note(garray::Array& array) { arrays_[array.group].push_back(&array); }
  /// Any thread.
  void bury(const garray::Array& array) {
    const std::lock_guard lock(mutex_);
    buried_.insert(array.handle);
  }
  [[nodiscard]] fabric::Group group(int number) const { return runtime.team(number).group; }

  garray::Runtime runtime;

 private:
  std::map<int, std::vector<garray::Array*>> arrays_;  ///< by group, the oldest first
  std::mutex mutex_;                                   ///< guards the next
  std::set<int> buried_;
};

/// An array as long as Python holds it or a view of its memory.
class GaHeld {
 public:
  GaHeld(std::shared_ptr<GaWorld> in, garray::Array& made) : world(std::move(in)), array(made) {}
  ~GaHeld() { world->bury(array); }
  GaHeld(const GaHeld&) = delete;
  GaHeld& operator=(const GaHeld&) = delete;

  std::shared_ptr<GaWorld> world;  // shared by all arrays of the rank
  garray::Array& array;
};

/// An array with its axes in the order of Python: that of the model, or its opposite, for which the
/// last axis is fastest in memory.
struct GaArray {
  std::shared_ptr<GaHeld> held;  // shared by an array and its transposes
  bool is_reversed = false;

  [[nodiscard]] const garray::Runtime& runtime() const { return held->world->runtime; }
  [[nodiscard]] const garray::Array& array() const { return held->array; }
  [[nodiscard]] std::size_t axis(std::size_t d) const {
    return is_reversed ? array().axes() - 1 - d : d;
  }
  /// Numbers by axis of Python, as the model has them. Throws Error{bad_input} for a wrong count.
  [[nodiscard]] Indexes model(const Extents& numbers) const;
  [[nodiscard]] Extents python(const Indexes& numbers) const;
  [[nodiscard]] garray::Box box(const Extents& first, const Extents& end) const;
};

/// Transfers that were begun, and the memory that they work in, which stays until they end: dropped
/// before, it waits for them. Made and dropped under the GIL.
struct GaPending {
  GaPending(std::shared_ptr<GaHeld> of, std::unique_ptr<PyMemory> in)
      : held(std::move(of)), memory(std::move(in)) {}
  ~GaPending() { end(); }
  GaPending(const GaPending&) = delete;
  GaPending& operator=(const GaPending&) = delete;

  void end() noexcept;

  std::shared_ptr<GaHeld> held;  // shared: the array stays
  std::unique_ptr<PyMemory> memory;
  garray::Pending pending;
};

void bind_ga_world(nb::module_& module);
void bind_ga_arrays(nb::module_& module);
void bind_ga_algebra(nb::module_& module);

}  // namespace blockyard::python
