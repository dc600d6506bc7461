// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/spiller.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/server/block_memory.h"

namespace blockyard::server {

Spiller::Spiller() {
  threads_.reserve(queue_depth);
  try {
    for (std::uint8_t k = 0; k < queue_depth; ++k) threads_.emplace_back([this, k] { work(k); });
  } catch (const std::system_error&) {  // one thread is enough, if the system refuses more
    if (threads_.empty()) throw;
  }
}

Spiller::~Spiller() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Spiller::start(Transfer transfer) {
  {
    const std::lock_guard lock(mutex_);
    (transfer.from ? writes_ : reads_).push_back(std::move(transfer));
  }
  ++in_flight_;
  has_work_.notify_one();
}

std::vector<Transfer> Spiller::take_finished() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  in_flight_ -= finished_.size();
  return std::exchange(finished_, {});
}

void Spiller::wait(double seconds) {
  std::unique_lock lock(mutex_);
  has_finished_.wait_for(lock, std::chrono::duration<double>(seconds),
                         [&] { return !finished_.empty() || failure_; });
}

void Spiller::work(std::uint8_t lane) {
  store::RecordPages pages;
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [&] { return is_over_ || !reads_.empty() || !writes_.empty(); });
    if (is_over_ || failure_) return;
    auto& queue = reads_.empty() ? writes_ : reads_;
    Transfer transfer = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    transfer.lane = lane;
    transfer.begin_seconds = base::now_seconds();
    std::exception_ptr failure;
    try {
      carry_out(transfer, pages);
    } catch (...) {
      failure = std::current_exception();
    }
    transfer.seconds = static_cast<float>(base::now_seconds() - transfer.begin_seconds);
    lock.lock();
    // Also after a failure: slots end on the server's thread only.
    finished_.push_back(std::move(transfer));
    if (failure && !failure_) failure_ = failure;
    has_finished_.notify_one();
  }
}

void Spiller::carry_out(Transfer& transfer, store::RecordPages& pages) {
  if (transfer.from) {
    transfer.file->write(transfer.place, transfer.from->bytes(), pages);
  } else if (transfer.lent != nullptr) {
    transfer.lent->read(transfer.number, transfer.into->bytes());
  } else {
    transfer.file->read(transfer.place, transfer.into->bytes(), pages);
  }
}

}  // namespace blockyard::server
