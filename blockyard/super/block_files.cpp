// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/block_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"
#include "blockyard/base/number.h"
#include "blockyard/base/read_file.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::super {

namespace {

using base::Errc;
using base::Error;
using Operands = std::span<Operand>;

/// name[1.2] of block name[1,2], and the ending.
std::string file_of(const Operand& block, std::string_view ending) {
  return fmt::format("{}[{}]{}", block.name, fmt::join(block.segments, "."), ending);
}

using Position = std::array<Extent, array::max_order>;

/// The places of a block's elements as its text file numbers them.
class TextPlaces {
 public:
  explicit TextPlaces(const Operand& block) : extents_(block.extents) {}

  /// Place in memory. Throws Error{bad_input} if it is outside of the block.
  Extent of(const Position& position) {
    const std::size_t order = extents_.size();
    if (is_first_) {
      std::copy_n(position.begin(), order, first_.begin());
      if (order > 0) first_[order - 1] = 1;
      is_first_ = false;
    }
    Extent place = 0;
    for (std::size_t k = order; k-- > 0;) {
      const Extent at = position[k] - first_[k];
      if (at < 0 || at >= extents_[k])
        throw Error(Errc::bad_input,
                    fmt::format("index {} = {} is outside of the block ({} to {})", k + 1,
                                position[k], first_[k], first_[k] + extents_[k] - 1));
      place = place * extents_[k] + at;
    }
    return place;
  }

 private:
  std::span<const Extent> extents_;
  Position first_{};
  bool is_first_ = true;
};

void read_text(const Operand& block, const std::string& path) {
  std::istringstream in(base::read_file(path));
  TextPlaces places(block);
  std::vector<bool> is_set(block.values.size(), false);
  std::size_t count = 0;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream words(line);
    Position position{};
    for (std::size_t k = 0; k < block.extents.size(); ++k) words >> position[k];
    std::string word;
    words >> word;
    const std::optional<double> value = base::parse_number(word);
    if (!value || !(words >> std::ws).eof())
      throw Error(Errc::bad_input, fmt::format("{}:{}: must hold {} indexes and a number", path,
                                               number, block.extents.size()));
    try {
      const auto place = static_cast<std::size_t>(places.of(position));
      if (is_set[place]) throw Error(Errc::bad_input, "a second value of one element");
      is_set[place] = true;
      block.values[place] = *value;
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}:{}: {}", path, number, error.what()));
    }
    ++count;
  }
  if (count != block.values.size())
    throw Error(Errc::bad_input, fmt::format("{} has {} elements, the block has {}", path, count,
                                             block.values.size()));
}

void read_block_from_text_file(Operands operands, const Context&) {
  read_text(operands[0], file_of(operands[0], ".txt"));
}

std::int32_t int32_of(Extent value) {
  if (value > INT32_MAX)
    throw Error(Errc::bad_input, "a block of more than 2^31 elements cannot be written to a file");
  return static_cast<std::int32_t>(value);
}

void write_block_to_file(Operands operands, const Context&) {
  const Operand& block = operands[0];
  base::ByteWriter out;
  out.value(int32_of(std::ssize(block.extents)));
  out.value(int32_of(std::ssize(block.extents)));
  for (const Extent extent : block.extents) out.value(int32_of(extent));
  out.value(int32_of(std::ssize(block.values)));
  out.raw(std::as_bytes(block.values));
  store::write_whole_file(file_of(block, ".blk"), out.bytes());
}

void read_block_from_file(Operands operands, const Context&) {
  const Operand& block = operands[0];
  const std::string path = file_of(block, ".blk");
  const std::string bytes = base::read_file(path);
  base::ByteReader in(std::as_bytes(std::span(bytes)));
  try {
    std::vector<Extent> extents;
    (void)in.value<std::int32_t>();
    for (auto order = in.value<std::int32_t>(); order > 0; --order)
      extents.push_back(in.value<std::int32_t>());
    if (!std::ranges::equal(extents, block.extents) ||
        in.value<std::int32_t>() != std::ssize(block.values))
      throw Error(Errc::bad_input,
                  fmt::format("it has extents {}, the block {}", fmt::join(extents, " x "),
                              fmt::join(block.extents, " x ")));
    for (double& value : block.values) value = in.value<double>();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace

void add_block_files(Table& table) {
  table.add({"read_block_from_text_file", "w", read_block_from_text_file, {}});
  table.add({"write_block_to_file", "r", write_block_to_file, {}});
  table.add({"read_block_from_file", "w", read_block_from_file, {}});
}

}  // namespace blockyard::super
