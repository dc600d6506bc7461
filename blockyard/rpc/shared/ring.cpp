// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/shared/ring.h"

#include <algorithm>
#include <cstring>

#include "blockyard/base/error.h"
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace blockyard::rpc::shared {

namespace {

/// Copied at a time, so that the other end begins before all is there.
constexpr std::size_t stride_bytes = std::size_t{256} << 10;

std::size_t checked(std::uint64_t bytes) {
  if (bytes > ring_bytes)
    throw base::Error(base::Errc::comm, "the other end has corrupted the memory that both share");
  return static_cast<std::size_t>(bytes);
}

/// What an end reads may answer what it wrote: an order that goes through the other process, where
/// the thread sanitizer does not see it.
struct Answers {
#ifdef __SANITIZE_THREAD__
  void ask() { __tsan_release(this); }
  void hear() { __tsan_acquire(this); }
#else
  void ask() {}
  void hear() {}
#endif
} answers;

/// Waits until `count()` is not 0. The flag is set before the count is looked at again, and whoever
/// changes the count looks at the flag after that: one of the two sees the other.
template <class Count>
std::size_t wait_for(const Count& count, std::atomic<std::uint32_t>& waits, const Bell& bell) {
  for (;;) {
    if (const std::size_t now = count(); now > 0) return now;
    waits.store(1);
    if (const std::size_t now = count(); now > 0) return now;
    if (!bell.wait()) return count();
  }
}

}  // namespace

std::size_t RingWriter::room() const { return ring_bytes - checked(written_ - state_.read.load()); }

std::size_t RingWriter::write(std::span<const Bytes> parts) {
  const std::size_t room = wait_for([&] { return this->room(); }, state_.writer_waits, bell_);
  std::size_t all = 0;
  for (Bytes part : parts) {
    while (!part.empty() && all < room) {
      const std::size_t at = written_ % ring_bytes;
      const std::size_t bytes = std::min({part.size(), room - all, ring_bytes - at, stride_bytes});
      std::memcpy(state_.bytes + at, part.data(), bytes);
      part = part.subspan(bytes);
      all += bytes;
      written_ += bytes;
      answers.ask();
      state_.written.store(written_);
      if (state_.reader_waits.load() != 0 && state_.reader_waits.exchange(0) != 0) bell_.ring();
    }
  }
  return all;
}

std::size_t RingReader::filled() const { return checked(state_.written.load() - read_); }

std::size_t RingReader::read(std::span<std::byte> into) {
  const std::size_t filled = wait_for([&] { return this->filled(); }, state_.reader_waits, bell_);
  const std::size_t at = read_ % ring_bytes;
  const std::size_t bytes = std::min({into.size(), filled, ring_bytes - at, stride_bytes});
  if (bytes == 0) return 0;
  answers.hear();
  std::memcpy(into.data(), state_.bytes + at, bytes);
  read_ += bytes;
  state_.read.store(read_);
  if (state_.writer_waits.load() != 0 && state_.writer_waits.exchange(0) != 0) bell_.ring();
  return bytes;
}

}  // namespace blockyard::rpc::shared
