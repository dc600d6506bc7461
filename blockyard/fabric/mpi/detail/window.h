// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "blockyard/base/shared_memory.h"
#include "blockyard/fabric/mpi/detail/node.h"

namespace blockyard::fabric::detail {

/// One window: the memory of every rank that this process reaches, and the lengths of all. Any
/// thread, but reach() once. The memory of a process holds, for each of its ranks, locks and then
/// the bytes; each lock is for every sixteenth stripe of the bytes.
class Window {
 public:
  /// Makes the memory of the ranks of this process. `bytes`: by rank.
  Window(const Node& node, std::vector<std::uint64_t> bytes, const std::vector<int>& process_of);

  [[nodiscard]] base::MemoryAddress address() const noexcept { return memory_.address(); }
  /// Opens the memory of the other processes of this node. `addresses`: by rank.
  void reach(const Node& node, std::span<const base::MemoryAddress> addresses,
             const std::vector<int>& process_of);

  /// Throws Error{bad_input} if the bytes are outside.
  void check(int rank, std::size_t offset, std::size_t length) const;
  [[nodiscard]] bool reaches(int rank) const noexcept { return part(rank).bytes != nullptr; }
  /// REQUIRES: reaches(rank), check(rank, ...). Give up, with Error{comm}, once `is_over`.
  void get(int rank, std::size_t offset, std::span<std::byte> into) const noexcept;
  void put(int rank, std::size_t offset, std::span<const std::byte> from,
           const std::atomic<bool>& is_over);
  void accumulate(int rank, std::size_t offset, std::span<const std::byte> values,
                  const std::atomic<bool>& is_over);

 private:
  struct Lock;
  struct Part {
    std::byte* bytes = nullptr;  ///< null: of another node
    Lock* locks = nullptr;
    std::uint64_t offset = 0;  ///< of the locks in the memory of its process
    std::uint64_t size = 0;
  };
  [[nodiscard]] const Part& part(int rank) const noexcept {
    return parts_[static_cast<std::size_t>(rank)];
  }
  void place(Part& part, std::byte* memory) const noexcept;
  template <class Change>
  void change(int rank, std::size_t offset, std::size_t length, const std::atomic<bool>& is_over,
              const Change& change);

  std::vector<Part> parts_;  ///< by rank
  base::SharedMemory memory_;
  std::vector<base::SharedMemory> others_;  ///< by process
};

}  // namespace blockyard::fabric::detail
