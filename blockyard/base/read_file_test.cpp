// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/read_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "blockyard/base/error.h"

namespace blockyard::base {
namespace {

/// Reading its first byte, at address 0, fails with EIO.
constexpr const char* unreadable = "/proc/self/mem";

TEST(ReadFile, all_bytes_are_read) {
  const std::string path = testing::TempDir() + "all_bytes_are_read";
  for (const std::size_t size : {0u, 1u, 65536u, 300000u}) {
    std::string text(size, 'a');
    if (size > 0) text.back() = '\0';
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(read_file(path), text);
  }
  std::filesystem::remove(path);
}

TEST(ReadFile, a_failure_is_not_the_end_of_the_file) {
  try {
    (void)read_file(unreadable);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::io);
    EXPECT_STREQ(error.what(), "cannot read /proc/self/mem: Input/output error");
  }
  std::string reason;
  EXPECT_FALSE(try_read_file(unreadable, reason));
  EXPECT_EQ(reason, "Input/output error");
}

TEST(ReadFile, a_descriptor_that_cannot_be_read_has_a_name) {
  try {
    (void)read_descriptor(-1, "standard input");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot read standard input: Bad file descriptor");
  }
}

}  // namespace
}  // namespace blockyard::base
