// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "plugins/device_cuda/stand_in/order.h"

namespace blockyard::cuda::stand_in {

struct Settings {
  std::uint64_t seed = 0;                ///< of Order
  std::uint64_t has_pools = 1;           ///< stream-ordered memory
  std::uint64_t has_peers = 1;           ///< the devices can reach each other's memory
  std::uint64_t device_bytes = 1 << 30;  ///< of each device
};
constexpr int device_count = 2;

/// Memory that a piece of work uses.
struct Access {
  const void* at;
  std::uint64_t bytes;
  bool writes;
  bool is_host = false;
};
[[nodiscard]] inline Access reading(const void* at, std::uint64_t bytes) {
  return {at, bytes, false};
}
[[nodiscard]] inline Access writing(const void* at, std::uint64_t bytes) {
  return {at, bytes, true};
}

/// Who uses which memory when. Addresses of devices are nowhere in memory, and none comes twice.
/// One thread at a time.
class Books {
 public:
  explicit Books(const Settings& settings)
      : settings_(settings), order_(settings.seed), devices_(device_count) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Order& order() { return order_; }

  /// Null: the device is full.
  [[nodiscard]] void* allocate(int device, std::uint64_t bytes);
  /// From the pool of the stream's device, in the order of the stream.
  [[nodiscard]] void* allocate(Stream& stream, std::uint64_t bytes);
  void release(void* address);
  void release(void* address, Stream& stream);
  [[nodiscard]] std::uint64_t free_bytes(int device) const;
  /// The pool gives back what nobody uses.
  void trim(int device);
  /// From now on `device` reaches memory of `other`: what cudaMalloc made, or the pool's.
  void let_reach(int device, int other, bool of_pool);
  [[nodiscard]] bool reaches(int device, int other) const;

  /// False: a part is locked already.
  [[nodiscard]] bool lock_host(void* begin, std::uint64_t bytes);
  void unlock_host(void* begin);
  /// Whether work that has not ended uses the memory of the host.
  [[nodiscard]] bool is_host_used(const void* begin, std::uint64_t bytes) const;

  /// Fails if another piece of work uses the memory at the same time, or the memory is not there.
  void enqueue(Stream& stream, const char* what, const std::vector<Access>& accesses,
               std::function<void()> run);
  /// What stands for an address, for work that runs; an address of the host is its own.
  template <class T>
  [[nodiscard]] T* place(T* at) {
    return reinterpret_cast<T*>(const_cast<std::byte*>(place_of(at)));
  }
  [[nodiscard]] static bool is_of_device(const void* at);

  /// Fails if anything is left.
  void expect_empty() const;

 private:
  struct Use {
    Access access;
    Moment moment;
    const char* what;
  };
  struct Memory {
    std::uint64_t bytes;
    int device;
    bool is_pooled;
    Moment made;
    bool is_released = false;
    std::vector<std::byte> storage;  ///< until the release runs
    std::vector<Use> uses;           ///< that the host has not seen end
  };
  struct Device {
    std::uint64_t taken_bytes = 0;                ///< with what the pool keeps
    std::set<int> reached, reached_pools;         ///< devices
    std::multimap<std::uint64_t, Moment> kept{};  ///< by the pool: length, and the release
  };
  [[nodiscard]] bool take(int device, std::uint64_t bytes);
  [[nodiscard]] void* add(int device, std::uint64_t bytes, Moment made, bool is_pooled);
  using Entry = std::pair<const std::byte* const, Memory>;
  /// That begins there or last before.
  [[nodiscard]] Entry& entry_of(const void* at, const char* what);
  [[nodiscard]] Memory& released(void* address, bool to_pool);
  [[nodiscard]] Memory& checked(const Access& access, const Stream& stream, const char* what);
  void note(std::vector<Use>& uses, const Use& use, const Stream& stream);
  [[nodiscard]] const std::byte* place_of(const void* at);

  Settings settings_;
  Order order_;
  std::vector<Device> devices_;
  std::uint64_t next_ = 0;                            ///< offset of the next address
  std::map<const std::byte*, Memory> memory_;         ///< what was released, too
  std::vector<Use> host_uses_;                        ///< as Memory::uses
  std::map<const std::byte*, std::uint64_t> locked_;  ///< bytes
};

}  // namespace blockyard::cuda::stand_in
