// SPDX-License-Identifier: Apache-2.0
// What the OpenCL plug-in has beyond the table: binaries on disk, and parts of a processor.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "blockyard/device/operation.h"
#include "tests/contract/device/backends.h"
#include "tests/contract/device/test_kernels.h"

namespace blockyard::device::contract {
namespace {

namespace fs = std::filesystem;

const Backend* opencl() {
  static const std::vector<Backend> all = backends();
  const auto found = std::ranges::find(all, "opencl", &Backend::name);
  return found == all.end() ? nullptr : &*found;
}

class OpenClCache : public ::testing::Test {
 protected:
  void SetUp() override {
    if (opencl() == nullptr) GTEST_SKIP() << "no OpenCL device here";
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A device with kernels from the cache, or built anew, adds 1 and 2.
  void compute() const {
    Device device(*opencl()->table, 0, "cache=" + folder_.string());
    constexpr Extent one = 1;
    const auto plan =
        device.open_plan(axpby_operation(element_of<double>, tensor::Shape({&one, 1})));
    Stream stream = device.open_stream();
    const std::vector<double> left = {1}, right = {2};
    const auto place = [&](const std::vector<double>& values) {
      auto memory = device.allocate(sizeof(double));
      stream.copy_in(memory->address(), std::as_bytes(std::span(values)));
      return std::move(*memory);
    };
    const Memory from = place(left), to = place(right);
    stream.run(*plan, {.alpha = 1, .beta = 1, .result = to.address(), .left = from.address()});
    double sum = 0;
    stream.copy_out(std::as_writable_bytes(std::span(&sum, 1)), to.address());
    stream.synchronise();
    EXPECT_EQ(sum, 3.0);
  }
  /// The same by a kernel of the user's own.
  void run_kernel() const {
    Device device(*opencl()->table, 0, "cache=" + folder_.string());
    const auto plan = device.open_kernel(saxpy());
    Stream stream = device.open_stream();
    const auto memory = device.allocate(sizeof(double));
    stream.fill(memory->address(), BLOCKYARD_F64, 1.0, 1);
    KernelRun call({1, 1, 1});
    stream.run(*plan, call.memory(memory->address(), 8).memory(memory->address(), 8).value(2.0));
    double sum = 0;
    stream.copy_out(std::as_writable_bytes(std::span(&sum, 1)), memory->address());
    stream.synchronise();
    EXPECT_EQ(sum, 3.0);
  }
  /// Runs it `times` times on grids of one size; returns what the device says of its choices.
  [[nodiscard]] std::string choices_after(int times) const {
    constexpr Extent count = 5000, bytes = count * static_cast<Extent>(sizeof(double));
    Device device(*opencl()->table, 0, "cache=" + folder_.string());
    const auto plan = device.open_kernel(saxpy());
    Stream stream = device.open_stream();
    const auto memory = device.allocate(bytes);
    stream.fill(memory->address(), BLOCKYARD_F64, 1.0, count);
    for (int k = 0; k < times; ++k) {
      KernelRun call({count, 1, 1});
      stream.run(*plan,
                 call.memory(memory->address(), bytes).memory(memory->address(), bytes).value(1.0));
      stream.synchronise();
    }
    std::vector<double> values(count);
    stream.copy_out(std::as_writable_bytes(std::span(values)), memory->address());
    stream.synchronise();
    EXPECT_EQ(values, std::vector<double>(count, std::ldexp(1.0, times)));
    return device.choices();
  }
  [[nodiscard]] std::vector<fs::path> shapes() const {
    std::vector<fs::path> found = files();
    std::erase_if(found, [](const fs::path& file) { return file.extension() != ".shapes"; });
    return found;
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (fs::exists(folder_))
      for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// What the plug-in appends to its files: FNV-1a.
  static std::string seal(const std::string& bytes) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return fmt::format("{:016x}", hash);
  }
  /// Whole and unchanged. A later binary may be longer: the driver adds what it compiled meanwhile.
  static bool is_sound(const fs::path& file) {
    const std::string bytes = read(file), none = seal({});
    if (bytes.size() <= none.size()) return false;
    const std::size_t size = bytes.size() - none.size();
    return bytes.substr(size) == seal(bytes.substr(0, size));
  }
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  fs::path folder_ = fs::temp_directory_path() / ("opencl_cache." + std::to_string(getpid()));
};

TEST_F(OpenClCache, is_written_once_and_read_again) {
  compute();
  ASSERT_EQ(files().size(), 1U);
  const auto written = fs::last_write_time(files().front());
  compute();
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(fs::last_write_time(files().front()), written);
}

TEST_F(OpenClCache, a_damaged_file_is_replaced) {
  compute();
  const fs::path file = files().at(0);
  const std::string good = read(file);
  std::string changed = good;
  changed[good.size() / 2] = static_cast<char>(changed[good.size() / 2] + 1);
  for (const std::string& bad :
       {std::string(), std::string("no program"), good.substr(0, good.size() / 2), changed}) {
    write(file, bad);
    compute();
    EXPECT_EQ(files().size(), 1U);
    EXPECT_TRUE(is_sound(file)) << bad.size();
  }
}

TEST_F(OpenClCache, keeps_kernels_of_the_user_too_and_replaces_a_damaged_one) {
  run_kernel();
  ASSERT_EQ(files().size(), 1U);
  const fs::path file = files().front();
  const auto written = fs::last_write_time(file);
  run_kernel();
  EXPECT_EQ(fs::last_write_time(file), written);
  const std::string good = read(file);
  write(file, good.substr(0, good.size() / 2));
  run_kernel();
  EXPECT_TRUE(is_sound(file));
}

TEST_F(OpenClCache, replaces_a_sound_file_that_is_no_binary_of_this_driver) {
  run_kernel();
  const fs::path file = files().at(0);
  const std::string other = "what another driver wrote";
  write(file, other + seal(other));
  run_kernel();
  EXPECT_TRUE(is_sound(file));
  EXPECT_GT(read(file).size(), 10 * other.size());
}

TEST_F(OpenClCache, keeps_the_shapes_of_launches_and_begins_anew_without_a_sound_file) {
  const std::string kept = "kept from an earlier run";
  const std::string first = choices_after(12);
  EXPECT_NE(first.find("saxpy: 2^12 elements: groups of "), std::string::npos) << first;
  EXPECT_EQ(first.find(kept), std::string::npos) << first;
  ASSERT_EQ(shapes().size(), 1U);
  const fs::path file = shapes().front();
  const std::string good = read(file);
  const std::string second = choices_after(1);
  EXPECT_NE(second.find(kept), std::string::npos) << second;
  std::string changed = good;
  changed[good.size() / 2] = static_cast<char>(changed[good.size() / 2] + 1);
  for (const std::string& bad :
       {std::string(), std::string("no shapes"), good.substr(0, good.size() / 2), changed}) {
    write(file, bad);
    const std::string anew = choices_after(1);
    EXPECT_EQ(anew.find(kept), std::string::npos) << anew;
  }
}

TEST_F(OpenClCache, is_written_by_many_who_build_the_same_text_at_once) {
  std::vector<std::thread> all;
  for (int k = 0; k < 4; ++k) all.emplace_back([this] { run_kernel(); });
  for (std::thread& one : all) one.join();
  ASSERT_EQ(files().size(), 1U);
  run_kernel();
}

TEST_F(OpenClCache, a_folder_that_cannot_be_written_is_no_error) {
  write(folder_, "a file stands where the folder should be");
  compute();
}

TEST(OpenClParts, of_a_processor_are_devices_with_cores_of_their_own) {
  if (opencl() == nullptr) GTEST_SKIP() << "no OpenCL device here";
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core has no parts";
  Device first(*opencl()->table, 0, "units=1 cache=none");
  Device second(*opencl()->table, 0, "units=1 cache=none");
  const std::string names = std::string(first.describe().name) + second.describe().name;
  EXPECT_NE(std::string(first.describe().name), second.describe().name) << names;
  EXPECT_NE(names.find("part 1 of"), std::string::npos) << names;
  EXPECT_NE(names.find("part 2 of"), std::string::npos) << names;
  std::vector<Stream> streams;
  streams.push_back(first.open_stream());
  streams.push_back(second.open_stream());
  const auto one = first.allocate(80), two = second.allocate(80);
  streams[0].fill(one->address(), BLOCKYARD_F64, 1.0, 10);
  streams[1].fill(two->address(), BLOCKYARD_F64, 2.0, 10);
  std::vector<double> values(20);
  const auto bytes = std::as_writable_bytes(std::span(values));
  streams[0].copy_out(bytes.first(80), one->address());
  streams[1].copy_out(bytes.last(80), two->address());
  for (Stream& stream : streams) stream.synchronise();
  EXPECT_EQ(values.front(), 1.0);
  EXPECT_EQ(values.back(), 2.0);
}

}  // namespace
}  // namespace blockyard::device::contract
