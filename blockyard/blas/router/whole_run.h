// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/blas/router/parts.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// A call that goes to a device as one: blocks are sent, worked on in order, and fetched. What the
/// device has no room for, or cannot do, makes the rest do nothing: `synchronise` says so. Nothing
/// of the program is written here. One thread.
template <class T>
class WholeRun {
 public:
  explicit WholeRun(device::Device& device) : device_(device), stream_(device.open_stream()) {}
  ~WholeRun();
  WholeRun(const WholeRun&) = delete;
  WholeRun& operator=(const WholeRun&) = delete;

  /// A block of a device.
  struct Block {
    device::Address address = 0;
    std::int64_t elements = 0;
  };
  [[nodiscard]] Block make(std::int64_t elements);
  [[nodiscard]] Block send(const View<T>& view);
  [[nodiscard]] Block send(std::vector<T> elements);
  /// The caller keeps the elements until `synchronise`.
  void send(const Block& to, std::span<const T> elements);
  void send(const Block& to, std::vector<T> elements) {
    send(to, std::span<const T>(host_.emplace_back(std::move(elements))));
  }
  /// kind and flags as in abi_kinds.h; operands by their extents, 0: of order 1.
  struct Operand {
    Block block;
    std::int64_t rows = 0, columns = 0;
  };
  void run(std::uint32_t kind, std::uint32_t flags, const Operand& result, const Operand& left,
           const Operand& right = {}, T alpha = T(1));
  void run(const blockyard_operation& operation, const Block& result, const Block& left,
           const Block& right, T alpha);
  /// The elements, after `synchronise`.
  [[nodiscard]] const std::vector<T>& fetch(const Block& block);
  /// Returns when all is done. False: it was not possible. Throws Error.
  [[nodiscard]] bool synchronise();

 private:
  device::Device& device_;
  device::Stream stream_;
  bool is_possible_ = true;
  std::vector<device::Memory> memory_;
  std::deque<std::vector<T>> host_;  ///< sent or fetched; each stays where it is
};

}  // namespace blockyard::blas
