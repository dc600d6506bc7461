// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/plans.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::remote {
namespace {

Plan plan(std::uint32_t number) { return {{1, number}, {}}; }

TEST(Plans, makes_one_while_the_caller_goes_on) {
  std::promise<void> may_end;
  std::promise<Answer> told;
  Plans plans([&](const Plan&, OpenPlan& made) {
    may_end.get_future().wait();
    made.workspace_bytes = 7;
    return Answer{BLOCKYARD_OK, "", 7, {}};
  });
  plans.open(plan(3), [&](const Answer& answer) { told.set_value(answer); });
  EXPECT_FALSE(plans.find(3));
  may_end.set_value();
  EXPECT_EQ(told.get_future().get().value, 7U);
  ASSERT_TRUE(plans.find(3));
  EXPECT_EQ(plans.take(3)->workspace_bytes, 7U);
  EXPECT_FALSE(plans.find(3));
}

TEST(Plans, tells_what_cannot_be_made) {
  std::promise<Answer> told;
  Plans plans([](const Plan&, OpenPlan&) -> Answer { throw std::runtime_error("no such kind"); });
  plans.open(plan(1), [&](const Answer& answer) { told.set_value(answer); });
  const Answer answer = told.get_future().get();
  EXPECT_EQ(answer.status, static_cast<std::uint32_t>(BLOCKYARD_FAILED));
  EXPECT_EQ(answer.text, "no such kind");
  EXPECT_FALSE(plans.find(1));
}

TEST(Plans, ends_without_those_that_wait) {
  std::promise<void> has_begun, may_end;
  int made = 0;
  Plans plans([&](const Plan&, OpenPlan&) {
    if (made++ > 0) return Answer{};
    has_begun.set_value();
    may_end.get_future().wait();
    return Answer{};
  });
  for (const std::uint32_t number : {1, 2}) plans.open(plan(number), [](const Answer&) {});
  has_begun.get_future().wait();
  may_end.set_value();
  plans.end();
  EXPECT_LE(made, 2);
}

TEST(Plans, refuses_a_number_that_is_open) {
  std::promise<void> told;
  Plans plans([](const Plan&, OpenPlan&) { return Answer{}; });
  plans.open(plan(1), [&](const Answer&) { told.set_value(); });
  told.get_future().wait();
  EXPECT_THROW(plans.open(plan(1), [](const Answer&) {}), base::Error);
  EXPECT_TRUE(plans.take(1));
  plans.open(plan(1), [](const Answer&) {});
}

TEST(Plans, refuses_more_than_a_client_may_have) {
  std::promise<void> has_begun, may_end;
  const std::shared_future<void> ended = may_end.get_future().share();
  std::atomic<int> made = 0;
  std::vector<std::size_t> refused;
  Plans plans([&](const Plan&, OpenPlan&) {
    if (made++ == 0) has_begun.set_value();
    ended.wait();
    return Answer{};
  });
  const auto open = [&](std::size_t number) {
    plans.open(plan(static_cast<std::uint32_t>(number)), [&, number](const Answer& answer) {
      if (answer.status != BLOCKYARD_OK) refused.push_back(number);
    });
  };
  open(0);
  has_begun.get_future().wait();  // the one that is being made counts, too
  for (std::size_t number = 1; number < Plans::most + 2; ++number) open(number);
  may_end.set_value();
  plans.end();
  EXPECT_EQ(refused, (std::vector<std::size_t>{Plans::most, Plans::most + 1}));
}

}  // namespace
}  // namespace blockyard::remote
