// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/ma.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "blockyard/garray/kind.h"

namespace blockyard::ga {

namespace {

constexpr std::uint64_t guard = 0xB10C4A2DB10C4A2DU;
constexpr std::size_t guard_bytes = sizeof(guard);

std::size_t aligned(std::size_t bytes) {
  return (bytes + Ma::alignment - 1) / Ma::alignment * Ma::alignment;
}

}  // namespace

void Ma::Release::operator()(std::byte* memory) const noexcept { std::free(memory); }

Ma::Ma(std::size_t stack, std::size_t heap, int fortran_integer)
    : fortran_integer_(fortran_integer),
      bytes_(aligned(stack) + aligned(heap)),
      border_(aligned(heap)) {
  memory_.reset(
      static_cast<std::byte*>(std::aligned_alloc(alignment, std::max(bytes_, alignment))));
  if (!memory_) throw std::bad_alloc();
}

std::optional<std::size_t> Ma::bytes_of(long type, int fortran_integer) {
  const auto kind = garray::kind_of(static_cast<int>(type), fortran_integer);
  return kind ? std::optional(kind->bytes) : std::nullopt;
}

std::size_t Ma::with_overhead(std::size_t bytes) noexcept {
  return aligned(guard_bytes) + aligned(bytes + guard_bytes);
}

std::size_t Ma::heap_end() const {
  if (heap_.empty()) return 0;
  const Block& last = blocks_.at(heap_.rbegin()->second);
  return last.offset + with_overhead(last.bytes) - alignment;
}

std::size_t Ma::stack_begin() const {
  return stack_.empty() ? bytes_ : blocks_.at(stack_.back()).offset - alignment;
}

std::size_t Ma::gap() const { return stack_begin() - heap_end(); }

std::size_t Ma::room_above(bool of_stack) const {
  if (of_stack) {
    const std::size_t least = std::max(border_, heap_end());
    return stack_begin() - std::min(stack_begin(), least);
  }
  const std::size_t most = std::min(border_, stack_begin());
  return most - std::min(most, heap_end());
}

std::size_t Ma::longest_heap_piece(bool up_to_border) const {
  std::size_t longest = up_to_border ? room_above(false) : gap(), at = 0;
  for (const auto& [offset, handle] : heap_) {
    longest = std::max(longest, offset - alignment - at);
    at = offset - alignment + with_overhead(blocks_.at(handle).bytes);
  }
  return longest;
}

void Ma::write_guards(const Block& block) const noexcept {
  std::memcpy(memory_.get() + block.offset - guard_bytes, &guard, guard_bytes);
  std::memcpy(memory_.get() + block.offset + block.bytes, &guard, guard_bytes);
}

long Ma::keep(Block block) {
  write_guards(block);
  const long handle = next_handle_++;
  if (block.is_on_stack)
    stack_.push_back(handle);
  else
    heap_.emplace(block.offset, handle);
  blocks_.emplace(handle, std::move(block));
  return handle;
}

std::optional<long> Ma::push(long type, std::size_t elements, std::string name) {
  const auto width = bytes_of(type, fortran_integer_);
  if (!width || elements > bytes_ / *width) return std::nullopt;
  const std::size_t bytes = elements * *width, wanted = with_overhead(bytes);
  if (wanted > gap()) return std::nullopt;
  return keep({std::move(name), type, elements, stack_begin() - wanted + alignment, bytes, true});
}

std::optional<long> Ma::allocate(long type, std::size_t elements, std::string name) {
  const auto width = bytes_of(type, fortran_integer_);
  if (!width || elements > bytes_ / *width) return std::nullopt;
  const std::size_t bytes = elements * *width, wanted = with_overhead(bytes);
  std::size_t at = 0;
  for (const auto& [offset, handle] : heap_) {
    if (offset - alignment - at >= wanted) break;
    at = offset - alignment + with_overhead(blocks_.at(handle).bytes);
  }
  if (at == heap_end() && wanted > gap()) return std::nullopt;
  return keep({std::move(name), type, elements, at + alignment, bytes, false});
}

const Ma::Block* Ma::find(long handle) const {
  const auto found = blocks_.find(handle);
  return found == blocks_.end() ? nullptr : &found->second;
}

bool Ma::free(long handle) {
  const Block* block = find(handle);
  if (block == nullptr || block->is_on_stack) return false;
  heap_.erase(block->offset);
  blocks_.erase(handle);
  return true;
}

bool Ma::free_piece(long handle, std::size_t elements) {
  const Block* found = find(handle);
  if (found == nullptr || found->is_on_stack || elements > found->elements) return false;
  if (elements == found->elements) return free(handle);
  Block& block = blocks_.at(handle);
  block.bytes -= elements * (block.bytes / block.elements);
  block.elements -= elements;
  write_guards(block);
  return true;
}

bool Ma::pop(long handle) {
  if (stack_.empty() || stack_.back() != handle) return false;
  stack_.pop_back();
  blocks_.erase(handle);
  return true;
}

bool Ma::chop(long handle) {
  if (std::find(stack_.begin(), stack_.end(), handle) == stack_.end()) return false;
  while (stack_.back() != handle) static_cast<void>(pop(stack_.back()));
  return pop(handle);
}

std::optional<long> Ma::next(long handle) const {
  const auto after = blocks_.upper_bound(handle);
  return after == blocks_.end() ? std::nullopt : std::optional(after->first);
}

const Ma::Block* Ma::broken() const {
  for (const auto& [handle, block] : blocks_) {
    const std::byte* data = memory_.get() + block.offset;
    if (std::memcmp(data - guard_bytes, &guard, guard_bytes) != 0 ||
        std::memcmp(data + block.bytes, &guard, guard_bytes) != 0)
      return &block;
  }
  return nullptr;
}

}  // namespace blockyard::ga
