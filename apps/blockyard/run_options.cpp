// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::app {

namespace {

using input::OptionGroup;
using input::RunOption;
using input::ValueForm;

std::string name_of(const RunOption& option) {
  std::string name = fmt::format("--{}", option.key);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string help_of(const RunOption& option, bool is_resume) {
  const std::string_view usual = is_resume ? "as before" : option.usual;
  return usual.empty() ? std::string(option.help)
                       : fmt::format("{} (default: {})", option.help, usual);
}

void add_option(CLI::App& command, const RunOption& option, RunOptionValues& values,
                bool is_resume) {
  const std::string name = option.letter.empty()
                               ? name_of(option)
                               : fmt::format("-{},{}", option.letter, name_of(option));
  const std::string help = help_of(option, is_resume);
  CLI::Option* added = nullptr;
  if (option.form == ValueForm::truth)
    command.add_flag(name, values.flags[option.key], help);
  else if (option.form == ValueForm::paths)
    added = command.add_option(name, values.lists[option.key], help)->allow_extra_args(false);
  else
    added = command.add_option(name, values.texts[option.key], help);
  if (added != nullptr) added->type_name(std::string(option.value));
  if (option.most > 0) added->check(CLI::Range(option.least, option.most));
}

void add_ablations(CLI::App& command, RunOptionValues& values) {
  command
      .add_flag("--without-intents", values.without_intents,
                "copy operands to and from the device however they are used (for measurements)")
      ->group("");
  command.add_flag("--without-page-locks", values.without_page_locks, "host memory stays pageable")
      ->group("");
  command
      .add_flag("--without-pools", values.without_pools,
                "freed memory of devices and of the process is given back at once")
      ->group("");
  command.add_option("--device-streams", values.streams, "streams of each worker")
      ->check(CLI::Range(1, 4))
      ->group("");
}

/// What is wrong with a value begins with the name of the option.
void read_option(const RunOption& option, input::RunSpec& run, const std::string& value) try {
  option.read(run, value, name_of(option));
} catch (const base::Error& error) {
  const std::string_view text = error.what();
  if (text.find(name_of(option)) != text.npos) throw;
  throw base::Error(error.code(), fmt::format("{}: {}", name_of(option), text));
}

template <class Filter>
void merge_options(const RunOptionValues& values, input::RunSpec& run, const Filter& is_wanted) {
  for (const RunOption& option : input::run_options()) {
    if (!is_wanted(option)) continue;
    const auto read = [&](const std::string& value) { read_option(option, run, value); };
    if (const auto found = values.texts.find(option.key); found != values.texts.end())
      if (!found->second.empty()) read(found->second);
    if (const auto found = values.lists.find(option.key); found != values.lists.end())
      std::ranges::for_each(found->second, read);
    if (const auto found = values.flags.find(option.key); found != values.flags.end())
      if (found->second) read("true");
  }
}

void merge_ablations(const RunOptionValues& values, input::DeviceSpec& device) {
  device.honours_intents = !values.without_intents;
  device.locks_pages = !values.without_page_locks;
  device.keeps_memory = !values.without_pools;
  if (values.streams) device.streams = *values.streams;
}

}  // namespace

void add_run_options(CLI::App& command, RunOptionValues& values, bool only_of_resume) {
  for (const RunOption& option : input::run_options())
    if (option.is_of_resume || !only_of_resume) add_option(command, option, values, only_of_resume);
  add_ablations(command, values);
}

void merge(const RunOptionValues& values, input::RunSpec& run) {
  merge_options(values, run, [](const RunOption&) { return true; });
  merge_ablations(values, run.device);
}

void merge(const RunOptionValues& values, input::DeviceSpec& device) {
  input::RunSpec run;
  run.device = device;
  merge_options(values, run,
                [](const RunOption& option) { return option.group == OptionGroup::device; });
  merge_ablations(values, run.device);
  device = std::move(run.device);
}

}  // namespace blockyard::app
