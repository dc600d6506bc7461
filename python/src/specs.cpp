// SPDX-License-Identifier: Apache-2.0
// The user's request: a job file, and keywords that override it.
#include <fmt/format.h>

#include <array>
#include <tuple>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/input/method_options.h"
#include "blockyard/input/run_options.h"
#include "blockyard/input/settings.h"
#include "blockyard/input/words.h"
#include "blockyard/job/devices.h"
#include "blockyard/job/files.h"
#include "blockyard/job/read_job.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

void set_int(input::Spec& spec, const std::string& name, std::int64_t value) {
  const std::string key = base::lower(name);
  spec.scalars.erase(key);
  spec.ints[key] = value;
}

void set_scalar(input::Spec& spec, const std::string& name, double value) {
  const std::string key = base::lower(name);
  spec.ints.erase(key);
  spec.scalars[key] = value;
}

/// The job must know the constant. REQUIRES: set_int or set_scalar.
void ask_for(input::Spec& spec, const std::string& name) {
  spec.asked[base::lower(name)] = "constant";
}

/// Keys of a job file with points, and values as they stand there.
input::Settings settings_of(const SettingPairs& pairs) {
  input::Settings settings;
  for (const auto& [key, value] : pairs) settings.push_back({key, value});
  return settings;
}

input::Spec told(job::ReadJob job, nb::list& warnings) {
  for (const std::string& warning : job.warnings) warnings.append(warning);
  return std::move(job.spec);
}

input::Spec geometry(const std::string& text, const std::string& units) {
  input::Spec spec;
  spec.molecule.emplace().geometry = text;
  spec.molecule->units = units;
  return spec;
}

/// Key and form of each option of [method].
std::vector<std::pair<std::string, std::string>> method_options() {
  constexpr std::array forms = {"count", "truth", "word", "number"};
  std::vector<std::pair<std::string, std::string>> told = {{"frozen_core", "truth or count"}};
  for (const input::MethodOption& option : input::method_options())
    told.emplace_back(option.key, forms.at(static_cast<std::size_t>(option.form)));
  return told;
}

/// Key, form, help, default, whether a Session has the option, and whether a resumed run does.
using ToldOption = std::tuple<std::string, std::string, std::string, std::string, bool, bool>;

std::vector<ToldOption> run_options() {
  constexpr std::array forms = {"count", "truth", "text", "time", "path", "paths", "count or text"};
  std::vector<ToldOption> told;
  for (const input::RunOption& option : input::run_options())
    told.emplace_back(option.key, forms.at(static_cast<std::size_t>(option.form)), option.help,
                      option.usual, option.group != input::OptionGroup::files, option.is_of_resume);
  return told;
}

}  // namespace

void set_option(input::RunSpec& run, const std::string& key, const std::string& value) {
  const input::RunOption* option = input::find_run_option(key);
  base::require(option != nullptr, "a keyword of Python is an option of a run");
  option->read(run, value, key);
  if (option->form != input::ValueForm::count || option->most + option->least == 0) return;
  const std::int64_t number = std::stoll(value);
  if (number >= option->least && (option->most == 0 || number <= option->most)) return;
  throw base::Error(base::Errc::bad_input,
                    option->most == 0 ? fmt::format("{} must be at least {}", key, option->least)
                                      : fmt::format("{} must be from {} to {}", key, option->least,
                                                    option->most));
}

void bind_specs(nb::module_& module) {
  using input::Spec;
  nb::class_<Spec>(module, "Spec")
      .def(nb::init<>())
      .def_static("read",
                  [](const std::string& path, const std::vector<std::string>& programs,
                     const SettingPairs& settings, nb::list warnings) {
                    return told(job::read_job(path, programs, settings_of(settings)), warnings);
                  })
      .def_static("parse",
                  [](const std::string& text, const std::string& name, const SettingPairs& settings,
                     nb::list warnings) {
                    return told(job::parse_job(text, name, settings_of(settings)), warnings);
                  })
      .def_static("geometry", &geometry)
      .def("with_settings",
           [](const Spec& spec, const SettingPairs& settings) {
             return input::with_settings(spec, settings_of(settings));
           })
      .def_rw("title", &Spec::title)
      .def_rw("programs", &Spec::programs)
      .def("files_read", [](const Spec& spec,
                            const input::Places& places) { return job::files_read(spec, places); })
      .def("set_int", &set_int)
      .def("set_scalar", &set_scalar)
      .def("ask_for", &ask_for)
      .def("segments", [](Spec& spec, const std::string& text) { input::set_segments(spec, text); })
      .def("set", [](Spec& spec, const std::string& key,
                     const std::string& value) { set_option(spec.run, key, value); })
      .def("name_checkpoints",
           [](Spec& spec, const std::string& first_file) {
             input::name_checkpoints(spec.run, first_file);
           })
      .def("check_device",
           [](const Spec& spec, const std::string& plugins) {
             input::DeviceSpec device = spec.run.device;
             device.plugins = plugins;
             job::check_device_kind(device);
           })
      .def("note", [](Spec& spec, bool has_trace) {
        spec.run.report = true;
        spec.run.has_trace = has_trace;
      });
  nb::class_<job::KeptFiles>(module, "KeptFiles")
      .def(nb::init<>())
      .def("keep_apart", [](job::KeptFiles& kept, Spec& spec) { kept.keep_apart(spec.run); });
  module.def("is_job_name", &job::is_job_name);
  // From these come the keywords of run, plan, resume and Session (python/blockyard/_keywords.py).
  module.def("method_options", &method_options);
  module.def("run_options", &run_options);
}

}  // namespace blockyard::python
