// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/blas/level3.h"
#include "blockyard/blas/router/kept.h"
#include "blockyard/blas/router/parts.h"
#include "blockyard/blas/router/shares.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// Calls of level 3 on one device: of the parts of a result one is sent while another is computed
/// and a third comes back. One thread.
class DeviceProducts {
 public:
  /// kept_bytes: device memory for operands that later calls may use; nothing: half of what there
  /// is. is_deterministic: how a call is divided does not go by what is on the device already.
  /// Throws Error.
  DeviceProducts(const device::Table& table, const std::string& options,
                 std::optional<std::int64_t> kept_bytes = {}, int index = 0,
                 bool is_deterministic = false);
  DeviceProducts(const DeviceProducts&) = delete;
  DeviceProducts& operator=(const DeviceProducts&) = delete;

  /// Writes parts of c, from the first one on, each when it has arrived whole. `complete` says how
  /// much of split_extent(call), also when Error is thrown: the rest is as it was. Less than all
  /// without an exception: the device has no room, or cannot.
  template <class T>
  void compute(const Call<T>& call, std::int64_t& complete);
  /// Parts from the front of `shares`, as the device of that number there. Throws Error; nothing of
  /// the program is accessed any more when this returns or throws.
  template <class T>
  void compute(const Call<T>& call, Shares& shares, int device = 0);
  /// Of the last call: bytes that were on the device already and were not sent.
  [[nodiscard]] std::int64_t saved_bytes() const noexcept { return kept_.saved_bytes(); }
  /// How many operands these are.
  [[nodiscard]] std::int64_t saved_operands() const noexcept { return kept_.saved_operands(); }
  /// Whether the last call ended early since the device had no room.
  [[nodiscard]] bool lacked_room() const noexcept { return lacked_room_; }
  /// What can be allocated on the device in total; 0: it does not say.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return memory_bytes_; }
  /// What a call takes of it at once: the operand that its parts share, and the parts under way.
  /// The largest number: its operand is too large to be packed.
  template <class T>
  [[nodiscard]] static std::int64_t room_bytes(const Call<T>& call, std::int64_t memory_bytes);
  /// Releases operands of earlier calls until there is room for `bytes`, as far as they are
  /// in the way.
  void make_room(std::int64_t bytes) { kept_.make_room(bytes, memory_bytes_); }
  /// Releases operands of earlier calls, at least `bytes` as far as there are.
  void give_back(std::int64_t bytes) { kept_.give_back(bytes); }
  /// For a call computed as a whole, whose run lets go what it used of what is kept.
  [[nodiscard]] On begin_whole() noexcept {
    kept_.begin_call();
    lacked_room_ = false;
    return {device_, &kept_, &lacked_room_};
  }
  [[nodiscard]] device::Device& device() noexcept { return device_; }

 private:
  static constexpr std::size_t slots = 3;
  struct Slot {
    Kept::Operand* operand = nullptr;  ///< its own; null: none, or a range of another
    device::Address operand_at = 0;
    std::vector<std::byte> packed_operand = {};
    std::optional<device::Memory> result = {};  ///< if the results of all parts do not lie together
    device::Address result_at = 0;
    std::vector<std::byte> packed_result = {};
    device::Event sent, computed, returned;
    std::vector<std::byte> arrived = {};
    Shares::Range part = {};  ///< on its way; empty: none
  };

  [[nodiscard]] bool reserve(std::optional<device::Memory>& memory, std::int64_t bytes);
  template <class T>
  [[nodiscard]] std::span<const std::byte> dense(const View<T>& view,
                                                 std::vector<std::byte>& packed) const;
  template <class T>
  void send_columns(device::Address to, const View<T>& view);
  template <class T>
  [[nodiscard]] bool send(const View<T>& view, device::Address to, std::vector<std::byte>& packed);
  /// An operand that the device has, or is to get from `bytes`; those empty: column by column.
  struct Wanted {
    Kept::Operand* operand = nullptr;
    std::span<const std::byte> bytes = {};
    bool is_there = false;
  };
  template <class T>
  [[nodiscard]] Wanted find_operand(const View<T>& view, std::vector<std::byte>& packed);
  template <class T>
  void send_operand(const View<T>& view, const Wanted& wanted);
  template <class T>
  [[nodiscard]] Kept::Operand* send_operand(const View<T>& view, std::vector<std::byte>& packed);
  template <class T>
  [[nodiscard]] bool send_shared(const Call<T>& call);
  template <class T>
  [[nodiscard]] bool start_by_sums(const Call<T>& call, std::int64_t width, Slot& slot);
  /// The result of a part gets its place, and what is read of it.
  template <class T>
  [[nodiscard]] bool place_result(const Part<T>& part, std::int64_t from, Slot& slot);
  /// Whether the results of all parts are to lie together, so that a later call may use them, and
  /// what of the call is a result of an earlier one.
  template <class T>
  void open_result(const Call<T>& call, std::int64_t width, bool is_alone);
  void close_result(std::int64_t extent);
  void fetch(Slot& slot, std::int64_t bytes);
  template <class T>
  [[nodiscard]] bool run(const Step<T>& step, const Slot& slot);
  template <class T>
  [[nodiscard]] bool start(const Part<T>& part, std::int64_t from, Slot& slot);
  [[nodiscard]] Slot open_slot();
  template <class T>
  void finish(const Call<T>& call, Slot& slot, Shares& shares);
  template <class T>
  void compute_parts(const Call<T>& call, Shares& shares, std::int64_t width, int device,
                     bool is_alone);
  [[nodiscard]] static bool has_left(const device::Event& sent) noexcept;
  void drain(bool has_failed) noexcept;

  const bool is_deterministic_;
  device::Device device_;
  std::int64_t memory_bytes_;
  device::Stream in_, work_, out_;
  Kept kept_;
  /// All of a result, while it is computed.
  struct Whole {
    Kept::Operand* operand = nullptr;  ///< null: each part has a place of its own
    bool is_there = false;             ///< what is read of it was found
    std::int64_t next = 0;             ///< how far it has arrived without a gap, and is hashed
    std::optional<base::Fingerprinter> content = {};
    std::int64_t element_bytes = 0;  ///< of what belongs to 1 of its extent
  };
  Whole result_;
  Kept::Operand* whole_operand_ = nullptr;  ///< whose ranges are the operands of parts
  bool lacked_room_ = false;
  bool has_unsent_ = false;  ///< an operand that is kept was not sent whole
  std::array<Kept::Operand*, 2> shared_{};
  std::array<std::vector<std::byte>, 2> packed_shared_;
  std::optional<device::Memory> workspace_;
  std::array<Slot, slots> slots_;
};

}  // namespace blockyard::blas
