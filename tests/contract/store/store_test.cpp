// SPDX-License-Identifier: Apache-2.0
// What every store keeps. To add one, add a line to `kinds`.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/store/faulty.h"
#include "blockyard/store/memory.h"
#include "blockyard/store/posix.h"

namespace blockyard::contract {
namespace {

using store::OpenMode;

using Bytes = std::vector<std::byte>;

struct Kind {
  std::string name;
  std::function<std::unique_ptr<store::Store>()> make;
};

/// A faulty store whose fault never comes.
class FaultlessStore final : public store::Store {
 public:
  [[nodiscard]] std::unique_ptr<store::File> open(const std::filesystem::path& path,
                                                  OpenMode mode) override {
    return faulty_.open(path, mode);
  }
  void remove(const std::filesystem::path& path) override { faulty_.remove(path); }

 private:
  store::MemoryStore inner_;
  store::FaultyStore faulty_{inner_, {.first = 1 << 30}};
};

const Kind kinds[] = {
    {"posix", [] { return std::make_unique<store::PosixStore>(); }},
    {"memory", [] { return std::make_unique<store::MemoryStore>(); }},
    {"faultless", [] { return std::make_unique<FaultlessStore>(); }},
};

class StoreContract : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override { store_ = GetParam().make(); }
  void TearDown() override { store_->remove(path_); }

  std::unique_ptr<store::Store> store_;
  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / ("store_contract_" + std::to_string(::getpid()));
};
INSTANTIATE_TEST_SUITE_P(Every, StoreContract, testing::ValuesIn(kinds),
                         [](const auto& test) { return test.param.name; });

Bytes counted(std::size_t count, int first = 0) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(static_cast<std::size_t>(first) + i * 7);
  return bytes;
}

Bytes read(store::File& file, std::uint64_t offset, std::size_t count) {
  Bytes bytes(count);
  file.read_at(offset, bytes);
  return bytes;
}

TEST_P(StoreContract, reads_back_what_was_written_at_any_offset) {
  const auto file = store_->open(path_, OpenMode::create);
  EXPECT_EQ(file->size(), 0U);
  file->write_at(100, counted(50));
  file->write_at(120, counted(5, 99));
  EXPECT_EQ(file->size(), 150U);
  EXPECT_EQ(read(*file, 100, 20), counted(20));
  EXPECT_EQ(read(*file, 120, 5), counted(5, 99));
  EXPECT_EQ(read(*file, 0, 100), Bytes(100));
  file->sync();
}

TEST_P(StoreContract, takes_reads_and_writes_of_nothing) {
  const auto file = store_->open(path_, OpenMode::create);
  file->write_at(10, {});
  file->read_at(20, {});
  EXPECT_EQ(file->size(), 0U);
}

TEST_P(StoreContract, refuses_to_read_past_the_end) {
  const auto file = store_->open(path_, OpenMode::create);
  file->write_at(0, counted(10));
  EXPECT_THROW((void)read(*file, 0, 11), base::Error);
  EXPECT_THROW((void)read(*file, 11, 1), base::Error);
}

TEST_P(StoreContract, opens_again_what_is_there_for_reading) {
  store_->open(path_, OpenMode::create)->write_at(0, counted(10));
  const auto file = store_->open(path_, OpenMode::read);
  EXPECT_EQ(read(*file, 0, 10), counted(10));
  EXPECT_THROW(file->write_at(0, counted(1)), base::Error);
}

TEST_P(StoreContract, updates_what_is_there) {
  EXPECT_THROW((void)store_->open(path_, OpenMode::update), base::Error);
  store_->open(path_, OpenMode::create)->write_at(0, counted(10));
  const auto file = store_->open(path_, OpenMode::update);
  file->write_at(2, counted(3, 50));
  EXPECT_EQ(file->size(), 10U);
  EXPECT_EQ(read(*store_->open(path_, OpenMode::read), 2, 3), counted(3, 50));
}

TEST_P(StoreContract, create_empties_what_was_there) {
  store_->open(path_, OpenMode::create)->write_at(0, counted(10));
  EXPECT_EQ(store_->open(path_, OpenMode::create)->size(), 0U);
}

TEST_P(StoreContract, names_the_file_that_is_not_there) {
  try {
    (void)store_->open(path_, OpenMode::read);
    ADD_FAILURE() << "opened";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::io);
    EXPECT_NE(std::string(error.what()).find(path_.string()), std::string::npos) << error.what();
  }
}

TEST_P(StoreContract, remove_takes_a_file_away_once_and_does_not_mind_a_second_time) {
  const auto file = store_->open(path_, OpenMode::create);
  file->write_at(0, counted(10));
  store_->remove(path_);
  store_->remove(path_);
  EXPECT_THROW((void)store_->open(path_, OpenMode::read), base::Error);
  EXPECT_EQ(read(*file, 0, 10), counted(10));  // a reader that has it open keeps it
}

TEST_P(StoreContract, serves_several_threads_at_different_places) {
  const auto file = store_->open(path_, OpenMode::create);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&file, t] {
      const auto offset = static_cast<std::uint64_t>(t) * 1000;
      for (int round = 0; round < 50; ++round) {
        file->write_at(offset, counted(1000, t + round));
        EXPECT_EQ(read(*file, offset, 1000), counted(1000, t + round));
      }
    });
}

}  // namespace
}  // namespace blockyard::contract
