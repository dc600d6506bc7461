// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>

#include "blockyard/base/error.h"
#include "blockyard/device/device.h"

namespace blockyard::bench {

/// Host memory fresh from the system, in whole pages; given back at the end of life.
class HostPages {
 public:
  /// page_bytes  0: those of the system
  explicit HostPages(std::size_t bytes, std::size_t page_bytes = 0)
      : mapped_bytes_(page_bytes == 0 ? bytes : (bytes + page_bytes - 1) / page_bytes * page_bytes),
        bytes_(bytes) {
    void* const data =
        mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(data);
  }
  ~HostPages() { munmap(data_, mapped_bytes_); }
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, bytes_}; }
  [[nodiscard]] std::span<const std::byte> mapped() const noexcept {
    return {data_, mapped_bytes_};
  }
  /// Writes to each page, so that it is there.
  void touch() noexcept {
    constexpr std::size_t small_page = 4096;
    for (std::size_t i = 0; i < bytes_; i += small_page) data_[i] = std::byte{1};
  }

 private:
  std::size_t mapped_bytes_;
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

/// Pages that are locked for as long as this lives.
class Locked {
 public:
  Locked(device::Device& device, const HostPages& pages) : device_(device), pages_(pages) {
    if (!device_.lock_host(pages_.mapped()))
      throw base::Error(base::Errc::no_memory, "the system locks no memory for the bench");
  }
  ~Locked() {
    try {
      device_.unlock_host(pages_.mapped().data());
    } catch (const base::Error&) {
      return;  // the next use of the device says why
    }
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  device::Device& device_;
  const HostPages& pages_;
};

/// In pages of how many bytes the device locks host memory; 0: it locks none.
[[nodiscard]] inline std::size_t lock_page_bytes(const device::Device& device) {
  return static_cast<std::size_t>(device.describe().lock_page_bytes);
}

}  // namespace blockyard::bench
