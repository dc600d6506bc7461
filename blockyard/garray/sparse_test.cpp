// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/sparse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "blockyard/fabric/loopback/loopback_memory.h"
#include "blockyard/garray/kind.h"
#include "blockyard/garray/test_counted_memory.h"

namespace blockyard::garray {
namespace {

constexpr int members = 8;
constexpr Extent rows = 80000;
/// Less than the offsets of a block for each cut of the columns, 8 * rows bytes in all.
constexpr std::size_t room_bytes = std::size_t{4} * rows;

/// One element in a hundred rows, in the diagonal blocks and in one corner, added by the next rank.
void fill(Sparse& matrix) {
  const int of = (matrix.me() + 1) % matrix.members();
  for (Extent row = matrix.first_row(of); row < matrix.first_row(of + 1); row += 100) {
    const auto value = static_cast<double>(row);
    matrix.add(row, row, &value);
  }
  const double one = 1;
  if (matrix.me() == 0) matrix.add(rows - 1, 0, &one);
}

TEST(Sparse, takes_no_memory_for_blocks_without_elements) {
  std::vector<std::jthread> ranks;
  for (auto& memory : fabric::loopback_memories(members, room_bytes))
    ranks.emplace_back([held = std::move(memory)]() mutable {
      Runtime runtime(std::move(held));
      Sparse matrix(runtime, *kind_of(1004), rows, rows, world_group);
      fill(matrix);
      matrix.assemble();
      const int last = members - 1;
      for (int member = 0; member < members; ++member)
        for (int cut = 0; cut < members; ++cut) {
          const Sparse::Block block = matrix.block(member, cut);
          const bool is_corner = member == last && cut == 0;
          EXPECT_EQ(block.is_empty(), member != cut && !is_corner);
          EXPECT_EQ(block.offsets.size(),
                    block.is_empty() ? 0U : static_cast<std::size_t>(rows / members) + 1);
          if (is_corner) {
            EXPECT_EQ(block.columns, std::vector<std::int64_t>{0});
          }
          if (member != cut) continue;
          ASSERT_EQ(block.columns.size(), static_cast<std::size_t>(rows / members / 100));
          EXPECT_EQ(block.columns[1], matrix.first_row(member) + 100);
          double value = 0;
          std::memcpy(&value, block.values() + sizeof(double), sizeof(double));
          EXPECT_EQ(value, static_cast<double>(block.columns[1]));
        }
      matrix.release();
    });
}

/// Runs `work` on each rank with a matrix of the pattern above.
void with_matrix(const std::function<void(Runtime&, Sparse&, CountedMemory&)>& work) {
  std::vector<std::jthread> ranks;
  for (auto& memory : fabric::loopback_memories(members, std::size_t{1} << 24))
    ranks.emplace_back([&work, held = std::move(memory)]() mutable {
      auto counted = std::make_unique<CountedMemory>(std::move(held));
      CountedMemory& counts = *counted;
      Runtime runtime(std::move(counted));
      Sparse matrix(runtime, *kind_of(1004), rows, rows, world_group);
      fill(matrix);
      matrix.assemble();
      work(runtime, matrix, counts);
      matrix.release();
    });
}

TEST(Sparse, product_asks_once_where_the_blocks_of_a_member_lie) {
  with_matrix([](Runtime& runtime, Sparse& matrix, CountedMemory& counts) {
    Sparse product(runtime, matrix.kind(), rows, rows, world_group);
    counts.gets = 0;
    multiply(runtime, matrix, matrix, product);
    // The corner needs the rows of member 0: their places, then offsets, columns and values.
    EXPECT_EQ(counts.gets, matrix.me() == members - 1 ? 4 : 0);
    product.release();
  });
}

TEST(Sparse, diagonal_is_one_message_for_each_rank_that_has_some_of_it) {
  with_matrix([](Runtime& runtime, Sparse& matrix, CountedMemory& counts) {
    Array& diagonal = runtime.new_array();
    diagonal.kind = matrix.kind();
    diagonal.extents = {rows};
    diagonal.layout.holders = {0, 1, 2};
    runtime.allocate(diagonal);
    counts.puts = 0;
    copy_diagonal(runtime, matrix, diagonal);
    EXPECT_LE(counts.puts, 2);
    runtime.sync(world_group);
    const Extent at = matrix.first_row(matrix.me()) + 100;
    double value = 0;
    get(runtime, diagonal, {.axes = 1, .first = {at}, .end = {at + 1}}, {&value, {1}});
    EXPECT_EQ(value, static_cast<double>(at));
    runtime.deallocate(diagonal);
  });
}

TEST(Sparse, export_leaves_files_of_other_names_alone) {
  const std::string path = testing::TempDir() + fmt::format("sparse_{}.mtx", ::getpid());
  const std::string neighbour = path + ".part";
  std::ofstream(neighbour) << "of the user\n";
  with_matrix([&](Runtime& runtime, Sparse& matrix, CountedMemory&) {
    write_matrix_market(runtime, matrix, path);
  });
  const auto line_of = [](const std::string& file, int number) {
    std::ifstream in(file);
    std::string line;
    for (int k = 0; k < number; ++k) std::getline(in, line);
    return line;
  };
  EXPECT_EQ(line_of(path, 2), fmt::format("{} {} {}", rows, rows, rows / 100 + 1));
  EXPECT_EQ(line_of(path, 4), "101 101 100");
  EXPECT_EQ(line_of(neighbour, 1), "of the user");
  std::filesystem::remove(path);
  std::filesystem::remove(neighbour);
}

}  // namespace
}  // namespace blockyard::garray
