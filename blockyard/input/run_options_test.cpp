// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/run_options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "blockyard/base/error.h"

namespace blockyard::input {
namespace {

/// A value that an option knows, other than the usual one.
std::string unusual(const RunOption& option) {
  if (option.form == ValueForm::truth) return "true";
  if (option.form == ValueForm::count || option.form == ValueForm::count_or_text) return "7";
  if (option.key == "checkpoint" || option.key == "device_after") return "90s";
  if (option.key == "pardo") return "locality";
  if (option.key == "fabric_delay") return "0.001s,2B/s";
  if (option.key == "device") return "sim";
  if (option.key == "placement") return "device";
  if (option.key == "device_network") return "off";
  return "/some/name";
}

TEST(RunOptions, PrintWhatTheyRead) {
  for (const RunOption& option : run_options()) {
    RunSpec run;
    EXPECT_TRUE(option.print(run).empty()) << option.key;
    option.read(run, unusual(option), option.key);
    EXPECT_EQ(option.print(run), std::vector{unusual(option)}) << option.key;
    EXPECT_NE(run, RunSpec()) << option.key;
  }
}

TEST(RunOptions, NameTheOptionWhoseValueIsWrong) {
  for (const RunOption& option : run_options()) {
    if (option.form != ValueForm::count && option.form != ValueForm::truth) continue;
    RunSpec run;
    try {
      option.read(run, "lots", "--it");
      FAIL() << option.key;
    } catch (const base::Error& error) {
      EXPECT_EQ(std::string_view(error.what()).substr(0, 5), "--it:") << error.what();
    }
  }
}

TEST(RunOptions, OfAPluginGoWithTheirDevice) {
  RunSpec run;
  const RunOption* device = find_run_option("device");
  device->read(run, "sim", "device");
  find_run_option("device_options")->read(run, "seed=3", "device_options");
  device->read(run, "sim", "device");
  EXPECT_EQ(run.device.options, "seed=3");
  device->read(run, "none", "device");
  EXPECT_EQ(run.device.options, "");
}

TEST(RunOptions, AreInTheGuideOfTheJobFile) {
  std::ifstream in(BLOCKYARD_JOB_FILE_GUIDE);
  std::ostringstream text;
  text << in.rdbuf();
  for (const RunOption& option : run_options())
    EXPECT_NE(text.str().find("`" + std::string(option.key) + "`"), std::string::npos)
        << option.key << " is not in " << BLOCKYARD_JOB_FILE_GUIDE;
}

TEST(RunOptions, NameTheFolderOfCheckpointsByTheJob) {
  RunSpec run;
  name_checkpoints(run, "/jobs/water.toml");
  EXPECT_EQ(run.checkpoint_folder, "");
  run.checkpoint_seconds = 60;
  name_checkpoints(run, "/jobs/water.toml");
  EXPECT_EQ(run.checkpoint_folder, "water.checkpoint");
  name_checkpoints(run, "other.toml");
  EXPECT_EQ(run.checkpoint_folder, "water.checkpoint");
}

TEST(RunOptions, CheckpointsOfStandardInputHaveANameThatResumeTakes) {
  RunSpec run;
  run.checkpoint_seconds = 60;
  name_checkpoints(run, "-");
  EXPECT_EQ(run.checkpoint_folder, "job.checkpoint");
}

}  // namespace
}  // namespace blockyard::input
