// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/persist_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <string>

#include "blockyard/base/error.h"
#include "blockyard/store/posix.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;
using base::Extent;
using Extents = std::vector<Extent>;
using Values = std::vector<double>;

class PersistFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::size_t file_count() const {
    const auto begin = std::filesystem::directory_iterator(folder_);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("persist_file_" + std::to_string(::getpid()));
  const std::filesystem::path path_ = folder_ / "kept.h5";
};

/// a(i, j) of 5 x 7, segments (2, 3) and (3, 3, 1): a(i, j) = 10 i + j in two of the six blocks.
const PersistedArray small{"served", {{2, 3}, {3, 3, 1}}};

void write_small(PersistWriter& writer, const std::string& label) {
  writer.begin_array(label, small);
  writer.write_block(label, {Extents{0, 0}, Extents{2, 3}}, Values{0, 10, 1, 11, 2, 12});
  writer.write_block(label, {Extents{2, 6}, Extents{3, 1}}, Values{26, 36, 46});
}

Values read(const PersistReader& reader, const std::string& label, const Extents& first,
            const Extents& extents) {
  Values values(static_cast<std::size_t>(
      std::accumulate(extents.begin(), extents.end(), Extent{1}, std::multiplies<>())));
  reader.read_block(label, {first, extents}, values);
  return values;
}

TEST_F(PersistFile, brings_back_arrays_scalars_and_which_blocks_exist) {
  PersistWriter writer(path_, "0.1.0");
  write_small(writer, "t2");
  writer.write_scalar("energy", -76.25);
  writer.finish();

  const PersistReader reader(path_);
  EXPECT_EQ(reader.arrays(), std::vector<std::string>{"t2"});
  EXPECT_EQ(reader.scalars(), std::vector<std::string>{"energy"});
  EXPECT_EQ(reader.describe("t2"), small);
  EXPECT_EQ(reader.blocks("t2"), (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(read(reader, "t2", {0, 0}, {2, 3}), (Values{0, 10, 1, 11, 2, 12}));
  EXPECT_EQ(read(reader, "t2", {2, 6}, {3, 1}), (Values{26, 36, 46}));
  EXPECT_EQ(read(reader, "t2", {2, 0}, {3, 3}), Values(9, 0.0));
  EXPECT_EQ(reader.read_scalar("energy"), (std::pair(std::complex(-76.25), false)));
}

TEST_F(PersistFile, keeps_complex_and_single_elements) {
  using C = std::complex<float>;
  const PersistedArray array{"served", {{2, 1}}, {.is_complex = true, .is_single = true}};
  const std::vector<C> block{{0.1f, -2}, {3, 4}};
  PersistWriter writer(path_, "0.1.0");
  writer.begin_array("z", array);
  writer.write_block("z", {Extents{0}, Extents{2}}, std::as_bytes(std::span(block)),
                     array.elements);
  writer.write_scalar("w", {1.5, -0.5}, true);
  writer.finish();

  const PersistReader reader(path_);
  EXPECT_EQ(reader.describe("z"), array);
  std::vector<C> found(2);
  reader.read_block("z", {Extents{0}, Extents{2}}, std::as_writable_bytes(std::span(found)),
                    array.elements);
  EXPECT_EQ(found, block);
  std::vector<std::complex<double>> wide(2);  // with another precision
  reader.read_block("z", {Extents{0}, Extents{2}}, std::as_writable_bytes(std::span(wide)),
                    {.is_complex = true});
  EXPECT_EQ(wide[0], std::complex<double>(0.1f, -2));
  EXPECT_EQ(reader.read_scalar("w"), (std::pair(std::complex(1.5, -0.5), true)));
}

TEST_F(PersistFile, brings_back_an_array_written_and_read_in_other_pieces) {
  PersistWriter writer(path_, "0.1.0");
  const PersistedArray array{"static", {{2, 2}, {1, 2}, {3}}};
  writer.begin_array("c", array);
  Values values(36);
  std::iota(values.begin(), values.end(), 0.0);
  writer.write_block("c", {Extents{0, 0, 0}, Extents{4, 3, 3}}, values);
  writer.finish();
  const PersistReader reader(path_);
  EXPECT_EQ(reader.blocks("c"), std::vector<std::uint8_t>(4, 1));
  for (Extent k = 0; k < 3; ++k)
    for (Extent j = 0; j < 3; ++j)
      for (Extent i = 0; i < 4; ++i)
        EXPECT_EQ(read(reader, "c", {i, j, k}, {1, 1, 1})[0],
                  static_cast<double>(i + 4 * (j + 3 * k)));
}

TEST_F(PersistFile, brings_back_an_array_of_very_many_segments) {
  Extents segments;
  for (int k = 0; k < 40'000; ++k) segments.push_back(k % 3);  // some are empty
  const Extent edge = std::accumulate(segments.begin(), segments.end(), Extent{0});
  {
    PersistWriter writer(path_, "0.1.0");
    writer.begin_array("long", {"distributed", {segments}});
    // Segments 10 and 11, of elements 9, and 10 and 11; then the last ones.
    writer.write_block("long", {Extents{9}, Extents{3}}, Values{1, 2, 3});
    writer.write_block("long", {Extents{edge - 1}, Extents{1}}, Values{4});
    writer.finish();
  }
  const PersistReader reader(path_);
  EXPECT_EQ(reader.describe("long").segments, std::vector<Extents>{segments});
  EXPECT_EQ(read(reader, "long", {8}, {5}), (Values{0, 1, 2, 3, 0}));
  EXPECT_EQ(read(reader, "long", {edge - 1}, {1}), Values{4});
  std::vector<std::size_t> present;
  const auto blocks = reader.blocks("long");
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (blocks[k] != 0) present.push_back(k);
  EXPECT_EQ(present, (std::vector<std::size_t>{10, 11, 39'998}));
}

TEST_F(PersistFile, takes_blocks_of_several_arrays_in_turn) {
  PersistWriter writer(path_, "0.1.0");
  for (const char* label : {"a", "b"}) writer.begin_array(label, small);
  for (const Extent row : {0, 1})
    for (const char* label : {"a", "b"})
      writer.write_block(label, {Extents{row, 0}, Extents{1, 1}},
                         Values{static_cast<double>(row) + *label});
  writer.finish();
  const PersistReader reader(path_);
  EXPECT_EQ(read(reader, "a", {0, 0}, {2, 1}), (Values{'a', 'a' + 1}));
  EXPECT_EQ(read(reader, "b", {0, 0}, {2, 1}), (Values{'b', 'b' + 1}));
}

TEST_F(PersistFile, brings_back_arrays_without_elements) {
  const PersistedArray none{"static", {{0}, {3}}}, no_block{"served", {{2, 3}, {}}};
  PersistWriter writer(path_, "0.1.0");
  writer.begin_array("none", none);
  writer.write_block("none", {Extents{0, 0}, Extents{0, 3}}, Values{});
  writer.begin_array("no block", no_block);
  write_small(writer, "t2");
  writer.finish();

  const PersistReader reader(path_);
  EXPECT_EQ(reader.describe("none"), none);
  EXPECT_EQ(reader.describe("no block"), no_block);
  EXPECT_EQ(read(reader, "none", {0, 0}, {0, 3}), Values{});
  EXPECT_EQ(reader.blocks("no block"), std::vector<std::uint8_t>{});
  EXPECT_EQ(read(reader, "t2", {2, 6}, {3, 1}), (Values{26, 36, 46}));
}

TEST_F(PersistFile, takes_every_label_and_orders_one_to_eight) {
  const std::set<std::string> labels{"", "a/b", "..", "100%", "with space", "t_2.old", "\u00e9"};
  PersistWriter writer(path_, "0.1.0");
  for (const std::string& label : labels) {
    write_small(writer, label);
    writer.write_scalar(label, 1.0);
  }
  for (std::size_t order = 1; order <= 8; ++order) {
    const std::string label = "order" + std::to_string(order);
    writer.begin_array(label, {"static", std::vector<Extents>(order, Extents{1, 2})});
    writer.write_block(label, {Extents(order, 1), Extents(order, 2)}, Values(1U << order, 2.5));
  }
  writer.finish();
  const PersistReader reader(path_);
  const auto scalars = reader.scalars();
  EXPECT_EQ(std::set<std::string>(scalars.begin(), scalars.end()), labels);
  for (const std::string& label : labels)
    EXPECT_EQ(read(reader, label, {2, 6}, {3, 1}), (Values{26, 36, 46}));
  for (std::size_t order = 1; order <= 8; ++order)
    EXPECT_EQ(read(reader, "order" + std::to_string(order), Extents(order, 2), Extents(order, 1)),
              Values{2.5});
}

TEST_F(PersistFile, stands_under_its_name_only_when_finished) {
  std::ofstream(path_) << "what was there";
  {
    PersistWriter writer(path_, "0.1.0");
    write_small(writer, "t2");
    EXPECT_EQ(file_count(), 2U);
  }
  EXPECT_EQ(file_count(), 1U);
  EXPECT_EQ(std::filesystem::file_size(path_), 14U);
  PersistWriter writer(path_, "0.1.0");
  write_small(writer, "t2");
  writer.finish();
  EXPECT_EQ(file_count(), 1U);
  EXPECT_EQ(PersistReader(path_).arrays().size(), 1U);
}

template <class Call>
void expect_error(Errc code, const std::string& part, Call call) {
  try {
    call();
    ADD_FAILURE() << "no error: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST_F(PersistFile, says_what_is_wrong_with_a_file) {
  expect_error(Errc::io, "No such file", [&] { PersistReader reader(path_); });
  std::ofstream(path_) << "not HDF5 at all";
  expect_error(Errc::bad_input, "is not an HDF5 file", [&] { PersistReader reader(path_); });
  expect_error(Errc::io, "no/x: No such file", [&] { PersistWriter(folder_ / "no" / "x", ""); });
}

void read_all(const std::filesystem::path& path) {
  const PersistReader reader(path);
  for (const std::string& label : reader.scalars()) (void)reader.read_scalar(label);
  for (const std::string& label : reader.arrays()) {
    const PersistedArray array = reader.describe(label);
    (void)reader.blocks(label);
    Extents first, extents;
    std::size_t count = 1;
    for (const auto& segments : array.segments) {
      first.push_back(0);
      extents.push_back(std::accumulate(segments.begin(), segments.end(), base::Extent{0}));
      count *= static_cast<std::size_t>(extents.back());
    }
    if (count > 1000) throw Error(Errc::bad_input, path.string() + " has grown");
    Values values(count);
    reader.read_block(label, {first, extents}, values);
  }
}

TEST_F(PersistFile, names_a_file_that_was_cut_short_anywhere) {
  {
    PersistWriter writer(path_, "0.1.0");
    write_small(writer, "t2");
    writer.write_scalar("e", 1.5);
    writer.finish();
  }
  read_all(path_);
  const auto cut = folder_ / "cut.h5";
  constexpr std::uint64_t seal_bytes = 24;  // without them the file is whole, if not proven to be
  const std::uint64_t length = std::filesystem::file_size(path_) - seal_bytes;
  for (std::uint64_t size = 0; size < length; size += 97) {
    std::filesystem::copy_file(path_, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, size);
    try {
      read_all(cut);
      ADD_FAILURE() << "taken: " << size;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(cut.string()), std::string::npos) << error.what();
    }
  }
}

TEST_F(PersistFile, says_what_is_wrong_with_a_label_or_a_piece) {
  PersistWriter writer(path_, "0.1.0");
  write_small(writer, "t2");
  const Values one{1.0};
  expect_error(Errc::bad_input, "was not begun", [&] {
    writer.write_block("t1", {Extents{0}, Extents{1}}, one);
  });
  expect_error(Errc::bad_input, "two persistent arrays", [&] { writer.begin_array("t2", small); });
  expect_error(Errc::bad_input, "no extent below 0", [&] {
    writer.begin_array("wrong", {"static", {{2}, {-1}}});
  });
  const auto piece = [&](const Extents& first, const Extents& extents) {
    expect_error(Errc::bad_input, "does not fit", [&] {
      writer.write_block("t2", {first, extents}, one);
    });
  };
  piece({5, 0}, {1, 1});
  piece({-1, 0}, {1, 1});
  piece({0, 0}, {1, 2});
  piece({0}, {1});
  writer.finish();
  const PersistReader reader(path_);
  expect_error(Errc::bad_input, "nothing under the label 't1'",
               [&] { (void)reader.describe("t1"); });
  expect_error(Errc::bad_input, "nothing under the label 'e'",
               [&] { (void)reader.read_scalar("e"); });
}

TEST_F(PersistFile, a_changed_byte_is_found_before_hdf5_reads_it) {
  {
    PersistWriter writer(path_, "0.1.0");
    write_small(writer, "t2");
    writer.finish();
  }
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path_));
  constexpr std::streamoff seal_bytes = 24;
  for (std::streamoff at = 0; at < size - seal_bytes; at += 37) {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(at);
    const int byte = file.get();
    const auto put = [&](int value) { file.seekp(at).put(static_cast<char>(value)).flush(); };
    put(byte ^ 0x10);
    expect_error(Errc::bad_input, "kept.h5 is damaged", [&] { const PersistReader reader(path_); });
    put(byte);
  }
  EXPECT_EQ(PersistReader(path_).describe("t2"), small);
  // Without its seal it is what older versions wrote.
  std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(size - seal_bytes));
  EXPECT_EQ(PersistReader(path_).describe("t2"), small);
}

TEST_F(PersistFile, is_readable_with_h5py) {
  const std::string python = "/usr/bin/python3";
  if (std::system((python + " -c 'import h5py' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << python << " has no h5py here";
  PersistWriter writer(path_, "0.1.0");
  write_small(writer, "t2");
  writer.write_scalar("energy", -76.25);
  writer.finish();
  const auto script = folder_ / "check.py";
  std::ofstream(script) << R"(
import h5py, sys
file = h5py.File(sys.argv[1], "r")
assert file.attrs["blockyard version"] == "0.1.0"
t2 = file["arrays/t2"]
assert t2.shape == (7, 5) and t2.attrs["kind"] == "served"
assert list(t2.attrs["segments 0"]) == [2, 3] and list(t2.attrs["segments 1"]) == [3, 3, 1]
a = t2[...].T                      # a[i, j], as in SIAL
assert all(a[i, j] == 10 * i + j for i in range(2) for j in range(3))
assert list(a[2:5, 6]) == [26, 36, 46] and a[2:5, 0:6].max() == 0
assert file["blocks/t2"][...].T.tolist() == [[1, 0, 0], [0, 0, 1]]
assert file["scalars/energy"][()] == -76.25
)";
  const std::string command = python + " " + script.string() + " " + path_.string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace blockyard::store
