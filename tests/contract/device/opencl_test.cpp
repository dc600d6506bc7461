// SPDX-License-Identifier: Apache-2.0
// What the OpenCL plug-in has beyond the table: binaries on disk, and parts of a processor.
#include <unistd.h>

#include <algorithm>
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
    EXPECT_EQ(read(file).size(), good.size()) << bad.size();
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
  EXPECT_EQ(read(file).size(), good.size());
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
