// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/without_signals.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace blockyard::base {
namespace {

bool is_blocked(int signal) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return ::sigismember(&mask, signal) == 1;
}

TEST(WithoutSignals, are_threads_made_while_it_lives_and_the_own_one_again_after_an_error) {
  bool is_blocked_there = false;
  EXPECT_FALSE(is_blocked(SIGTERM));
  try {
    const WithoutSignals quiet;
    std::thread([&] { is_blocked_there = is_blocked(SIGTERM); }).join();
    throw std::runtime_error("no thread");
  } catch (const std::runtime_error&) {
    EXPECT_FALSE(is_blocked(SIGTERM));
  }
  EXPECT_TRUE(is_blocked_there);
}

}  // namespace
}  // namespace blockyard::base
