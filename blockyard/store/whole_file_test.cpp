// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/whole_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static void write(const fs::path& path, const std::string& text) {
    write_whole_file(path, std::as_bytes(std::span(text)));
  }
  [[nodiscard]] static std::string read(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] auto count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  [[nodiscard]] static mode_t mode_of(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("whole_file_" + std::to_string(::getpid()));
};

TEST_F(WholeFile, replaces_the_whole_file_and_leaves_no_other) {
  write(folder_ / "report.json", "a long first version");
  write(folder_ / "report.json", "second");
  EXPECT_EQ(read(folder_ / "report.json"), "second");
  EXPECT_EQ(count(), 1);
}

TEST_F(WholeFile, leaves_what_was_there_when_it_fails) {
  fs::create_directories(folder_ / "taken" / "inner");
  EXPECT_THROW(write(folder_ / "taken", "x"), base::Error);
  EXPECT_THROW(check_writable(folder_ / "taken"), base::Error);
  EXPECT_TRUE(fs::is_directory(folder_ / "taken" / "inner"));
  EXPECT_EQ(count(), 1);
}

TEST_F(WholeFile, names_the_folder_that_is_not_there) {
  for (const auto& call : {+[](const fs::path& path) { write(path, "x"); },
                           +[](const fs::path& path) { check_writable(path); }}) {
    try {
      call(folder_ / "absent" / "report.json");
      ADD_FAILURE() << "written";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::Errc::io);
      EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
    }
  }
}

TEST_F(WholeFile, keeps_the_permissions_of_the_file_it_replaces) {
  write(folder_ / "private", "first");
  for (const mode_t mode : {0600, 0640, 0755}) {
    ASSERT_EQ(::chmod((folder_ / "private").c_str(), mode), 0);
    write(folder_ / "private", "second");
    EXPECT_EQ(mode_of(folder_ / "private"), mode);
  }
}

TEST_F(WholeFile, keeps_symbolic_links_and_replaces_what_they_lead_to) {
  fs::create_directories(folder_ / "real");
  fs::create_symlink("real/target", folder_ / "middle");
  fs::create_symlink(folder_ / "middle", folder_ / "link");
  for (const std::string text : {"made", "replaced"}) {  // first the links lead to nothing
    write(folder_ / "link", text);
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "middle"));
    EXPECT_EQ(read(folder_ / "real" / "target"), text);
  }
  fs::create_symlink("round", folder_ / "round");
  EXPECT_THROW(write(folder_ / "round", "x"), base::Error);
}

TEST_F(WholeFile, writes_into_what_is_not_a_regular_file) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  check_writable(fifo);
  write(fifo, "through");
  std::array<char, 16> text{};
  EXPECT_EQ(::read(reader, text.data(), text.size()), 7);
  EXPECT_EQ(std::string(text.data()), "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_THROW(check_replaceable(fifo), base::Error);
  write("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  try {
    write("/dev/full", "x");
    ADD_FAILURE() << "written";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

TEST_F(WholeFile, writes_into_an_open_descriptor_that_has_a_name) {
  const fs::path path = folder_ / "log";
  const int log = ::open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  ASSERT_EQ(::write(log, "begin ", 6), 6);
  fs::create_symlink("/proc/self/fd/" + std::to_string(log), folder_ / "stdout");
  check_writable(folder_ / "stdout");
  write(folder_ / "stdout", "end");
  ::close(log);
  EXPECT_EQ(read(path), "begin end");
}

TEST_F(WholeFile, has_a_temporary_file_that_goes_unless_it_is_committed) {
  write(folder_ / "file", "old");
  fs::path first;
  {
    const Replacement file(folder_ / "file");
    first = file.temporary();
    EXPECT_TRUE(fs::exists(first));
    EXPECT_EQ(mode_of(first), 0600U);
  }
  EXPECT_FALSE(fs::exists(first));
  EXPECT_NE(Replacement(folder_ / "file").temporary(), first);
  EXPECT_EQ(read(folder_ / "file"), "old");
}

TEST_F(WholeFile, takes_names_as_long_as_the_file_system_does) {
  write(folder_ / std::string(255, 'x'), "text");
  EXPECT_EQ(count(), 1);
}

}  // namespace
}  // namespace blockyard::store
