// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/plans.h"

#include <exception>
#include <utility>

#include "blockyard/base/current_error.h"
#include "blockyard/base/error.h"

namespace blockyard::remote {

void Plans::open(const Plan& asked, Tell tell) {
  {
    const std::lock_guard lock(mutex_);
    if (numbers_.contains(asked.number.plan))
      throw base::Error(base::Errc::bad_input, "two plans have the same number");
    if (numbers_.size() < most) {
      numbers_.insert(asked.number.plan);
      asked_.push_back({asked, std::move(tell)});
      tell = nullptr;
    }
  }
  if (tell)
    return tell({BLOCKYARD_UNSUPPORTED, "the client has reached its limit of plans", 0, {}});
  if (!thread_.joinable()) thread_ = std::thread([this] { make_all(); });
  changed_.notify_all();
}

void Plans::make_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_ended_ || !asked_.empty(); });
    if (is_ended_) return;
    const Asked asked = std::move(asked_.front());
    asked_.pop_front();
    lock.unlock();
    make(asked);
    lock.lock();
  }
}

void Plans::make(const Asked& asked) noexcept try {
  OpenPlan made{nullptr, asked.plan.operation, 0, nullptr};
  Answer answer;
  try {
    answer = make_(asked.plan, made);
  } catch (const std::exception&) {
    answer = {BLOCKYARD_FAILED, base::current_error().what(), 0, {}};
  }
  {
    const std::lock_guard lock(mutex_);
    if (answer.status == BLOCKYARD_OK)
      open_[asked.plan.number.plan] = made;
    else
      numbers_.erase(asked.plan.number.plan);
  }
  asked.tell(answer);
} catch (const std::exception&) {  // the client has gone
}

std::optional<OpenPlan> Plans::find(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(number);
  return found == open_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<OpenPlan> Plans::take(std::uint32_t number) {
  std::optional<OpenPlan> taken = find(number);
  const std::lock_guard lock(mutex_);
  if (open_.erase(number) > 0) numbers_.erase(number);
  return taken;
}

void Plans::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace blockyard::remote
