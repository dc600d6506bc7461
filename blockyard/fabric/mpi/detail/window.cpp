// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::fabric::detail {

namespace {

constexpr std::size_t line_bytes = 64;  // of the processor's caches
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t stripe_bytes = std::size_t{32} << 10;
constexpr std::size_t locks_of_part = 16;

void add(std::byte* to, std::span<const std::byte> values) {
  double sum = 0;
  double value = 0;
  for (std::size_t at = 0; at + sizeof(double) <= values.size(); at += sizeof(double)) {
    std::memcpy(&sum, to + at, sizeof sum);
    std::memcpy(&value, values.data() + at, sizeof value);
    sum += value;
    std::memcpy(to + at, &sum, sizeof sum);
  }
}

}  // namespace

/// A lock in shared memory. Held for the time of a copy of one stripe.
struct alignas(line_bytes) Window::Lock {
  std::atomic<std::uint32_t> is_held;

  /// Another process may have ended while it held the lock: then the run is over, soon.
  void acquire(const std::atomic<bool>& is_over) {
    constexpr int patience = 200;
    for (int tries = 0; is_held.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries < patience) continue;
      if (is_over) throw base::Error(base::Errc::comm, "the run was aborted");
      std::this_thread::yield();
    }
  }
  void release() noexcept { is_held.store(0, std::memory_order_release); }
};

Window::Window(const Node& node, std::vector<std::uint64_t> bytes,
               const std::vector<int>& process_of)
    : parts_(bytes.size()), others_(static_cast<std::size_t>(node.processes())) {
  std::vector<std::uint64_t> ends(others_.size(), 0);  // by process
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    std::uint64_t& end = ends[static_cast<std::size_t>(process_of[rank])];
    parts_[rank].offset = end;
    parts_[rank].size = bytes[rank];
    const std::uint64_t whole = locks_of_part * sizeof(Lock) + bytes[rank];
    end += (whole + page_bytes - 1) / page_bytes * page_bytes;
  }
  memory_ = base::SharedMemory(ends[static_cast<std::size_t>(node.process())]);
  for (std::size_t rank = 0; rank < bytes.size(); ++rank)
    if (process_of[rank] == node.process()) place(parts_[rank], memory_.data());
}

void Window::place(Part& part, std::byte* memory) const noexcept {
  part.locks = reinterpret_cast<Lock*>(memory + part.offset);
  part.bytes = memory + part.offset + locks_of_part * sizeof(Lock);
}

void Window::reach(const Node& node, std::span<const base::MemoryAddress> addresses,
                   const std::vector<int>& process_of) {
  for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
    const int process = process_of[rank];
    if (process == node.process() || !node.reaches(process)) continue;
    base::SharedMemory& memory = others_[static_cast<std::size_t>(process)];
    if (!memory) memory = base::SharedMemory::open(addresses[rank]);
    if (memory) place(parts_[rank], memory.data());
  }
}

void Window::check(int rank, std::size_t offset, std::size_t length) const {
  base::require(rank >= 0 && static_cast<std::size_t>(rank) < parts_.size(),
                "a rank is not in this world");
  const std::uint64_t size = part(rank).size;
  if (offset > size || length > size - offset)
    throw base::Error(base::Errc::bad_input,
                      fmt::format("bytes {} to {} are outside the window of rank {}, {} bytes long",
                                  offset, offset + length, rank, size));
}

void Window::get(int rank, std::size_t offset, std::span<std::byte> into) const noexcept {
  if (!into.empty()) std::memcpy(into.data(), part(rank).bytes + offset, into.size());
}

/// Calls `change(to, first, count)` for the pieces of each stripe, under its lock.
template <class Change>
void Window::change(int rank, std::size_t offset, std::size_t length,
                    const std::atomic<bool>& is_over, const Change& change) {
  const Part& target = part(rank);
  for (std::size_t at = offset; at < offset + length;) {
    const std::size_t stripe = at / stripe_bytes;
    const std::size_t end = std::min((stripe + 1) * stripe_bytes, offset + length);
    // A value that begins in this stripe belongs to it.
    const std::size_t count =
        end == offset + length ? end - at : std::min(offset + length - at, (end - at + 7) / 8 * 8);
    Lock& lock = target.locks[stripe % locks_of_part];
    lock.acquire(is_over);
    change(target.bytes + at, at - offset, count);
    lock.release();
    at += count;
  }
}

void Window::put(int rank, std::size_t offset, std::span<const std::byte> from,
                 const std::atomic<bool>& is_over) {
  change(rank, offset, from.size(), is_over,
         [&](std::byte* to, std::size_t first, std::size_t count) {
           std::memcpy(to, from.data() + first, count);
         });
}

void Window::accumulate(int rank, std::size_t offset, std::span<const std::byte> values,
                        const std::atomic<bool>& is_over) {
  change(rank, offset, values.size(), is_over,
         [&](std::byte* to, std::size_t first, std::size_t count) {
           add(to, values.subspan(first, count));
         });
}

}  // namespace blockyard::fabric::detail
