// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blockyard::ga {

/// The memory allocator MA: a stack and a heap of one process in one piece of memory. The heap
/// grows from its beginning, the stack from its end, over the nominal border between them unless
/// asked not to. A guard word stands before and after each block. One thread at a time.
class Ma {
 public:
  static constexpr std::size_t alignment = 64;

  struct Block {
    std::string name;
    long type = 0;
    std::size_t elements = 0;
    std::size_t offset = 0;  ///< of its data
    std::size_t bytes = 0;   ///< of its data
    bool is_on_stack = false;
  };

  /// In bytes.
  /// fortran_integer: bytes of an INTEGER.
  Ma(std::size_t stack, std::size_t heap, int fortran_integer);

  [[nodiscard]] static std::optional<std::size_t> bytes_of(long type, int fortran_integer);
  /// Bytes that a block of so much data takes with guards and alignment.
  [[nodiscard]] static std::size_t with_overhead(std::size_t bytes) noexcept;

  /// A new block, or nothing if out of memory. The number of a block is its handle.
  [[nodiscard]] std::optional<long> push(long type, std::size_t elements, std::string name);
  [[nodiscard]] std::optional<long> allocate(long type, std::size_t elements, std::string name);
  [[nodiscard]] const Block* find(long handle) const;
  [[nodiscard]] void* data_of(const Block& block) const noexcept {
    return memory_.get() + block.offset;
  }
  /// False unless it is on the heap.
  [[nodiscard]] bool free(long handle);
  /// The last `elements` of a heap block go.
  [[nodiscard]] bool free_piece(long handle, std::size_t elements);
  /// False unless it is the block on top of the stack.
  [[nodiscard]] bool pop(long handle);
  /// Ends it and all that was pushed after it.
  [[nodiscard]] bool chop(long handle);

  /// Bytes between the end of the heap and the top of the stack.
  [[nodiscard]] std::size_t gap() const;
  /// To the nominal border, or the other side's blocks, whichever is nearer.
  [[nodiscard]] std::size_t room_within(bool of_stack) const { return room_above(of_stack); }
  /// The longest piece of the heap between its blocks, or at its end.
  [[nodiscard]] std::size_t longest_heap_piece(bool up_to_border) const;
  /// Handles after `handle`, in order; 0: the first. Nothing: no more.
  [[nodiscard]] std::optional<long> next(long handle) const;
  [[nodiscard]] const std::map<long, Block>& blocks() const noexcept { return blocks_; }
  /// The first block whose guard words were overwritten; null: none.
  [[nodiscard]] const Block* broken() const;

 private:
  [[nodiscard]] std::size_t heap_end() const;
  [[nodiscard]] std::size_t stack_begin() const;
  [[nodiscard]] std::size_t room_above(bool of_stack) const;
  long keep(Block block);
  void write_guards(const Block& block) const noexcept;

  struct Release {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte[], Release> memory_;
  int fortran_integer_ = 4;
  std::size_t bytes_ = 0, border_ = 0;  ///< the heap is nominally before the border
  std::map<long, Block> blocks_;        ///< by handle
  std::map<std::size_t, long> heap_;    ///< handles by offset of data
  std::vector<long> stack_;
  long next_handle_ = 1;
};

}  // namespace blockyard::ga
