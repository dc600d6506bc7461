// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/tile_file.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/store/faulty.h"
#include "blockyard/store/memory.h"

namespace blockyard::store {
namespace {

const TiledArray small{
    .name = "x", .kind = 1004, .element_bytes = 8, .extents = {5, 3}, .edges = {2, 2}};

std::vector<std::byte> bytes_of(const TileFile& file, Extent number, int value) {
  return std::vector<std::byte>(
      static_cast<std::size_t>(file.tile(number).element_count()) * file.array().element_bytes,
      static_cast<std::byte>(value));
}

TEST(TileFile, is_an_array_of_zeros_until_tiles_are_written) {
  MemoryStore files;
  TileFile::create(files, "x.dra", small);
  TileFile file(files, "x.dra", OpenMode::update);
  EXPECT_EQ(file.array(), small);
  EXPECT_EQ(file.tile_count(), 6);
  auto found = bytes_of(file, 5, 1);
  EXPECT_EQ(found.size(), 8U);  // the last tile has 1 x 1 elements
  EXPECT_FALSE(file.read(5, found));
  EXPECT_EQ(found, bytes_of(file, 5, 0));
  file.write(5, bytes_of(file, 5, 7));
  TileFile again(files, "x.dra", OpenMode::read);
  EXPECT_TRUE(again.read(5, found));
  EXPECT_EQ(found, bytes_of(file, 5, 7));
}

TEST(TileFile, takes_and_fills_memory_in_several_places) {
  MemoryStore files;
  TileFile::create(files, "x.dra", small);
  TileFile file(files, "x.dra", OpenMode::update);
  std::vector<std::byte> all(32), first(20), second(12);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i + 1);
  std::vector<std::span<std::byte>> rows{std::span(all).first(8), std::span(all).subspan(8)};
  file.write(0, rows);
  rows = {first, second};
  EXPECT_TRUE(file.read(0, rows));
  first.insert(first.end(), second.begin(), second.end());
  EXPECT_EQ(first, all);
  rows = {std::span(first).first(5), std::span(first).subspan(5)};
  EXPECT_FALSE(file.read(1, rows));
  EXPECT_EQ(first, std::vector<std::byte>(32));
}

TEST(TileFile, deals_its_tiles_to_several_files) {
  MemoryStore files;
  TiledArray array = small;
  array.files = 4;
  TileFile::create(files, "x.dra", array);
  {
    TileFile file(files, "x.dra", OpenMode::update);
    for (Extent number = 0; number < 6; ++number)
      file.write(number, bytes_of(file, number, static_cast<int>(number) + 1));
  }
  {
    TileFile again(files, "x.dra", OpenMode::read);
    EXPECT_EQ(again.array(), array);
    for (Extent number = 0; number < 6; ++number) {
      auto found = bytes_of(again, number, 0);
      EXPECT_TRUE(again.read(number, found));
      EXPECT_EQ(found, bytes_of(again, number, static_cast<int>(number) + 1));
    }
    EXPECT_NE(describe_tile_file(files, "x.dra").find("tiles of 2 x 2 in 4 files"),
              std::string::npos);
  }
  files.remove("x.dra.2");
  EXPECT_THROW(TileFile(files, "x.dra", OpenMode::read), base::Error);
  TileFile::remove(files, "x.dra", 4);
  EXPECT_THROW(static_cast<void>(files.open("x.dra.3", OpenMode::read)), base::Error);
}

TEST(TileFile, says_where_its_tiles_lie) {
  MemoryStore files;
  TileFile::create(files, "x.dra", small);
  const TileFile file(files, "x.dra", OpenMode::read);
  EXPECT_EQ(file.tile(4).first, (std::vector<Extent>{2, 2}));
  EXPECT_EQ(file.tile(4).count, (std::vector<Extent>{2, 1}));
}

TEST(TileFile, finds_a_tile_that_was_changed) {
  MemoryStore files;
  TileFile::create(files, "x.dra", small);
  TileFile file(files, "x.dra", OpenMode::update);
  file.write(1, bytes_of(file, 1, 3));
  auto found = bytes_of(file, 1, 0);
  FaultyStore faulty(files, {Call::read_at, Fault::Kind::flip_bit, 2, 1});
  TileFile damaged(faulty, "x.dra", OpenMode::read);  // reads its head
  EXPECT_THROW((void)damaged.read(1, found), base::Error);
  EXPECT_NE(describe_tile_file(files, "x.dra").find("1 tiles written, 5 never, 0 WRONG"),
            std::string::npos)
      << describe_tile_file(files, "x.dra");
}

TEST(TileFile, refuses_what_is_something_else_or_cut_short) {
  MemoryStore files;
  TileFile::create(files, "x.dra", small);
  std::vector<std::byte> head(5000);
  files.open("x.dra", OpenMode::read)->read_at(0, head);
  files.open("y.dra", OpenMode::create)->write_at(0, head);
  EXPECT_THROW(TileFile(files, "y.dra", OpenMode::read), base::Error);
  head[20] ^= std::byte{1};
  files.open("y.dra", OpenMode::create)->write_at(0, head);
  EXPECT_THROW(TileFile(files, "y.dra", OpenMode::read), base::Error);
  files.open("y.dra", OpenMode::create)->write_at(0, std::vector<std::byte>(9000));
  EXPECT_THROW(TileFile(files, "y.dra", OpenMode::read), base::Error);
  EXPECT_FALSE(is_tile_file(*files.open("y.dra", OpenMode::read)));
  EXPECT_TRUE(is_tile_file(*files.open("x.dra", OpenMode::read)));
}

TEST(TileFile, makes_tiles_of_a_usual_size) {
  const std::vector<Extent> extents{1000, 1000, 1000};
  EXPECT_EQ(tile_edges(extents, {}, 8), (std::vector<Extent>{63, 63, 63}));
  // Columns that are usual stay whole.
  EXPECT_EQ(tile_edges(std::vector<Extent>{1000, 1000}, std::vector<Extent>{-1, 1}, 8),
            (std::vector<Extent>{1000, 128}));
  EXPECT_EQ(tile_edges(std::vector<Extent>{3, 2}, {}, 8), (std::vector<Extent>{3, 2}));
}

}  // namespace
}  // namespace blockyard::store
