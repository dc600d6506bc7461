// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/spill_file.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "blockyard/base/error.h"
#include "blockyard/base/test_worked_example.h"
#include "blockyard/store/faulty.h"
#include "blockyard/store/memory.h"

namespace blockyard::store {
namespace {

using Bytes = std::vector<std::byte>;
const std::filesystem::path path = "some.spill";

Bytes filled(std::size_t count, int value) { return Bytes(count, static_cast<std::byte>(value)); }

Bytes read(SpillFile& file, const SpillFile::Record& record) {
  Bytes bytes(record.place().bytes);
  RecordPages pages;
  file.read(record.place(), bytes, pages);
  return bytes;
}

SpillFile::Record written(SpillFile& file, const Bytes& bytes) {
  auto record = file.reserve(bytes.size());
  RecordPages pages;
  file.write(record.place(), bytes, pages);
  return record;
}

TEST(SpillFile, reads_back_records_of_any_length) {
  MemoryStore store;
  SpillFile file(store, path);
  for (const std::size_t length : {0, 1, 4031, 4032, 4033, 100000}) {
    const auto record = written(file, filled(length, 7));
    EXPECT_EQ(read(file, record), filled(length, 7)) << length;
  }
}

TEST(SpillFile, uses_the_places_of_ended_records_again) {
  MemoryStore store;
  SpillFile file(store, path);
  (void)written(file, filled(50000, 1));
  const auto end = file.end();
  for (int round = 0; round < 100; ++round) (void)written(file, filled(50000 + round, round));
  EXPECT_EQ(file.end(), end);
}

TEST(SpillFile, gives_a_place_to_one_record_at_a_time) {
  MemoryStore store;
  SpillFile file(store, path);
  std::mt19937 draw(1);
  std::map<int, std::pair<SpillFile::Record, Bytes>> records;
  for (int round = 0; round < 2000; ++round) {
    const int key = static_cast<int>(draw() % 40);
    const Bytes bytes = filled(draw() % 30000, round);
    records[key] = {written(file, bytes), bytes};
    auto& [record, expected] = records.begin()->second;
    ASSERT_EQ(read(file, record), expected);
  }
  for (auto& [key, entry] : records) ASSERT_EQ(read(file, entry.first), entry.second);
}

TEST(SpillFile, starts_records_at_whole_pages) {
  MemoryStore store;
  SpillFile file(store, path);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(file.reserve(static_cast<std::uint64_t>(i) * 5000).place().offset % 4096, 0U);
}

/// Notes the length that its files are to have on disk.
class NotingStore final : public Store {
 public:
  [[nodiscard]] std::unique_ptr<File> open(const std::filesystem::path& name,
                                           OpenMode mode) override {
    return std::make_unique<NotingFile>(store_.open(name, mode), reserved);
  }
  void remove(const std::filesystem::path& name) override { store_.remove(name); }

  std::uint64_t reserved = 0;

 private:
  class NotingFile final : public File {
   public:
    NotingFile(std::unique_ptr<File> file, std::uint64_t& reserved)
        : file_(std::move(file)), reserved_(reserved) {}
    void read_at(std::uint64_t offset, std::span<std::byte> into) override {
      file_->read_at(offset, into);
    }
    void write_at(std::uint64_t offset, std::span<const std::byte> from) override {
      file_->write_at(offset, from);
    }
    [[nodiscard]] std::uint64_t size() override { return file_->size(); }
    void reserve(std::uint64_t bytes) override { reserved_ = bytes; }
    void sync() override { file_->sync(); }

   private:
    std::unique_ptr<File> file_;
    std::uint64_t& reserved_;
  };
  MemoryStore store_;
};

TEST(SpillFile, takes_at_most_twice_its_length_of_disk_and_64_MiB_more) {
  NotingStore store;
  SpillFile file(store, path);
  std::vector<SpillFile::Record> records;
  for (const std::uint64_t mebibytes : {0, 1, 3, 60, 100, 1000}) {
    records.push_back(file.reserve(mebibytes << 20 | 1));
    EXPECT_GE(store.reserved, file.end());
    EXPECT_LE(store.reserved, file.end() + std::min<std::uint64_t>(file.end(), 64 << 20));
  }
}

/// Keeps the names of files, for tests that look into one.
class KeepingStore final : public Store {
 public:
  [[nodiscard]] std::unique_ptr<File> open(const std::filesystem::path& name,
                                           OpenMode mode) override {
    return inner_.open(name, mode);
  }
  void remove(const std::filesystem::path&) override {}

 private:
  MemoryStore inner_;
};

TEST(SpillFile, has_no_name_that_the_death_of_the_process_could_leave) {
  MemoryStore store;
  SpillFile file(store, path);
  EXPECT_FALSE(store.holds(path));
  EXPECT_EQ(read(file, written(file, filled(5000, 7))), filled(5000, 7));
}

TEST(SpillFile, leaves_no_file_if_it_cannot_be_begun) {
  MemoryStore inner;
  FaultyStore store(inner, {Call::write_at, Fault::Kind::short_write});
  EXPECT_THROW(SpillFile(store, path), base::Error);
  EXPECT_FALSE(inner.holds(path));
}

void expect_damage_is_found(const Fault& fault) {
  MemoryStore inner;
  FaultyStore store(inner, fault);
  SpillFile file(store, path);
  const auto record = written(file, filled(4000, 3));
  try {
    (void)read(file, record);
    ADD_FAILURE() << "damaged bytes were taken";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::io);
    EXPECT_NE(std::string(error.what()).find("some.spill: the record at byte 4096"),
              std::string::npos)
        << error.what();
  }
}

TEST(SpillFile, finds_damaged_bytes_by_their_checksum) {
  const auto flip = Fault::Kind::flip_bit;
  expect_damage_is_found({Call::write_at, flip, 1});
  expect_damage_is_found({Call::read_at, flip, 0});
}

TEST(SpillFile, refuses_a_record_of_another_length_or_place) {
  MemoryStore store;
  SpillFile file(store, path);
  (void)written(file, filled(100, 1));  // its place is used again below
  const auto first = written(file, filled(100, 2));
  const auto second = written(file, filled(100, 3));
  SpillFile::Place wrong = first.place();
  wrong.offset = second.place().offset;
  Bytes bytes(100);
  RecordPages pages;
  file.read(wrong, bytes, pages);  // a whole record, whoever asks
  EXPECT_EQ(bytes, filled(100, 3));
  wrong.bytes = 99;
  EXPECT_THROW(file.read(wrong, std::span(bytes).first(99), pages), base::Error);
  wrong.offset += 4096 * wrong.pages;
  EXPECT_THROW(file.read(wrong, std::span(bytes).first(99), pages), base::Error);
}

TEST(DescribeSpillFile, lists_records_and_says_which_are_damaged) {
  KeepingStore store;
  SpillFile file(store, path);
  const auto first = written(file, filled(100, 1));
  const auto never_written = file.reserve(9000);
  const auto last = written(file, filled(5000, 2));
  const auto raw = store.open(path, OpenMode::read);
  const std::string text = describe_spill_file(*raw, "some.spill");
  EXPECT_NE(text.find("record at byte 4096: 100 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find(" good\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("WRONG"), std::string::npos) << text;
  EXPECT_NE(text.find("2 records"), std::string::npos) << text;
}

TEST(DescribeSpillFile, refuses_other_files) {
  MemoryStore store;
  const auto file = store.open("other", OpenMode::create);
  const auto expect_named = [&] {
    try {
      (void)describe_spill_file(*file, "other.spill");
      ADD_FAILURE() << "taken";
    } catch (const base::Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("other.spill")) << error.what();
    }
  };
  expect_named();
  file->write_at(0, filled(10000, 66));
  expect_named();
}

TEST(SpillFile, has_the_bytes_of_the_worked_example_in_docs) {
  KeepingStore store;
  SpillFile file(store, path);
  const double value = 1.0;
  const auto record = file.reserve(sizeof value);
  RecordPages pages;
  file.write(record.place(), std::as_bytes(std::span(&value, 1)), pages);
  const auto raw = store.open(path, OpenMode::read);
  ASSERT_EQ(raw->size(), 2 * 4096U);
  Bytes found(24 + 72);
  raw->read_at(0, std::span(found).first(24));
  raw->read_at(4096, std::span(found).subspan(24));
  EXPECT_EQ(found, base::worked_example(BLOCKYARD_SOURCE_DIR "/docs/disk.md"));
}

}  // namespace
}  // namespace blockyard::store
