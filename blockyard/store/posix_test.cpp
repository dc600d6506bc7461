// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/posix.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

class WriteFileAtomically : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] static std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
  }
  [[nodiscard]] static std::string read(const std::filesystem::path& path) {
    const auto file = PosixStore().open(path, OpenMode::read);
    std::string text(file->size(), ' ');
    file->read_at(0, std::as_writable_bytes(std::span(text)));
    return text;
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                        ("write_file_atomically_" + std::to_string(::getpid()));
};

TEST_F(WriteFileAtomically, replaces_the_whole_file_and_leaves_no_other) {
  write_file_atomically(folder_ / "report.json", bytes_of("a long first version"));
  write_file_atomically(folder_ / "report.json", bytes_of("second"));
  EXPECT_EQ(read(folder_ / "report.json"), "second");
  const auto begin = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1);
}

TEST_F(WriteFileAtomically, leaves_what_was_there_when_it_fails) {
  // A folder in its place: the rename fails after all was written.
  std::filesystem::create_directories(folder_ / "taken" / "inner");
  EXPECT_THROW(write_file_atomically(folder_ / "taken", bytes_of("x")), base::Error);
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "taken" / "inner"));
  const auto begin = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1);
}

TEST_F(WriteFileAtomically, names_the_folder_that_is_not_there) {
  try {
    write_file_atomically(folder_ / "absent" / "report.json", bytes_of("x"));
    ADD_FAILURE() << "written";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::io);
    EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(PosixStore, says_that_a_disk_is_full) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  const auto file = PosixStore().open("/dev/full", OpenMode::create);
  try {
    file->write_at(0, std::vector<std::byte>(10));
    ADD_FAILURE() << "written";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
}  // namespace blockyard::store
