// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace blockyard::plugin {

/// The allocations of a device by address, and the account of their bytes. `Piece` owns the memory
/// at an address. One thread at a time.
template <class Piece>
class Pieces {
 public:
  explicit Pieces(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void add(std::uint64_t address, std::uint64_t bytes, Piece piece) {
    used_bytes_ += bytes;
    pieces_.emplace(address, Entry{bytes, std::move(piece)});
  }
  /// What began at `address`, taken out; nothing if nothing did.
  [[nodiscard]] std::optional<Piece> remove(std::uint64_t address) {
    const auto found = pieces_.find(address);
    if (found == pieces_.end()) return std::nullopt;
    used_bytes_ -= found->second.bytes;
    std::optional<Piece> piece(std::move(found->second.piece));
    pieces_.erase(found);
    return piece;
  }
  template <class Use>
  void remove_all(const Use& use) {
    for (auto& [address, entry] : pieces_) use(entry.piece);
    pieces_.clear();
    used_bytes_ = 0;
  }
  /// The piece that holds `bytes` from `address` on, and the bytes before them; null if none does.
  [[nodiscard]] std::pair<const Piece*, std::uint64_t> find(std::uint64_t address,
                                                            std::uint64_t bytes) const {
    auto next = pieces_.upper_bound(address);
    if (next == pieces_.begin()) return {nullptr, 0};
    const auto& [begin, entry] = *--next;
    const std::uint64_t offset = address - begin;
    if (offset > entry.bytes || bytes > entry.bytes - offset) return {nullptr, 0};
    return {&entry.piece, offset};
  }

  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept { return limit_bytes_ - used_bytes_; }

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    Piece piece;
  };
  std::uint64_t limit_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::map<std::uint64_t, Entry> pieces_;
};

}  // namespace blockyard::plugin
