// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/first.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "blockyard/fabric/loopback/loopback_memory.h"

namespace blockyard::garray {
namespace {

using base::Errc;
using base::Error;

TEST(First, memory_that_is_missing_at_one_rank_is_an_error_at_all) {
  std::vector<std::jthread> ranks;
  for (auto& memory : fabric::loopback_memories(3, 1 << 20))
    ranks.emplace_back([held = std::move(memory)]() mutable {
      const Runtime runtime(std::move(held));
      const auto fail = [&] {
        if (runtime.memory().rank() == 0) throw std::bad_alloc();
      };
      for (int turn = 0; turn < 2; ++turn) {
        try {
          turn == 0 ? at_first(runtime, world_group, fail) : at_all(runtime, world_group, fail);
          ADD_FAILURE() << "nothing was thrown";
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), Errc::no_memory);
        }
      }
    });
}

TEST(First, any_exception_at_one_rank_is_an_error_at_all) {
  std::vector<std::jthread> ranks;
  for (auto& memory : fabric::loopback_memories(3, 1 << 20))
    ranks.emplace_back([held = std::move(memory)]() mutable {
      const Runtime runtime(std::move(held));
      const auto fail = [&] {
        if (runtime.memory().rank() == 0) throw std::length_error("too long");
      };
      EXPECT_THROW(at_first(runtime, world_group, fail), Error);
      EXPECT_THROW(at_all(runtime, world_group, fail), Error);
    });
}

}  // namespace
}  // namespace blockyard::garray
