// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/current_error.h"

namespace blockyard::remote {

using base::Errc;
using base::Error;

namespace {

/// Of a device that wait; receiving waits for room. Some 10 MB.
constexpr std::size_t most_tasks = std::size_t{1} << 14;

/// Empty where there is no memory for it: nothing may leave the thread of a lane.
std::string text_of(const auto& tell) noexcept {
  try {
    return tell();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

Lane::Lane(Exported& device, std::uint32_t stream)
    : device_(device), number_(stream), turn_(device.seat_) {
  if (device_.source_.table->stream_open(device_.device_, &stream_) != BLOCKYARD_OK)
    throw Error(Errc::device, device_.last_error());
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::exception&) {
    static_cast<void>(device_.source_.table->stream_close(device_.device_, stream_));
    throw;
  }
}

Lane::~Lane() { stop(); }

void Lane::stop() noexcept {
  if (!thread_.joinable()) return;
  end();
  thread_.join();
  static_cast<void>(device_.source_.table->stream_close(device_.device_, stream_));
}

void Lane::end() noexcept {
  {
    const std::lock_guard lock(device_.mutex_);
    is_ended_ = true;
    device_.changed_.notify_all();
  }
  device_.seat_.wake();
}

void Lane::add(std::uint64_t sequence, Work work, Kept kept, bool keeps_turn) {
  add({sequence, std::move(work), std::move(kept), keeps_turn});
  last_work_ = sequence;
}

void Lane::add_landed(std::uint64_t sequence) {
  add({sequence, [] { return BLOCKYARD_OK; }, {}, true});
}

void Lane::add(Task task) {
  if (task.sequence != last_ + 1)
    throw Error(Errc::bad_input,
                fmt::format("work {} of a stream follows work {}", task.sequence, last_));
  last_ = task.sequence;
  std::unique_lock lock(device_.mutex_);
  device_.changed_.wait(lock, [&] { return device_.waiting_tasks_ < most_tasks || is_ended_; });
  ++device_.waiting_tasks_;
  tasks_.push_back(std::move(task));
  device_.changed_.notify_all();
}

void Lane::add_part(std::uint64_t sequence, Work work) {
  add(
      sequence, [this, work = std::move(work)] { return run_part(work); }, {}, true);
}

/// Beside other clients a part is done when its turn ends, so that they meet no work that is
/// enqueued already. Alone the device is kept busy, and the time is counted later.
blockyard_status Lane::run_part(const Work& work) {
  if (!turn_.begin([this] { return is_ended_.load(); })) return BLOCKYARD_FAILED;
  begin_kind(&WorkSeconds::compute);
  const double began = base::now_seconds();
  blockyard_status status = work();
  if (status == BLOCKYARD_OK && turn_.is_shared()) status = settle();
  if (turn_.is_shared() || device_.is_host_memory_) {
    turn_.end(base::now_seconds() - began);
  } else {
    turn_.leave();
    if (unsettled_++ == 0) unsettled_since_ = began;
  }
  return status;
}

void Lane::begin_kind(double WorkSeconds::*kind) {
  if (!device_.is_timed_ || kind_ == kind) return;
  if (kind_ != nullptr) static_cast<void>(settle());  // a failure is noted
  kind_ = kind;
  kind_since_ = base::now_seconds();
}

void Lane::end_kind() {
  if (kind_ == nullptr) return;
  device_.seat_.count_work(std::exchange(kind_, nullptr), base::now_seconds() - kind_since_);
}

void Lane::tell(std::uint64_t sequence) {
  std::unique_lock lock(device_.mutex_);
  asked_ = std::max(asked_, std::min(sequence, last_));
  tell_client(lock, false);
  device_.changed_.notify_all();
}

bool Lane::reach(std::uint64_t sequence) {
  std::unique_lock lock(device_.mutex_);
  wanted_ = std::max(wanted_, sequence);
  device_.changed_.notify_all();
  device_.changed_.wait(lock,
                        [&] { return done_ >= sequence || failed_from_ <= sequence || is_ended_; });
  return done_ >= sequence;
}

bool Lane::is_idle() {
  const std::lock_guard lock(device_.mutex_);
  return done_ >= last_work_ && failed_from_ == UINT64_MAX;
}

bool Lane::has_reached(std::uint64_t sequence) {
  const std::lock_guard lock(device_.mutex_);
  return done_ >= sequence || failed_from_ <= sequence;
}

/// On the host each piece of work is done when the call returns. Elsewhere asking stalls the
/// device, so it is asked only when a caller waits, or much memory is held.
bool Lane::is_to_settle() {
  constexpr std::size_t most_held = 16;
  if (enqueued_ == done_ || failed_from_ != UINT64_MAX) return false;
  return device_.is_host_memory_ || tasks_.empty() || kept_.size() >= most_held ||
         (wanted_ > done_ && wanted_ <= enqueued_);
}

void Lane::work() {
  std::unique_lock lock(device_.mutex_);
  for (;;) {
    if (tasks_.empty()) {
      lock.unlock();
      turn_.leave();
      lock.lock();
    }
    device_.changed_.wait(lock, [&] { return is_ended_ || !tasks_.empty() || is_to_settle(); });
    if (is_ended_) break;
    if (is_to_settle()) {
      lock.unlock();
      static_cast<void>(settle());
      lock.lock();
      continue;
    }
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    if (device_.waiting_tasks_-- == most_tasks) device_.changed_.notify_all();
    lock.unlock();
    take_up(std::move(task));
    lock.lock();
  }
  const std::list<Task> dropped = std::move(tasks_);
  tasks_.clear();
  device_.waiting_tasks_ -= dropped.size();
  lock.unlock();  // tasks may hold other lanes
  turn_.leave();
}

void Lane::take_up(Task task) {
  {
    const std::lock_guard lock(device_.mutex_);
    if (failed_from_ != UINT64_MAX) return;
  }
  if (!task.keeps_turn) turn_.leave();
  std::string why;
  try {
    const blockyard_status status = task.work();
    if (device_.is_host_memory_) end_kind();
    if (status == BLOCKYARD_OK) {
      const std::lock_guard lock(device_.mutex_);
      if (task.kept) kept_.push_back(std::move(task.kept));
      enqueued_ = task.sequence;
      return;
    }
    why = device_.last_error();
  } catch (const std::exception&) {
    why = text_of([] { return std::string(base::current_error().what()); });
  }
  fail(task.sequence, std::move(why));
}

blockyard_status Lane::settle() {
  std::uint64_t all = 0;
  {
    const std::lock_guard lock(device_.mutex_);
    all = enqueued_;
  }
  const blockyard_status status =
      device_.source_.table->stream_synchronise(device_.device_, stream_);
  end_kind();
  if (unsettled_ > 0)
    device_.seat_.note(base::now_seconds() - unsettled_since_, std::exchange(unsettled_, 0));
  if (status != BLOCKYARD_OK)
    fail(0, text_of([this] { return device_.last_error(); }));
  else
    advance(all);
  return status;
}

void Lane::advance(std::uint64_t sequence) {
  std::vector<Kept> gone;
  std::unique_lock lock(device_.mutex_);
  done_ = std::max(done_, sequence);
  gone.swap(kept_);
  tell_client(lock, turn_.is_held());
  device_.changed_.notify_all();
}

/// from 0: what was not known to be done.
void Lane::fail(std::uint64_t from, std::string text) {
  std::uint64_t told = 0;
  std::vector<Kept> gone;
  turn_.leave();
  if (from > 0 &&
      device_.source_.table->stream_synchronise(device_.device_, stream_) == BLOCKYARD_OK) {
    advance(from - 1);
  }
  {
    std::unique_lock lock(device_.mutex_);
    failed_from_ = done_ + 1;
    gone.swap(kept_);
    asked_ = std::max(asked_, done_);
    tell_client(lock, false);
    told = failed_from_;
    device_.changed_.notify_all();
  }
  say(Kind::failed, Failure{{device_.number_, number_, told}, std::move(text)});
}

/// In the order of events, but for what is told later: a client takes the largest number.
void Lane::tell_client(std::unique_lock<std::mutex>& lock, bool is_in_turn) {
  const std::uint64_t known = std::min(asked_, done_);
  if (known <= told_) return;
  told_ = known;
  const Place place{device_.number_, number_, known};
  lock.unlock();
  if (is_in_turn)
    device_.wire_.tell_later(place);
  else
    say(Kind::done, place);
  lock.lock();
}

/// A client that has not been told would wait for ever: without memory to tell it, it loses the
/// link.
void Lane::say(Kind kind, const auto& message) noexcept {
  try {
    device_.wire_.send(frame_of(kind, message));
  } catch (const std::exception&) {
    device_.wire_.cut();
  }
}

}  // namespace blockyard::remote
