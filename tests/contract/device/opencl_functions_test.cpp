// SPDX-License-Identifier: Apache-2.0
// Mathematical functions in kernels of the user's own on a processor by OpenCL.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/device/device.h"
#include "blockyard/device/kernel.h"
#include "tests/contract/device/backends.h"

namespace blockyard::device::contract {
namespace {

using base::Extent;
using Floats = std::vector<float>;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// f32 of all sizes and signs, and some where functions change their form.
Floats arguments() {
  Floats all = {0.0F,   -0.0F,     infinity, -infinity, std::nanf(""), 1.0F,      -1.0F,      0.5F,
                -0.5F,  88.72F,    88.73F,   -103.97F,  -103.98F,      10.05F,    10.2F,      3.75F,
                1e-45F, 1.17e-38F, 1048576,  1048577,   3.4e38F,       0.785398F, 16367173.0F};
  constexpr std::uint32_t step = 104729, count = 40000;
  for (std::uint32_t k = 0; k < count; ++k) all.push_back(std::bit_cast<float>(k * step));
  for (std::uint32_t k = 0; k < count; ++k)  // where most of them are neither 0 nor 1
    all.push_back((static_cast<float>(k) - count / 2) * 7e-4F);
  return all;
}

/// Of the true value; 0 where both are the same infinity or no number.
double error_in_ulp(float found, double value) {
  const auto nearest = static_cast<float>(value);
  if (std::isnan(value) || std::isinf(nearest) || !std::isfinite(found))
    return std::isnan(value) == std::isnan(found) && (std::isnan(value) || nearest == found)
               ? 0
               : std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(value, &exponent);
  constexpr int bits = 24, subnormal = -149;
  const double ulp = std::ldexp(1.0, std::max(exponent - bits, subnormal));
  return std::abs(static_cast<double>(found) - value) / ulp;
}

class OpenClFunctions : public ::testing::Test {
 protected:
  void SetUp() override {
    static const std::vector<Backend> all = backends();
    const auto found = std::ranges::find(all, "opencl", &Backend::name);
    if (found == all.end()) GTEST_SKIP() << "no OpenCL device here";
    device_.emplace(*found->table, 0, "cache=none");
  }
  /// Runs an entry of the text over as many elements as `in` has.
  Floats run(const std::string& entry, const std::string& text, const Floats& in) {
    const auto bytes = static_cast<Extent>(in.size() * sizeof(float));
    Kernel kernel;
    kernel.entry = entry;
    kernel.parameters.assign(2, {BLOCKYARD_MEMORY, sizeof(float), "float"});
    kernel.opencl = text;
    const auto plan = device_->open_kernel(kernel);
    Stream stream = device_->open_stream();
    const auto from = device_->allocate(bytes), to = device_->allocate(bytes);
    stream.copy_in(from->address(), std::as_bytes(std::span(in)));
    KernelRun call({static_cast<Extent>(in.size()), 1, 1});
    stream.run(*plan, call.memory(to->address(), bytes).memory(from->address(), bytes));
    Floats out(in.size());
    stream.copy_out(std::as_writable_bytes(std::span(out)), to->address());
    stream.synchronise();
    return out;
  }

  std::optional<Device> device_;
};

TEST_F(OpenClFunctions, are_within_4_ulp) {
  struct Function {
    const char* name;
    double (*value)(double);
  };
  constexpr Function functions[] = {{"exp", std::exp},
                                    {"log", std::log},
                                    {"erfc", std::erfc},
                                    {"sin", std::sin},
                                    {"cos", std::cos}};
  std::string text;
  for (const Function& one : functions)
    text += std::string("void of_") + one.name +
            "(long first, long count, global float* y, global const float* x) {\n"
            "  for (long i = first; i < first + count; ++i) y[i] = " +
            one.name + "(x[i]);\n}\n";
  const Floats in = arguments();
  for (const Function& one : functions) {
    const Floats found = run(std::string("of_") + one.name, text, in);
    double worst = 0;
    float at = 0;
    for (std::size_t k = 0; k < in.size(); ++k)
      if (const double error = error_in_ulp(found[k], one.value(static_cast<double>(in[k])));
          error > worst) {
        worst = error;
        at = in[k];
      }
    EXPECT_LE(worst, 4.0) << one.name << " of " << at;
  }
}

TEST_F(OpenClFunctions, of_vectors_and_of_f64_are_those_of_the_driver) {
  const Floats found =
      run("both",
          "void both(long first, long count, global float* y, global const float* x) {\n"
          "  for (long i = first; i < first + count; ++i)\n"
          "    y[i] = exp((float4)(x[i])).z + (float)log((double)x[i]);\n}\n",
          {1.0F, 2.0F});
  EXPECT_NEAR(found[0], std::exp(1.0F), 1e-6F);
  EXPECT_NEAR(found[1], std::exp(2.0F) + std::log(2.0F), 4e-6F);
}

TEST_F(OpenClFunctions, may_be_other_things_by_their_names) {
  const Floats found =
      run("own",
          "#define cos(a, b) ((a) * (b))\n"
          "void own(long first, long count, global float* y, global const float* x) {\n"
          "  const float exp = 2.0f;\n"
          "  for (long i = first; i < first + count; ++i) y[i] = cos(exp, x[i]);\n}\n",
          {1.0F, 2.5F});
  EXPECT_EQ(found, (Floats{2.0F, 5.0F}));
}

TEST_F(OpenClFunctions, keep_the_lines_of_an_error) {
  try {
    run("wrong",
        "void wrong(long first, long count, global float* y, global const float* x) {\n  y[0] = "
        "exp(x);\n}\n",
        {1.0F});
    FAIL() << "compiled";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("wrong:2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace blockyard::device::contract
