// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "blockyard/array/grid.h"
#include "blockyard/plan/frame_model.h"
#include "blockyard/plan/lru.h"

namespace blockyard::plan {

/// The contents of the servers of a run, without values: which blocks exist, and which are on disk.
/// Blocks that a walk meets one by one are counted exactly, each once, and evicted least recently
/// used first as a server does; those that stand for others (weight above 1) are counted by volume.
class ServerModel {
 public:
  /// `may_spill`: the arrays may take more than the servers have, so evictions are followed.
  ServerModel(int servers, double server_bytes, bool may_spill)
      : lists_(static_cast<std::size_t>(servers)),
        server_bytes_(server_bytes),
        may_spill_(may_spill) {}

  void begin_program(std::vector<const array::Grid*> grids, std::vector<double> element_bytes);
  /// Array contents under labels stay, all others are dropped.
  void end_program();

  /// A block is written: `slot` identifies a group of blocks that one loop writes together.
  void put(std::int32_t array, std::uint64_t number, double bytes, double weight, bool needs_old,
           std::int64_t slot);
  void get(std::int32_t array, std::uint64_t number, double bytes);
  /// Blocks of `bytes` in total are read, in any order.
  void get_volume(double bytes) { read_back_bytes += bytes * share_on_disk(); }
  /// A loop ended, whose blocks with a weight are all there now.
  void end_loop();

  void remove(std::int32_t array);
  void keep(std::int32_t array, const std::string& label);
  void restore(std::int32_t array, const std::string& label);

  /// The most that an array of this program held.
  [[nodiscard]] double peak_array_bytes(std::int32_t array) const;
  /// Of all arrays and labels.
  [[nodiscard]] double alive_bytes() const { return alive_bytes_; }
  [[nodiscard]] double peak_bytes() const { return peak_bytes_; }
  /// The most that the process memory of all servers took, including what freed blocks retain.
  [[nodiscard]] double pool_peak_bytes() const { return pool_.peak() + peak_estimated_bytes_; }
  /// Begins a new peak, at what is alive now.
  void forget_peak() { peak_bytes_ = alive_bytes_; }

  double spilled_bytes = 0;    ///< written to disk so far
  double read_back_bytes = 0;  ///< read from disk so far

 private:
  /// The blocks of an array or label, shared by all arrays and labels that have them.
  struct Storage {
    std::uint64_t number = 0;
    double total_bytes = 0;
    std::vector<bool> is_written;
    double exact_bytes = 0;
    std::map<double, double> by_size;        ///< of those: bytes in blocks of a size
    std::map<std::int64_t, double> by_slot;  ///< estimates
    std::map<std::int64_t, double> in_loop;  ///< of the loop under way
    double bytes = 0;
    double peak_bytes = 0;
  };
  using StorageRef = std::shared_ptr<Storage>;  // shared by arrays and labels

  [[nodiscard]] Storage& storage(std::int32_t array);
  void update(Storage& storage);
  void drop_unheld(StorageRef gone);
  [[nodiscard]] Lru& list_of(std::uint64_t number) { return lists_[number % lists_.size()]; }
  void make_resident(Lru& list, std::uint64_t key, double bytes, bool is_on_disk);
  [[nodiscard]] double share_on_disk() const;

  std::vector<Lru> lists_;  ///< resident blocks of each server; marked: on disk too
  double server_bytes_;
  bool may_spill_;
  std::vector<const array::Grid*> grids_;
  std::vector<double> element_bytes_;  ///< by array
  std::vector<StorageRef> arrays_;
  std::vector<double> peaks_;  ///< of what arrays held before they were deleted
  std::map<std::string, StorageRef> labels_;
  std::vector<StorageRef> in_loop_;
  std::uint64_t storages_ = 0;
  double alive_bytes_ = 0;
  double peak_bytes_ = 0;
  FrameModel pool_;
  double peak_estimated_bytes_ = 0;  ///< of arrays that no walk met block by block
};

}  // namespace blockyard::plan
