// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host_locks.h"

#include <algorithm>
#include <new>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::device {

HostLocks::HostLocks(Device& device, std::int64_t limit_bytes, std::function<void()> trim,
                     With with)
    : device_(device), trim_(std::move(trim)), with_(std::move(with)), limit_bytes_(limit_bytes) {
  try {
    page_bytes_ = static_cast<std::size_t>(device.describe().lock_page_bytes);
  } catch (const base::Error&) {  // users of the device will see it fail
  }
}

HostLocks::~HostLocks() {
  while (!locked_.empty()) end(locked_.begin());
}

HostLocks::Answer HostLocks::lock(const std::byte* data, std::size_t bytes) noexcept {
  if (page_bytes_ == 0 || bytes < least_bytes()) return Answer::not_asked;
  if (with_) {
    const std::span<const std::byte> whole = with_({data, bytes});
    data = whole.data();
    bytes = whole.size();
  }
  for (const bool is_first : {true, false}) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = locked_.find(data); found != locked_.end()) {
        if (found->second >= bytes) return Answer::was_locked;
        end(found);
      }
      if (bytes >= refused_bytes_) return Answer::refused;
      if (try_lock(data, bytes)) return Answer::locked_now;
      if (!is_first) refused_bytes_ = bytes;
    }
    if (is_first) trim_();
  }
  return Answer::refused;
}

bool HostLocks::try_lock(const std::byte* data, std::size_t bytes) noexcept {
  const auto more = static_cast<std::int64_t>(bytes);
  if (locked_bytes_ + more > limit_bytes_) return false;
  try {
    const auto at = locked_.emplace(data, bytes).first;
    try {
      if (device_.lock_host({data, bytes})) {
        locked_bytes_ += more;
        peak_bytes_ = std::max(peak_bytes_, locked_bytes_);
        return true;
      }
    } catch (const base::Error&) {
    }
    locked_.erase(at);
  } catch (const std::bad_alloc&) {  // no room to remember it
  }
  return false;
}

void HostLocks::unlock(const std::byte* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = locked_.find(data);
  if (found == locked_.end()) return;
  end(found);
  refused_bytes_ = SIZE_MAX;
}

void HostLocks::end(std::unordered_map<const std::byte*, std::size_t>::iterator at) noexcept {
  try {
    device_.unlock_host(at->first);
  } catch (const base::Error&) {  // a lost device holds nothing
  }
  locked_bytes_ -= static_cast<std::int64_t>(at->second);
  locked_.erase(at);
}

std::int64_t HostLocks::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

}  // namespace blockyard::device
