// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/live_socket.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <thread>

namespace blockyard::report {
namespace {

namespace fs = std::filesystem;

/// A folder of this test alone.
class LiveSockets : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "live-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(LiveSockets, StayWhileOthersAskAsTheyAreMade) {
  job::Job job;
  job.steps.resize(1);
  std::atomic<bool> is_over{false};
  std::thread asking([&] {
    while (!is_over) (void)ask_all_runs(folder_);
  });
  int lost = 0;
  for (int turn = 0; turn < 300; ++turn) {
    LiveSocket live(job, folder_, nullptr);
    lost += fs::is_empty(folder_) ? 1 : 0;
    live.answer({});
  }
  is_over = true;
  asking.join();
  EXPECT_EQ(lost, 0);
}

TEST_F(LiveSockets, AnswerWithMoreThanASocketHolds) {
  job::Job job;
  job.steps.resize(1);
  std::atomic<bool> is_over{false};
  LiveSocket live(job, folder_, nullptr);
  const std::vector<worker::Live> workers(5000);
  LiveAnswers answers;
  std::thread asking([&] {
    answers = ask_all_runs(folder_);
    is_over = true;
  });
  while (!is_over) live.answer({0, 0, workers});
  asking.join();
  ASSERT_EQ(answers.texts.size(), 1U);
  EXPECT_GT(answers.texts[0].size(), 500'000U);
  EXPECT_EQ(answers.texts[0].back(), '\n');
}

TEST_F(LiveSockets, LeaveNothingInTheirFolder) {
  const job::Job job;
  { const LiveSocket live(job, folder_, nullptr); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace blockyard::report
