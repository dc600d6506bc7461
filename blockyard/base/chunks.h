// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace blockyard::base {

/// Tracks which pieces of memory were cut from which chunks. A chunk is half as long as all before
/// it together, and has room for several of the pieces it is made for: so chunks are few, and
/// little memory lies uncut. Pieces are used again as they were cut; a chunk goes as a whole, when
/// none of its pieces is in use. The caller owns the memory itself. Not thread-safe.
class Chunks {
 public:
  enum class Memory : std::uint8_t { own, shared };
  struct Chunk {
    Memory memory = Memory::own;
    std::size_t bytes = 0;
    std::size_t cut_bytes = 0;  ///< from its begin
    std::size_t in_use = 0;     ///< pieces
  };

  /// Chunks take up to limit_bytes in total.
  explicit Chunks(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// The length of the chunk to be added for a piece; 0 if the piece is too long or there is
  /// not enough room for another chunk.
  [[nodiscard]] std::size_t chunk_for(std::size_t piece_bytes) const noexcept;
  void add(Memory memory, std::byte* data, std::size_t bytes);
  /// A piece of a chunk, which begins at a multiple of `alignment`; null: no room.
  [[nodiscard]] std::byte* cut(Memory memory, std::size_t bytes, std::size_t alignment) noexcept;
  /// The chunk of a piece; null if it was cut from none.
  [[nodiscard]] Chunk* find(const std::byte* piece) noexcept;
  /// All of the memory of a piece's chunk, or nothing.
  [[nodiscard]] std::span<const std::byte> whole(const std::byte* piece) const noexcept;
  /// Forgets a chunk of which no piece is in use, and says where it is; nothing if there is none.
  [[nodiscard]] std::optional<std::span<std::byte>> take_idle() noexcept;

 private:
  std::map<const std::byte*, Chunk> chunks_;  ///< by address
  std::size_t limit_bytes_;
  std::size_t bytes_ = 0;
};

}  // namespace blockyard::base
