// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"
#include "blockyard/program/detail/sample_program.h"

namespace blockyard::program {
namespace {

using base::Error;

std::string refusal_of(std::span<const std::byte> bytes) {
  try {
    (void)read(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    return error.what();
  }
  return "";
}

/// Makes length and checksum of the header fit the payload.
void mend(std::vector<std::byte>& file) {
  const auto payload = std::span(file).subspan(file_header_bytes);
  const std::uint64_t length = payload.size();
  const std::uint64_t sum = base::checksum(payload);
  std::memcpy(file.data() + 12, &length, sizeof length);
  std::memcpy(file.data() + 20, &sum, sizeof sum);
}

TEST(ProgramFile, gives_back_what_was_written) {
  const Program program = detail::sample_program();
  const auto bytes = write(program);
  EXPECT_EQ(read(bytes), program);
  EXPECT_EQ(write(read(bytes)), bytes);
}

TEST(ProgramFile, reads_the_version_before) {
  Program program = detail::sample_program();
  program.unused.clear();
  auto bytes = write(program);
  bytes.resize(bytes.size() - sizeof(std::uint32_t));  // the number of unused constants
  bytes[file_magic.size()] = std::byte{3};
  mend(bytes);
  EXPECT_EQ(read(bytes), program);
}

TEST(ProgramFile, refuses_every_truncation) {
  const auto bytes = write(detail::sample_program());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_THROW((void)read(std::span(bytes).first(size)), Error) << size;
}

TEST(ProgramFile, refuses_every_flipped_bit) {
  auto bytes = write(detail::sample_program());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
    ASSERT_THROW((void)read(bytes), Error) << bit;
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
}

TEST(ProgramFile, refuses_every_truncation_with_a_right_checksum) {
  const auto bytes = write(detail::sample_program());
  for (std::size_t size = file_header_bytes; size < bytes.size(); ++size) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    mend(cut);
    ASSERT_NE(refusal_of(cut), "") << size;
  }
}

TEST(ProgramFile, says_what_is_wrong) {
  const auto bytes = write(detail::sample_program());
  auto changed = bytes;
  changed.back() ^= std::byte{1};
  EXPECT_NE(refusal_of(changed).find("checksum"), std::string::npos);
  changed = bytes;
  changed[8] = std::byte{77};
  EXPECT_NE(refusal_of(changed).find("version 77"), std::string::npos);
  changed = bytes;
  changed.push_back(std::byte{0});
  EXPECT_NE(refusal_of(changed).find("longer"), std::string::npos);
  mend(changed);
  EXPECT_NE(refusal_of(changed).find("after its last table"), std::string::npos);
  changed = bytes;
  changed.resize(40);
  EXPECT_NE(refusal_of(changed).find("cut short"), std::string::npos);
  EXPECT_NE(refusal_of({}).find("cut short"), std::string::npos);
  changed = bytes;
  changed[0] = std::byte{'#'};
  EXPECT_NE(refusal_of(changed).find("not a compiled program"), std::string::npos);
}

TEST(ProgramFile, a_false_count_is_refused_before_memory_is_taken) {
  Program program;
  program.name = "p";
  auto bytes = write(program);  // the name, then the count of the files
  const std::uint32_t huge = std::numeric_limits<std::uint32_t>::max();
  std::memcpy(bytes.data() + file_header_bytes + 5, &huge, sizeof huge);
  mend(bytes);
  EXPECT_NE(refusal_of(bytes).find("longer than the file"), std::string::npos);
}

}  // namespace
}  // namespace blockyard::program
