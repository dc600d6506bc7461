// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/scratch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "blockyard/base/error.h"

namespace blockyard::job {
namespace {

namespace fs = std::filesystem;

std::string host() {
  std::array<char, 256> name{};
  EXPECT_EQ(::gethostname(name.data(), name.size()), 0);
  return name.data();
}

TEST(ScratchFolder, IsFreshAndGoesWithAllInIt) {
  fs::path first;
  {
    const ScratchFolder one(fs::temp_directory_path());
    const ScratchFolder two(fs::temp_directory_path());
    EXPECT_NE(one.path(), two.path());
    first = one.path();
    std::ofstream(first / "file") << "x";
    EXPECT_TRUE(fs::exists(first / "file"));
  }
  EXPECT_FALSE(fs::exists(first));
}

TEST(ScratchFolder, NamesAPlaceWhereItCannotBe) {
  try {
    const ScratchFolder folder("/dev/null/x");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::io);
    EXPECT_NE(std::string(error.what()).find("/dev/null/x"), std::string::npos) << error.what();
  }
}

/// A folder of the test's own, so that no other test's run looks into it.
class LeftBehind : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(parent_); }
  void TearDown() override { fs::remove_all(parent_); }
  const fs::path parent_ = fs::path(testing::TempDir()) / ("scratch_" + std::to_string(::getpid()));
};

TEST_F(LeftBehind, GoesAtTheNextStartAndWhatIsInUseStays) {
  const ScratchFolder alive(parent_);
  std::ofstream(alive.path() / "file") << "x";
  const fs::path dead = parent_ / "blockyard-scratch-abcdef";
  fs::create_directory(dead);
  std::ofstream(dead / "lock") << ::getpid() << " " << host() << "\n";
  std::ofstream(dead / "array.spill") << "x";
  const ScratchFolder next(parent_);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive.path() / "file"));
}

TEST_F(LeftBehind, StaysIfItMayBeOfAnotherHostOrIsNotOfOurKind) {
  const fs::path elsewhere = parent_ / "blockyard-scratch-abcdef";
  fs::create_directory(elsewhere);
  std::ofstream(elsewhere / "lock") << "1 another.host\n";
  const fs::path other = parent_ / "blockyard-scratch-of-the-user";
  fs::create_directory(other);
  const fs::path target = parent_ / "data";
  fs::create_directory(target);
  fs::create_directory_symlink(target, parent_ / "blockyard-scratch-ghijkl");
  { const ScratchFolder next(parent_); }
  for (const fs::path& path : {elsewhere, other, target, parent_ / "blockyard-scratch-ghijkl"})
    EXPECT_TRUE(fs::exists(path)) << path;
}

/// TMPDIR for as long as this lives.
class TemporaryFolderSet {
 public:
  explicit TemporaryFolderSet(const fs::path& path) {
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryFolderSet() {
    if (before_)
      ::setenv("TMPDIR", before_->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }
  TemporaryFolderSet(const TemporaryFolderSet&) = delete;
  TemporaryFolderSet& operator=(const TemporaryFolderSet&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST_F(LeftBehind, ATemporaryFolderThatIsNotThereIsNamed) {
  const TemporaryFolderSet set(parent_ / "nosuch");
  EXPECT_EQ(scratch_parent(parent_.string()), parent_);
  try {
    static_cast<void>(scratch_parent(""));
    FAIL() << "no error";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("TMPDIR=" + (parent_ / "nosuch").string()),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace blockyard::job
