// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::base {
namespace {

/// From this size on, memory comes in huge pages if the system has them: a permutation touches many
/// pages at once, more than the processor remembers of the small ones.
constexpr std::size_t huge_from = std::size_t{2} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = 4096;

constexpr std::align_val_t alignment(std::size_t bytes) noexcept {
  if (bytes >= huge_from) return std::align_val_t{huge_page};
  return std::align_val_t{bytes >= BufferPool::page_from ? page : 64};
}

std::byte* map_own(std::size_t bytes) noexcept {
  void* const data = ::operator new(bytes, alignment(bytes), std::nothrow);
  if (data != nullptr && bytes >= huge_from)
    static_cast<void>(madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE));
  return static_cast<std::byte*>(data);
}

void unmap(std::byte* data, std::size_t bytes) noexcept {
  ::operator delete(data, alignment(bytes));
}

constexpr std::size_t steps = 8;  ///< size classes between two powers of two
/// So many classes above its own a buffer may lie: blocks whose segments differ by one take turns.
constexpr std::size_t best_fit_classes = 2;

/// Bytes of a buffer in class k: class 8 e + s holds 64 * 2^e * (1 + s/8), in whole cache lines.
constexpr std::size_t bytes_of_class(std::size_t k) noexcept {
  const std::size_t power = std::size_t{64} << (k / steps);
  const std::size_t bytes = power + power / steps * (k % steps);
  return (bytes + 63) / 64 * 64;
}
static_assert(bytes_of_class(9 * steps) == BufferPool::shared_from &&
              (BufferPool::shared_from / steps) % SharedArena::page_bytes == 0);
static_assert(bytes_of_class(10 * steps) == BufferPool::page_from &&
              (BufferPool::page_from / steps) % page == 0);

}  // namespace

Buffer::~Buffer() {
  if (pool_ != nullptr) pool_->release(data_, class_);
}

void Buffer::resize(std::size_t size) {
  require(BufferPool::class_of(size) == BufferPool::class_of(size_),
          "a buffer changes its length within its size class only");
  size_ = size;
}

BufferPool::~BufferPool() { free_at_least(kept_bytes_); }

std::size_t BufferPool::class_of(std::size_t size) noexcept {
  if (size <= 64) return 0;
  const auto exponent = static_cast<std::size_t>(std::bit_width((size - 1) / 64)) - 1;
  std::size_t k = exponent * steps;
  while (k < class_count && bytes_of_class(k) < size) ++k;
  return k;
}

std::size_t BufferPool::charge(std::size_t size) noexcept { return bytes_of_class(class_of(size)); }

Buffer BufferPool::allocate(std::size_t size) {
  std::size_t k = class_of(size);
  if (k >= class_count) throw Error(Errc::no_memory, "a block is larger than any memory");
  std::unique_lock lock(mutex_);
  std::byte* data = take_kept(k);
  const std::size_t bytes = bytes_of_class(k);
  bool is_new = false;
  if (data == nullptr) {
    data = take_new(bytes, is_new);
    if (data == nullptr)
      throw Error(
          Errc::no_memory,
          fmt::format(
              "out of memory: could not allocate another {} (in use: {}); set a smaller --memory",
              format_bytes(static_cast<std::int64_t>(bytes)),
              format_bytes(static_cast<std::int64_t>(live_bytes_))));
  }
  if (Chunks::Chunk* const chunk = chunk_of(data); chunk != nullptr) ++chunk->in_use;
  live_bytes_ += bytes;
  peak_live_bytes_ = std::max(peak_live_bytes_, live_bytes_);
  return Buffer(this, data, size, k, is_new);
}

void BufferPool::make_room(std::size_t bytes) noexcept {
  if (live_bytes_ + kept_bytes_ + bytes > keep_bytes_)
    free_at_least(live_bytes_ + kept_bytes_ + bytes - keep_bytes_);
}

/// Null: the system has no more. `is_new`: it was asked.
std::byte* BufferPool::take_new(std::size_t bytes, bool& is_new) {
  if (std::byte* const data = cut(bytes, is_new)) return data;
  is_new = true;
  make_room(bytes);
  return map(bytes);
}

/// A piece of a chunk, which may have to be made; null: this length is not cut.
std::byte* BufferPool::cut(std::size_t bytes, bool& is_new) {
  if (!chunks_) return nullptr;
  const auto memory = is_shared(bytes) ? Chunks::Memory::shared : Chunks::Memory::own;
  // A long chunk has huge pages as a whole, its pieces need not begin at one.
  const std::size_t begins_at = std::min(static_cast<std::size_t>(alignment(bytes)), page);
  std::byte* data = chunks_->cut(memory, bytes, begins_at);
  if (const std::size_t length = chunks_->chunk_for(bytes); data == nullptr && length > 0) {
    // Where a whole chunk has no room, the piece alone may have.
    if (live_bytes_ + length > keep_bytes_) return nullptr;
    make_room(length);
    if (live_bytes_ + kept_bytes_ + length > keep_bytes_) return nullptr;
    std::byte* const chunk = is_shared(bytes) ? arena_->allocate(length) : map_own(length);
    if (chunk == nullptr) return nullptr;
    chunks_->add(memory, chunk, length);
    kept_bytes_ += length;
    is_new = true;
    data = chunks_->cut(memory, bytes, begins_at);
  }
  if (data != nullptr) kept_bytes_ -= bytes;
  return data;
}

Chunks::Chunk* BufferPool::chunk_of(const std::byte* data) noexcept {
  return chunks_ ? chunks_->find(data) : nullptr;
}

void BufferPool::cut_from_chunks() {
  const std::lock_guard lock(mutex_);
  constexpr std::size_t share_of_chunks = 16;
  if (!chunks_) chunks_.emplace(keep_bytes_ / share_of_chunks);
}

std::span<const std::byte> BufferPool::locked_with(std::span<const std::byte> buffer) const {
  const std::lock_guard lock(mutex_);
  const auto whole = chunks_ ? chunks_->whole(buffer.data()) : std::span<const std::byte>();
  return whole.empty() ? buffer : whole;
}

/// Kept memory of the class or, within the limit, of one little above, which it then says.
std::byte* BufferPool::take_kept(std::size_t& memory_class) noexcept {
  const std::size_t last = std::min(memory_class + best_fit_classes, class_count - 1);
  for (std::size_t k = memory_class; k <= last; ++k) {
    const std::size_t bytes = bytes_of_class(k);
    if (kept_[k].empty() || (k > memory_class && live_bytes_ + bytes > keep_bytes_)) continue;
    std::byte* const data = kept_[k].back();
    kept_[k].pop_back();
    kept_bytes_ -= bytes;
    memory_class = k;
    return data;
  }
  return nullptr;
}

void BufferPool::release(std::byte* data, std::size_t memory_class) noexcept {
  const std::size_t bytes = bytes_of_class(memory_class);
  const std::lock_guard lock(mutex_);
  live_bytes_ -= bytes;
  Chunks::Chunk* const chunk = chunk_of(data);
  if (chunk != nullptr) --chunk->in_use;
  // Of a chunk nothing can go alone.
  if (chunk != nullptr || live_bytes_ + kept_bytes_ + bytes <= keep_bytes_) {
    try {
      kept_[memory_class].push_back(data);
      kept_bytes_ += bytes;
      return;
    } catch (const std::bad_alloc&) {  // no room to remember it: free it
    }
  }
  if (chunk == nullptr)
    free(data, bytes);
  else
    kept_bytes_ += bytes;  // until its chunk goes
}

void BufferPool::free(std::byte* data, std::size_t bytes) noexcept {
  if (leaves_) leaves_(data);
  if (arena_ && arena_->holds(data))
    arena_->release(data, bytes);
  else
    unmap(data, bytes);
}

const SharedArena* BufferPool::share() noexcept {
  try {
    if (!arena_) arena_.emplace(keep_bytes_);
    return &*arena_;
  } catch (const Error&) {
    return nullptr;
  }
}

bool BufferPool::is_shared(std::size_t bytes) const noexcept {
  return arena_ && bytes >= shared_from && bytes < huge_from;
}

/// Memory from the system.
std::byte* BufferPool::map(std::size_t bytes) noexcept {
  if (is_shared(bytes))
    if (std::byte* const data = arena_->allocate(bytes)) return data;
  return map_own(bytes);
}

void BufferPool::free_kept() noexcept {
  const std::lock_guard lock(mutex_);
  free_at_least(kept_bytes_);
}

void BufferPool::free_at_least(std::size_t wanted) noexcept {
  for (std::size_t k = class_count; k-- > 0 && wanted > 0;) {
    const std::size_t bytes = bytes_of_class(k);
    std::vector<std::byte*>& kept = kept_[k];
    for (std::size_t at = kept.size(); at-- > 0 && wanted > 0;) {
      if (chunk_of(kept[at]) != nullptr) continue;
      free(kept[at], bytes);
      kept[at] = kept.back();
      kept.pop_back();
      kept_bytes_ -= bytes;
      wanted -= std::min(wanted, bytes);
    }
  }
  if (wanted > 0) free_idle_chunks(wanted);
}

void BufferPool::free_idle_chunks(std::size_t wanted) noexcept {
  while (chunks_ && wanted > 0) {
    const auto idle = chunks_->take_idle();
    if (!idle) break;
    for (auto& kept : kept_)
      std::erase_if(kept, [&](const std::byte* data) {
        return data >= idle->data() && data < idle->data() + idle->size();
      });
    free(idle->data(), idle->size());
    kept_bytes_ -= idle->size();
    wanted -= std::min(wanted, idle->size());
  }
}

std::size_t BufferPool::live_bytes() const {
  const std::lock_guard lock(mutex_);
  return live_bytes_;
}

std::size_t BufferPool::peak_live_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_live_bytes_;
}

}  // namespace blockyard::base
