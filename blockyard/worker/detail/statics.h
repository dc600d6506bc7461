// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "blockyard/block/residency.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker::detail {

/// The static arrays of a worker, each whole in one frame, and dense copies of their blocks that a
/// device has read. One thread.
class Statics {
 public:
  Statics(const Naming& naming, block::FramePool& frames);
  ~Statics();
  Statics(const Statics&) = delete;
  Statics& operator=(const Statics&) = delete;
  void attach(block::Residency& device) noexcept { device_ = &device; }

  /// Null: the array is not static.
  [[nodiscard]] const block::Frame& frame(std::int32_t array) const {
    return arrays_[static_cast<std::size_t>(array)].whole;
  }
  /// Throws Error{bad_input} if the array is not static, or has no elements.
  [[nodiscard]] View whole(std::int32_t array);
  [[nodiscard]] tensor::Shape shape(std::int32_t array) const;
  [[nodiscard]] View block(const Place& place);
  /// A copy for a device, which stays while there is room and its values are as they were. Null: no
  /// room to keep one.
  [[nodiscard]] block::SharedFrame copy_of_whole(std::int32_t array, const View& of) {
    return copy(array, whole_copy, of);
  }
  [[nodiscard]] block::SharedFrame copy_of_block(const array::BlockId& id, const View& of) {
    return copy(id.array, id.number, of);
  }
  /// Their values are about to change.
  void forget_copies(std::int32_t array) noexcept;
  void forget_copy(const array::BlockId& id) noexcept;
  /// Frees memory of copies, but of those that the run under way holds. Returns whether it did.
  bool drop_copies() noexcept;

 private:
  struct Array {
    block::Frame whole;
    std::unordered_map<std::uint64_t, block::Frame> copies{};  ///< by block, or whole_copy
  };
  static constexpr std::uint64_t whole_copy = ~std::uint64_t{0};
  [[nodiscard]] block::SharedFrame copy(std::int32_t array, std::uint64_t number, const View& of);
  void recycle(block::Frame frame) noexcept;

  const Naming& naming_;
  block::FramePool& frames_;
  block::Residency* device_ = nullptr;
  std::vector<Array> arrays_;
};

}  // namespace blockyard::worker::detail
