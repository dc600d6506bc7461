// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/dat.h"

#include <gtest/gtest.h>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"

namespace blockyard::aces::dat {
namespace {

DatFile example() {
  DatFile file;
  file.programs = {"scf_rhf.siox", "rccsd_rhf.siox"};
  file.ints = {{"norb", 2}, {"baocc", -1}};
  file.scalars = {{"scf_conv", 1e-8}};
  file.segments = {{array::IndexKind::ao, {5, 7}}, {array::IndexKind::la, {1}}};
  file.scalar_arrays = {{"ca", {{2, 3}, {1, 2, 3, 4, 5, 6}}}};
  file.int_arrays = {{"npfps", {{2}, {3, 1}}}};
  file.configuration = {{"scf_rhf.siox", {{"key", "value"}, {"other", ""}}}};
  return file;
}

std::string failure(std::span<const std::byte> bytes) {
  try {
    static_cast<void>(read_dat(bytes));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

/// A file by hand, as its layout is described: only ints and texts.
class Bytes {
 public:
  Bytes& ints(std::initializer_list<std::int32_t> values) {
    for (const std::int32_t value : values) out_.value(value);
    return *this;
  }
  Bytes& text(std::string_view text) {
    out_.value(static_cast<std::int32_t>(text.size() + 1));
    out_.raw(std::as_bytes(std::span(text.data(), text.size())));
    out_.value('\0');
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return out_.bytes(); }

 private:
  base::ByteWriter out_;
};

Bytes head() { return Bytes().ints({23121991, 1}); }

TEST(Dat, ReadsWhatItWrote) { EXPECT_EQ(read_dat(write_dat(example())), example()); }

TEST(Dat, ArraysThatAJobHasNoUseForHaveAnExtentOfZero) {
  DatFile file = example();
  file.scalar_arrays["clp"] = {{0}, {}};
  file.int_arrays["kfirst"] = {{3, 0}, {}};
  EXPECT_EQ(read_dat(write_dat(file)), file);
  Bytes negative = head();
  negative.ints({0, 0, 0, 0, 0, 1}).text("a").ints({1, 1, -1, 0});
  EXPECT_NE(failure(negative.bytes()).find("the extents of int array \"a\": -1 is not at least 0"),
            std::string::npos);
  Bytes filled = head();
  filled.ints({0, 0, 0, 0, 0, 1}).text("a").ints({2, 2, 0, 65536, 1, 7});
  EXPECT_NE(failure(filled.bytes()).find("has 1 values, not as many"), std::string::npos);
}

TEST(Dat, ReadsTheLayoutByteByByte) {
  Bytes bytes = head();
  bytes.ints({1}).text("A.siox");
  bytes.ints({1}).text("NORB").ints({3});
  bytes.ints({0});
  bytes.ints({2, 1001, 3, 4, 5, 6, 1005, 1, 1});
  bytes.ints({0});
  bytes.ints({1}).text("atom").ints({1, 1, 2, 2, 7, 8});
  const DatFile file = read_dat(bytes.bytes());
  EXPECT_EQ(file.programs, std::vector<std::string>{"A.siox"});
  EXPECT_EQ(file.ints.at("norb"), 3);
  EXPECT_EQ(file.segments.size(), 1u);
  EXPECT_EQ(file.segments.at(array::IndexKind::ao), (std::vector<Extent>{4, 5, 6}));
  EXPECT_EQ(file.int_arrays.at("atom").values, (std::vector<std::int32_t>{7, 8}));
}

TEST(Dat, RefusesEveryTruncationWithTheReason) {
  const std::vector<std::byte> whole = write_dat(example());
  DatFile without = example();
  without.configuration.clear();
  const std::size_t end_of_arrays = write_dat(without).size() - sizeof(std::int32_t);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == end_of_arrays) continue;  // older files end there
    EXPECT_NE(failure(std::span(whole).first(size)).find("byte "), std::string::npos) << size;
  }
}

TEST(Dat, NamesWhatIsWrong) {
  EXPECT_EQ(failure(Bytes().ints({1, 1}).bytes()),
            "this is not a job file of ACES4: the magic number differs");
  EXPECT_EQ(failure(Bytes().ints({23121991, 2}).bytes()),
            "byte 8: version 2 of the layout; version 1 is known");
  EXPECT_EQ(failure(head().ints({1'000'000'000}).bytes()),
            "byte 12: 1000000000 programs do not fit into the 0 bytes that are left");
  EXPECT_EQ(failure(head().ints({-1}).bytes()),
            "byte 12: -1 programs do not fit into the 0 bytes that are left");
  Bytes kind = head();
  kind.ints({0, 0, 0, 1, 1007, 1, 4});
  EXPECT_EQ(failure(kind.bytes()), "byte 28: 1007 is not a kind of index (1001 to 1006)");
  Bytes segment = head();
  segment.ints({0, 0, 0, 1, 1001, 1, 0});
  EXPECT_EQ(failure(segment.bytes()), "byte 36: the segments of kind 1001: 0 is not positive");
  Bytes twice = head();
  twice.ints({0, 2}).text("n").ints({1}).text("N").ints({2, 0, 0, 0, 0});
  EXPECT_NE(failure(twice.bytes()).find("\"n\" is given twice"), std::string::npos);
  Bytes extents = head();
  extents.ints({0, 0, 0, 0, 0, 1}).text("a").ints({2, 2, 65536, 65536, 1, 0});
  EXPECT_NE(failure(extents.bytes()).find("int array \"a\" has 1 values, not as many"),
            std::string::npos);
  Bytes longer = head();
  longer.ints({0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_NE(failure(longer.bytes()).find("bytes after the end"), std::string::npos);
}

TEST(Dat, RefusesToWriteWhatNeedsMoreThan32Bits) {
  const auto refusal = [](const DatFile& file) {
    try {
      static_cast<void>(write_dat(file));
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  DatFile segment;
  segment.segments[array::IndexKind::moa] = {3'000'000'000};
  EXPECT_EQ(refusal(segment),
            "a segment of moa = 3000000000 does not fit the 32 bits of a .dat file");
  DatFile array;
  array.scalar_arrays["a"] = {{5'000'000'000, 0}, {}};
  EXPECT_EQ(refusal(array), "an extent of a = 5000000000 does not fit the 32 bits of a .dat file");
}

TEST(Dat, PrintsALineForEachName) {
  EXPECT_EQ(print_dat(example()),
            "program scf_rhf.siox\nprogram rccsd_rhf.siox\nint baocc = -1\nint norb = 2\n"
            "scalar scf_conv = 1e-08\nsegments ao = 5 7\nsegments la = 1\n"
            "scalar array ca[2,3] = 1 2 3 4 5 6\nint array npfps[2] = 3 1\n"
            "configuration scf_rhf.siox key = value\nconfiguration scf_rhf.siox other = \n");
}

}  // namespace
}  // namespace blockyard::aces::dat
