// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

namespace fs = std::filesystem;

class Locks : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }
  const fs::path path_ = fs::path(testing::TempDir()) / ("lock_" + std::to_string(::getpid()));
};

TEST_F(Locks, have_one_holder_who_is_named) {
  {
    const auto lock = FileLock::try_take(path_);
    ASSERT_TRUE(lock);
    EXPECT_TRUE(lock->is_sure());
    EXPECT_FALSE(FileLock::try_take(path_));
    const auto holder = holder_of(path_);
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->process, std::to_string(::getpid()));
    EXPECT_TRUE(holder->is_of_this_host());
    EXPECT_TRUE(describe_holder(path_).starts_with("process " + holder->process));
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(holder_of(path_));
  EXPECT_TRUE(FileLock::try_take(path_));
}

TEST_F(Locks, end_with_the_process_however_it_ends) {
  std::array<int, 2> told{};
  ASSERT_EQ(::pipe(told.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::try_take(path_);
    (void)!::write(told[1], lock ? "y" : "n", 1);
    for (;;) ::pause();
  }
  char said = 0;
  ASSERT_EQ(::read(told[0], &said, 1), 1);
  EXPECT_EQ(said, 'y');
  EXPECT_FALSE(FileLock::try_take(path_));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(path_)) << "the file of a killed process stays";
  EXPECT_TRUE(FileLock::try_take(path_)) << "its lock does not";
  ::close(told[0]);
  ::close(told[1]);
}

TEST_F(Locks, do_not_follow_links_and_name_what_cannot_be_locked) {
  fs::create_symlink("/tmp/elsewhere", path_);
  EXPECT_THROW((void)FileLock::try_take(path_), base::Error);
  try {
    (void)FileLock::try_take("/absent/lock");
    ADD_FAILURE() << "taken";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::io);
    EXPECT_NE(std::string(error.what()).find("/absent/lock"), std::string::npos);
  }
}

}  // namespace
}  // namespace blockyard::store
