// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/base/chunks.h"
#include "blockyard/base/shared_arena.h"

namespace blockyard::base {

class BufferPool;

/// Sole owner of 64-byte aligned memory from a BufferPool; goes back there at its end. The memory
/// must not outlive the pool.
class Buffer {
 public:
  Buffer() = default;
  /// Memory lent by another process: never written, released or locked here.
  [[nodiscard]] static Buffer lent(std::byte* data, std::size_t size) noexcept {
    return {nullptr, data, size, 0, false};
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        class_(other.class_),
        is_new_(other.is_new_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(class_, other.class_);
    std::swap(is_new_, other.is_new_);
    return *this;
  }
  ~Buffer();

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }
  /// Whether its memory is new from the system rather than reused by the pool.
  [[nodiscard]] bool is_new() const noexcept { return is_new_; }
  [[nodiscard]] bool is_lent() const noexcept { return pool_ == nullptr && data_ != nullptr; }
  /// Changes the length within the same size class.
  void resize(std::size_t size);
  /// The same memory seen as values of type T.
  template <class T>
  [[nodiscard]] T* as() noexcept {
    return reinterpret_cast<T*>(data_);
  }
  template <class T>
  [[nodiscard]] const T* as() const noexcept {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  friend class BufferPool;
  Buffer(BufferPool* pool, std::byte* data, std::size_t size, std::size_t memory_class,
         bool is_new) noexcept
      : pool_(pool), data_(data), size_(size), class_(memory_class), is_new_(is_new) {}
  BufferPool* pool_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t class_ = 0;  ///< of the memory: that of the size, or slightly above
  bool is_new_ = false;
};

/// Memory of one process by size class (classes grow by an eighth: at most 12.5 % is lost).
/// Keeps released memory for requests of the same class or, if there is none, of one slightly
/// smaller, so that a steady state neither maps nor faults pages; kept memory is freed first when
/// `keep_bytes` would be exceeded. From `page_from` on memory begins at a page and fills whole
/// ones. How much each user may hold is decided above (each rank has a budget); the pool only
/// counts. Any thread: mutex_ guards all.
class BufferPool {
 public:
  /// keep_bytes: live and kept memory together stay below, as far as freeing kept memory can do it.
  explicit BufferPool(std::size_t keep_bytes) : keep_bytes_(keep_bytes) {}
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  /// Memory of `size` bytes, contents undefined. Throws Error{no_memory}.
  [[nodiscard]] Buffer allocate(std::size_t size);
  /// The bytes that a buffer of `size` takes here.
  [[nodiscard]] static std::size_t charge(std::size_t size) noexcept;
  /// The size class of `size`, below class_count unless no memory is as large.
  [[nodiscard]] static std::size_t class_of(std::size_t size) noexcept;
  static constexpr std::size_t class_count = 512;

  /// Called before memory goes back to the system, for code that locked its pages. Empty: no call.
  /// Not while others use the pool; the function calls nothing here.
  void on_leave(std::function<void(const std::byte*)> leaves) { leaves_ = std::move(leaves); }
  static constexpr std::size_t page_from = std::size_t{64} << 10;

  /// From now on memory of shared_from up to 2 MiB, where huge pages begin, is shared: other
  /// processes of this node can map it. Returns the arena, or null if the system has none: then
  /// nothing changes. Not while others use the pool.
  [[nodiscard]] const SharedArena* share() noexcept;
  static constexpr std::size_t shared_from = std::size_t{32} << 10;
  /// Whether a buffer of this size is shared, while there is room.
  [[nodiscard]] bool is_shared(std::size_t bytes) const noexcept;

  /// From now on shorter pieces are cut from chunks, which take up to a sixteenth of keep_bytes:
  /// for code that locks pages, which is slow and best done for many at a time.
  void cut_from_chunks();
  /// The memory to lock for a buffer: that of its chunk, or its own.
  [[nodiscard]] std::span<const std::byte> locked_with(std::span<const std::byte> buffer) const;

  /// Frees kept memory, before a phase that needs other lengths.
  void free_kept() noexcept;

  [[nodiscard]] std::size_t live_bytes() const;
  [[nodiscard]] std::size_t peak_live_bytes() const;

 private:
  friend class Buffer;
  [[nodiscard]] std::byte* take_kept(std::size_t& memory_class) noexcept;
  [[nodiscard]] std::byte* map(std::size_t bytes) noexcept;
  [[nodiscard]] std::byte* take_new(std::size_t bytes, bool& is_new);
  [[nodiscard]] std::byte* cut(std::size_t bytes, bool& is_new);
  void make_room(std::size_t bytes) noexcept;
  [[nodiscard]] Chunks::Chunk* chunk_of(const std::byte* data) noexcept;
  void free_idle_chunks(std::size_t wanted) noexcept;
  void release(std::byte* data, std::size_t memory_class) noexcept;
  void free(std::byte* data, std::size_t bytes) noexcept;
  void free_at_least(std::size_t wanted) noexcept;

  mutable std::mutex mutex_;
  std::array<std::vector<std::byte*>, class_count> kept_;
  std::function<void(const std::byte*)> leaves_;
  std::optional<SharedArena> arena_;
  std::optional<Chunks> chunks_;
  std::size_t keep_bytes_;
  std::size_t live_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
  std::size_t peak_live_bytes_ = 0;
};

/// Whether the caller is the sole holder of the buffer, among all processes, and so may write.
/// use_count() alone orders nothing; dropping a second reference reads and writes the counter, so
/// that the last other holder's accesses happen before the caller's.
template <class AnyBuffer>
[[nodiscard]] bool is_sole_holder(const std::shared_ptr<AnyBuffer>& buffer) noexcept {
  if (buffer.use_count() != 1 || buffer->is_lent()) return false;
  { const std::shared_ptr<AnyBuffer> second = buffer; }
  return true;
}

}  // namespace blockyard::base
