// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/background.h"

#include <utility>

namespace blockyard::garray {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  given_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Background::set_most_bytes(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  most_bytes_ = bytes;
}

Background::Ticket Background::start(std::size_t bytes, std::function<void()> work) {
  std::unique_lock lock(mutex_);
  // One piece of work may be larger than all that is allowed.
  done_.wait(lock, [&] { return held_bytes_ == 0 || held_bytes_ + bytes <= most_bytes_; });
  throw_if_failed();
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  held_bytes_ += bytes;
  queue_.push_back({bytes, std::move(work)});
  given_.notify_one();
  return ++started_;
}

bool Background::is_done(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  throw_if_failed();
  return finished_ >= ticket;
}

void Background::wait(Ticket ticket) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return finished_ >= ticket; });
  throw_if_failed();
}

void Background::throw_if_failed() {
  if (failure_) std::rethrow_exception(failure_);
}

void Background::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    given_.wait(lock, [&] { return is_ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Given next = std::move(queue_.front());
    queue_.pop_front();
    std::exception_ptr failure = failure_;
    lock.unlock();
    if (!failure) {
      try {
        next.work();
      } catch (...) {
        failure = std::current_exception();
      }
    }
    next.work = nullptr;  // what it holds goes before it counts as done
    lock.lock();
    failure_ = failure;
    held_bytes_ -= next.bytes;
    ++finished_;
    done_.notify_all();
  }
}

}  // namespace blockyard::garray
