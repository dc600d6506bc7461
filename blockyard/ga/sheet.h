// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "blockyard/fabric/memory.h"

namespace blockyard::ga {

/// A number that one thread adds to and any may read.
class Count {
 public:
  Count() = default;
  Count(const Count& other) noexcept : value_(other.value()) {}
  Count& operator=(const Count& other) noexcept {
    value_.store(other.value(), std::memory_order_relaxed);
    return *this;
  }
  ~Count() = default;
  void add(std::uint64_t more) noexcept { value_.store(value() + more, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// The counts of one thread for a report, by place in the program. Its thread adds without a lock;
/// it holds the report's mutex when a place or an element is new, and readers hold it.
class Sheet {
 public:
  struct Place {
    const char* name = "";
    void* at = nullptr;  ///< in the caller's code
    Count calls, nanoseconds;
    std::array<Count, 6> sizes = {};  ///< transfers up to 64 bytes, 1, 16, 256 KiB, 4 MiB
    std::vector<Count> bytes = {};    ///< by rank
    bool is_long = false;             ///< the thread's: calls take so long that each is measured
  };
  struct Element {
    fabric::Region region = -1;
    int member = -1;
    std::size_t offset = 0;
    friend auto operator<=>(const Element&, const Element&) = default;
  };

  explicit Sheet(std::mutex& mutex) : mutex_(mutex) {}

  // Its thread.
  [[nodiscard]] Place& place(const char* name, void* at) {
    Slot& slot = slots_[(reinterpret_cast<std::uintptr_t>(at) >> 2) % slots_.size()];
    if (slot.at != at || slot.place == nullptr) slot = {at, &find(name, at, at)};
    return *slot.place;
  }
  /// The place that a key of the caller's choice stands for.
  [[nodiscard]] Place& find(const char* name, void* at, const void* key);
  /// The call at this place moved bytes from or to the memory of a rank.
  void add_bytes(Place& place, int rank, std::size_t bytes);
  /// One element was moved or counted.
  void add_element(const Element& element);

  // Under the mutex.
  [[nodiscard]] const std::unordered_map<const void*, Place>& places() const noexcept {
    return places_;
  }
  /// Takes the elements of a region, whose memory ends.
  void take(fabric::Region region, std::map<Element, std::uint64_t>& uses);

 private:
  struct Slot {
    void* at = nullptr;
    Place* place = nullptr;
  };
  struct Uses {
    Count count;
    bool is_ended = false;
  };
  struct Hash {
    std::size_t operator()(const Element& element) const noexcept {
      return (element.offset / 4 * 31 + static_cast<std::size_t>(element.member)) * 31 +
             static_cast<std::size_t>(element.region);
    }
  };

  std::mutex& mutex_;
  std::array<Slot, 64> slots_ = {};
  std::unordered_map<const void*, Place> places_;
  std::unordered_map<Element, Uses, Hash> elements_;
  std::atomic<bool> must_purge_ = false;  ///< some of elements_ have ended
};

}  // namespace blockyard::ga
