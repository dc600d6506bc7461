// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/data_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "blockyard/base/error.h"
#include "blockyard/store/survive.h"

namespace blockyard::store {
namespace {

class DataFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "data_file_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    path = folder / "file.h5";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static std::string refusal(const auto& work) {
    try {
      work();
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder;
  std::filesystem::path path;
};

TEST_F(DataFile, comes_back_as_it_was_written) {
  using Complex = std::complex<double>;
  const std::vector<std::int64_t> lengths{2, 3}, whole{1}, first{1, 0}, row{1, 3};
  const std::vector<std::int64_t> integers{5};
  const std::vector<Complex> one{{1, 2}, {3, 4}, {5, 6}};
  {
    DataWriter out(path);
    out.write_attribute("", "format", "a test");
    out.begin("group/set", lengths, true);
    out.write("group/set", first, row, std::span<const Complex>(one));
    out.write_all("count", whole, std::span<const std::int64_t>(integers));
    EXPECT_FALSE(std::filesystem::exists(path)) << "before it is whole";
    out.finish();
  }
  const DataReader in(path);
  EXPECT_EQ(in.text_attribute("", "format"), "a test");
  EXPECT_EQ(in.integers("count", whole), integers);
  EXPECT_EQ(in.names_in("group"), std::vector<std::string>{"set"});
  const auto values = in.complexes("group/set", lengths);
  EXPECT_EQ(std::vector(values.begin() + 3, values.end()), one);
  EXPECT_EQ(values[0], Complex(0));
}

TEST_F(DataFile, says_what_is_not_as_asked) {
  const std::vector<std::int64_t> two{2}, three{3};
  const std::vector<double> values{1, 2};
  DataWriter out(path);
  out.write_all("set", two, std::span<const double>(values));
  out.finish();
  const DataReader in(path);
  EXPECT_NE(refusal([&] { (void)in.doubles("set", three); }).find("it has 2 values, where 3"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)in.doubles("none", two); }).find("none: the dataset is missing"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)in.integers("set", two); }).find("does not consist of integers"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)in.member("set", "tau"); }).find("a member 'tau'"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)in.attribute("", "beta", 1); }).find("'beta' is missing"),
            std::string::npos);
}

TEST_F(DataFile, leaves_nothing_when_it_is_not_finished) {
  { const DataWriter out(path); }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(DataFile, a_file_that_kills_its_reader_is_refused) {
  check_survivable(path, [] {});
  check_survivable(path, [] { throw base::Error(base::Errc::io, "told later"); });
  const std::string text =
      refusal([&] { check_survivable(path, [] { (void)std::raise(SIGSEGV); }); });
  EXPECT_NE(text.find("file.h5: the file is damaged"), std::string::npos) << text;
}

}  // namespace
}  // namespace blockyard::store
