// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/checkpoint_file.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/store/faulty.h"
#include "blockyard/store/memory.h"

namespace blockyard::store {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::size_t count, int first) {
  Bytes result(count);
  for (std::size_t k = 0; k < count; ++k)
    result[k] = static_cast<std::byte>(static_cast<std::size_t>(first) + k);
  return result;
}

const CheckpointStamp stamp{77, "server 1"};

void write(Store& store, const CheckpointStamp& as = stamp) {
  CheckpointWriter writer(store, "file", as);
  const auto blocks = writer.add_group("array 3");
  const auto kept = writer.add_group("label t2");
  (void)writer.add_group("label empty");
  writer.add(blocks, 5, bytes(1000, 1));
  writer.add_same(kept, 5, writer.last());
  writer.add(blocks, 9, bytes(5 << 20, 2));
  writer.add(blocks, 10, {});
  writer.finish();
}

std::string refusal(Store& store) {
  try {
    const CheckpointReader reader(store, "file", stamp);
    for (const CheckpointRecord& record : reader.records()) (void)reader.read(record);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

void change(Store& store, const std::function<void(Bytes&)>& how) {
  Bytes all(store.open("file", OpenMode::read)->size());
  store.open("file", OpenMode::read)->read_at(0, all);
  how(all);
  store.open("file", OpenMode::create)->write_at(0, all);
}

TEST(CheckpointFile, brings_back_records_groups_and_shared_bytes) {
  MemoryStore store;
  write(store);
  const CheckpointReader reader(store, "file", stamp);
  EXPECT_EQ(reader.groups(), (std::vector<std::string>{"array 3", "label t2", "label empty"}));
  ASSERT_EQ(reader.records().size(), 4U);
  EXPECT_EQ(reader.read(reader.records()[0]), bytes(1000, 1));
  EXPECT_EQ(reader.records()[1].group, 1U);
  EXPECT_EQ(reader.records()[1].offset, reader.records()[0].offset);
  EXPECT_EQ(reader.read(reader.records()[2]), bytes(5 << 20, 2));
  EXPECT_EQ(reader.records()[2].number, 9U);
  EXPECT_TRUE(reader.read(reader.records()[3]).empty());
}

TEST(CheckpointFile, a_file_that_is_cut_short_is_refused_wherever_it_is_cut) {
  for (const std::size_t kept : {0U, 10U, 40U, 1000U, 5000U}) {
    MemoryStore store;
    write(store);
    change(store, [&](Bytes& all) { all.resize(kept); });
    EXPECT_NE(refusal(store).find("cut short"), std::string::npos) << kept;
  }
  MemoryStore store;
  write(store);
  change(store, [&](Bytes& all) { all.pop_back(); });
  EXPECT_NE(refusal(store).find("cut short"), std::string::npos);
}

TEST(CheckpointFile, a_changed_bit_is_found_wherever_it_is) {
  MemoryStore whole;
  write(whole);
  const std::size_t size = whole.open("file", OpenMode::read)->size();
  for (const std::size_t at : {std::size_t{3}, std::size_t{9}, std::size_t{500}, size / 2,
                               size - 100, size - 20, size - 3}) {
    MemoryStore store;
    write(store);
    change(store, [&](Bytes& all) { all[at] ^= std::byte{4}; });
    EXPECT_NE(refusal(store).find("file is not a valid checkpoint file"), std::string::npos) << at;
  }
}

TEST(CheckpointFile, the_file_of_another_checkpoint_or_another_part_is_refused) {
  MemoryStore store;
  write(store, {78, "server 1"});
  EXPECT_NE(refusal(store).find("another checkpoint"), std::string::npos);
  write(store, {77, "server 2"});
  EXPECT_NE(refusal(store).find("of server 2, not of server 1"), std::string::npos);
}

TEST(CheckpointFile,
     a_disk_that_fails_or_lies_is_found_before_the_end_of_writing_and_leaves_no_file) {
  for (const Fault& fault : {Fault{Call::write_at, Fault::Kind::fail, 1, 1},
                             Fault{Call::write_at, Fault::Kind::short_write, 0, 1},
                             Fault{Call::write_at, Fault::Kind::flip_bit, 1, 1},
                             Fault{Call::read_at, Fault::Kind::flip_bit, 3, 1},
                             Fault{Call::sync, Fault::Kind::fail, 0, 1}}) {
    MemoryStore disk;
    FaultyStore store(disk, fault);
    EXPECT_THROW(write(store), base::Error);
    EXPECT_FALSE(disk.holds("file"));
  }
}

}  // namespace
}  // namespace blockyard::store
