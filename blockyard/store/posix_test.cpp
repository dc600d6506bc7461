// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/posix.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

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

TEST(PosixStore, moves_more_rows_than_the_system_takes_in_one_call) {
  const auto path =
      std::filesystem::temp_directory_path() / ("blockyard_rows_" + std::to_string(::getpid()));
  const auto file = PosixStore().open(path, OpenMode::create);
  PosixStore().remove(path);
  constexpr std::size_t count = 2500, bytes = 3;
  std::vector<std::byte> all(count * bytes), found(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i * 7);
  const auto rows_of = [&](std::vector<std::byte>& memory) {
    std::vector<std::span<std::byte>> rows;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back(std::span(memory).subspan(i * bytes, bytes));
    return rows;
  };
  file->write_rows_at(5, rows_of(all));
  EXPECT_EQ(file->size(), 5 + all.size());
  file->read_rows_at(5, rows_of(found));
  EXPECT_EQ(found, all);
  EXPECT_THROW(file->read_rows_at(6, rows_of(found)), base::Error);
}

TEST(PosixStore, says_that_a_disk_is_full_of_rows_too) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  const auto file = PosixStore().open("/dev/full", OpenMode::create);
  std::vector<std::byte> bytes(10);
  const std::vector<std::span<std::byte>> rows{std::span(bytes).first(4),
                                               std::span(bytes).subspan(4)};
  EXPECT_THROW(file->write_rows_at(0, rows), base::Error);
}

}  // namespace
}  // namespace blockyard::store
