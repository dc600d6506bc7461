// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/chunks.h"

#include <algorithm>
#include <iterator>

namespace blockyard::base {
namespace {

constexpr std::size_t least_chunk_bytes = std::size_t{512} << 10;
constexpr std::size_t most_chunk_bytes = std::size_t{64} << 20;
/// A piece is at most this part of its chunk: less than that is lost at its end.
constexpr std::size_t least_pieces = 4;

/// The entry of the chunk that a piece was cut from, or the end.
template <class Map>
auto entry_of(Map& chunks, const std::byte* piece) {
  const auto after = chunks.upper_bound(piece);
  if (after == chunks.begin()) return chunks.end();
  const auto found = std::prev(after);
  return piece < found->first + found->second.bytes ? found : chunks.end();
}

}  // namespace

/// A multiple of the least length: of whole pages, whatever the limit.
std::size_t Chunks::chunk_for(std::size_t piece_bytes) const noexcept {
  const std::size_t wanted = std::max(bytes_ / 2, least_pieces * piece_bytes);
  const std::size_t units =
      std::min({wanted / least_chunk_bytes + 1, most_chunk_bytes / least_chunk_bytes,
                (limit_bytes_ - bytes_) / least_chunk_bytes});
  const std::size_t bytes = units * least_chunk_bytes;
  return piece_bytes > bytes / least_pieces ? 0 : bytes;
}

void Chunks::add(Memory memory, std::byte* data, std::size_t bytes) {
  chunks_.emplace(data, Chunk{memory, bytes, 0, 0});
  bytes_ += bytes;
}

std::byte* Chunks::cut(Memory memory, std::size_t bytes, std::size_t alignment) noexcept {
  for (auto& [begin, chunk] : chunks_) {
    const std::size_t at = (chunk.cut_bytes + alignment - 1) / alignment * alignment;
    if (chunk.memory != memory || at + bytes > chunk.bytes) continue;
    chunk.cut_bytes = at + bytes;
    return const_cast<std::byte*>(begin) + at;
  }
  return nullptr;
}

Chunks::Chunk* Chunks::find(const std::byte* piece) noexcept {
  const auto found = entry_of(chunks_, piece);
  return found == chunks_.end() ? nullptr : &found->second;
}

std::span<const std::byte> Chunks::whole(const std::byte* piece) const noexcept {
  const auto found = entry_of(chunks_, piece);
  if (found == chunks_.end()) return {};
  return {found->first, found->second.bytes};
}

std::optional<std::span<std::byte>> Chunks::take_idle() noexcept {
  const auto found =
      std::ranges::find_if(chunks_, [](const auto& entry) { return entry.second.in_use == 0; });
  if (found == chunks_.end()) return std::nullopt;
  const std::span<std::byte> memory(const_cast<std::byte*>(found->first), found->second.bytes);
  bytes_ -= memory.size();
  chunks_.erase(found);
  return memory;
}

}  // namespace blockyard::base
