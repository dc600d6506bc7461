// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/calibration.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace blockyard::blas {
namespace {

Calibration sample() {
  return {.latency_seconds = 1e-4,
          .up_rate = 1e9,
          .down_rate = 5e8,
          .local_rate = {4e10, 2e10, 4e10, 2e10},
          .device_rate = {4e12, 2e12, 4e12, 2e12}};
}

TEST(Calibration, is_read_as_it_was_written) {
  EXPECT_EQ(parse_calibration(format_calibration(sample())), sample());
}

TEST(Calibration, counts_only_when_it_is_complete) {
  std::string text = format_calibration(sample());
  EXPECT_FALSE(parse_calibration(text.substr(0, text.size() / 2)));
  EXPECT_FALSE(parse_calibration(""));
  text.replace(text.find("1e+09"), 5, "-4");
  EXPECT_FALSE(parse_calibration(text));
  EXPECT_FALSE(read_calibration("/nowhere/at all"));
}

TEST(Calibration, guesses_by_the_slower_direction) {
  const Guess products = sample().guess('d'), others = sample().guess('f');
  EXPECT_EQ(products.byte_seconds, 2e-9);
  EXPECT_EQ(products.local_rate, 2e10);
  EXPECT_EQ(products.device_rate, 2e12);
  EXPECT_EQ(others.byte_seconds, 2e-9);
  EXPECT_EQ(others.device_rate, 0);
}

TEST(Calibration, has_a_file_for_each_server) {
  EXPECT_EQ(calibration_path("gpu7:7464", "/c", "/h"), "/c/blockyard/offload/gpu7_7464.rates");
  EXPECT_EQ(calibration_path("unix:/run/x", nullptr, "/h"),
            "/h/.cache/blockyard/offload/unix__run_x.rates");
  EXPECT_EQ(calibration_path("gpu7", nullptr, nullptr), "");
}

TEST(Calibration, has_one_file_for_all_spellings_of_an_address) {
  const auto path = [](const std::string& server) { return calibration_path(server, "/c", "/h"); };
  EXPECT_EQ(path("gpu7"), path("gpu7:7464"));
  EXPECT_EQ(path("remote://gpu7"), path("tcp://gpu7:7464"));
  EXPECT_EQ(path("/run/x"), path("unix:/run/x"));
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(path("unix:x"), path(here + "/x"));
  EXPECT_EQ(path("./x"), path(here + "/y/../x"));
  EXPECT_NE(path("gpu7:7465"), path("gpu7"));
  EXPECT_NE(path("plain:gpu7"), path("gpu7"));
}

TEST(Calibration, has_a_file_also_for_what_is_no_address) {
  EXPECT_EQ(calibration_path("gpu7:x", "/c", "/h"), "/c/blockyard/offload/gpu7_x.rates");
}

}  // namespace
}  // namespace blockyard::blas
