// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/blas/router/kept.h"
#include "blockyard/blas/router/parts.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// A call that goes to a device as one: blocks are sent, worked on in order, and fetched. What the
/// device has no room for, or cannot do, makes the rest do nothing: `synchronise` says so. Nothing
/// of the program is written here. One thread.
template <class T>
class WholeRun {
 public:
  explicit WholeRun(const On& on)
      : device_(on.device),
        kept_(on.kept),
        lacked_room_(on.lacked_room),
        stream_(kept_ != nullptr ? kept_->take_stream() : device_.open_stream()) {}
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
  /// One that nothing writes to: it may be that of an earlier call, and stays for later ones.
  [[nodiscard]] Block send_operand(const View<T>& view);
  /// One that is written to: a copy of what is kept.
  [[nodiscard]] Block send_copy(const View<T>& view);
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
  /// What was fetched, and nothing writes to any more, is found by later calls.
  void keep(const Block& block, std::span<const T> fetched);
  /// Returns when all is done. False: it was not possible. Throws Error.
  [[nodiscard]] bool synchronise();

 private:
  [[nodiscard]] std::span<const T> dense(const View<T>& view);
  /// Those of an earlier call, or sent to be those of this one. Null: they are not to be kept.
  [[nodiscard]] Kept::Operand* kept(std::span<const T> elements);
  /// Memory until the end of the run, that of earlier ones if it can be. Without room nothing more
  /// is possible.
  [[nodiscard]] device::Address reserve(std::int64_t bytes);

  device::Device& device_;
  Kept* kept_;
  bool* lacked_room_;
  device::Stream stream_;
  bool is_possible_ = true;
  bool has_arrived_ = true;             ///< all that was sent
  std::vector<device::Memory> memory_;  ///< that which is too large to be kept
  std::vector<Kept::Operand*> used_;    ///< until the end of the run. Null: there was no room
  std::deque<std::vector<T>> host_;     ///< sent or fetched; each stays where it is
};

}  // namespace blockyard::blas
