// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/client/remote_device.h"

#include <algorithm>
#include <utility>

#include "blockyard/remote/client/client.h"

namespace blockyard::remote {

namespace {

/// A program that makes ever new plans does not fill the server with them.
constexpr std::size_t most_plans = 1024;

/// With what a smaller descriptor does not have as zeros.
blockyard_operation whole(const blockyard_operation& operation) {
  blockyard_operation all{};
  std::memcpy(&all, &operation, std::min<std::size_t>(operation.size, sizeof all));
  all.size = sizeof all;
  all.flags &= ~remote::plan_ahead;
  return all;
}

/// Other failures may pass.
bool is_final(const RemotePlan& plan) noexcept {
  return plan.status == BLOCKYARD_OK || plan.status == BLOCKYARD_UNSUPPORTED;
}

void take(RemotePlan& plan, const Answer& answer) {
  plan.request = 0;
  plan.status = static_cast<blockyard_status>(answer.status);
  plan.text = answer.text;
  plan.workspace_bytes = answer.value;
}

}  // namespace

RemotePlan* RemoteDevice::find(const blockyard_operation& operation) {
  for (RemotePlan& plan : plans)
    if (is_final(plan) && std::memcmp(&plan.operation, &operation, sizeof operation) == 0)
      return &plan;
  return nullptr;
}

RemotePlan& RemoteDevice::ask_for(const blockyard_operation& operation) {
  if (RemotePlan* const known = find(operation)) return *known;
  if (plans.size() >= most_plans) forget_oldest_plan();
  RemotePlan made{.number = link->next_number(), .operation = operation};
  made.request = link->ask_ahead(Kind::plan, encode(Plan{{number, made.number}, operation}));
  return plans.emplace_back(std::move(made));
}

void RemoteDevice::forget_oldest_plan() {
  const auto found = std::ranges::find_if(plans, [&](const RemotePlan& plan) {
    return plan.uses == 0 && (plan.request == 0 || link->is_answered(plan.request));
  });
  if (found == plans.end()) return;
  if (found->request != 0) take(*found, link->wait_for_answer(found->request));
  if (found->status == BLOCKYARD_OK)
    link->post(frame_of(Kind::end_plan, Number{number, found->number}));
  plans.erase(found);
}

RemotePlan& RemoteDevice::plan_ahead(const blockyard_operation& operation) {
  const std::lock_guard lock(mutex);
  RemotePlan& plan = ask_for(whole(operation));
  plan.uses += plan.status == BLOCKYARD_OK ? 1 : 0;
  return plan;
}

RemotePlan& RemoteDevice::open_plan(const blockyard_operation& operation) {
  const blockyard_operation asked = whole(operation);
  {
    const std::lock_guard lock(mutex);
    RemotePlan* const known = find(asked);
    if (known != nullptr && known->request == 0) {
      known->uses += known->status == BLOCKYARD_OK ? 1 : 0;
      return *known;
    }
  }
  const std::lock_guard one_by_one(planning);
  std::unique_lock lock(mutex);
  RemotePlan& plan = ask_for(asked);
  if (plan.request != 0) {
    lock.unlock();
    const Answer answer = link->wait_for_answer(plan.request);
    lock.lock();
    take(plan, answer);
  }
  plan.uses += plan.status == BLOCKYARD_OK ? 1 : 0;
  return plan;
}

}  // namespace blockyard::remote
