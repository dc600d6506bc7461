// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/pool.h"

namespace blockyard::device::host {

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  begins_.notify_all();
  for (std::thread& other : others_) other.join();
}

/// If the system provides no more threads, their shares are computed by the calling thread. A
/// thread that starts later has no part in the rounds before.
void Pool::start() {
  try {
    while (static_cast<int>(others_.size()) + 1 < threads_)
      others_.emplace_back([this, number = static_cast<int>(others_.size()) + 1, seen = round_] {
        work(number, seen);
      });
  } catch (const std::system_error&) {
  }
}

void Pool::share(std::int64_t count, const Body& body) {
  const std::unique_lock sharing(sharing_, std::try_to_lock);
  if (!sharing || threads_ < 2 || count < 2) return body(0, count);
  start();
  {
    const std::lock_guard lock(mutex_);
    count_ = count;
    body_ = &body;
    ++round_;
    working_ = static_cast<int>(others_.size());
  }
  begins_.notify_all();
  run_share(0);
  for (int missing = static_cast<int>(others_.size()) + 1; missing < threads_; ++missing)
    run_share(missing);
  std::unique_lock lock(mutex_);
  ends_.wait(lock, [this] { return working_ == 0; });
}

void Pool::run_share(int number) const {
  const std::int64_t begin = count_ * number / threads_, end = count_ * (number + 1) / threads_;
  if (begin < end) (*body_)(begin, end);
}

void Pool::work(int number, std::uint64_t seen) {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begins_.wait(lock, [&] { return is_ending_ || round_ != seen; });
      if (is_ending_) return;
      seen = round_;
    }
    run_share(number);
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) ends_.notify_one();
  }
}

}  // namespace blockyard::device::host
