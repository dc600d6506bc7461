// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/input/spec.h"

/// Keys of a job file that the command line gives: "method.frozen_core=2".
namespace blockyard::input {

/// `key` is that of a table and of an entry in it, with points; `value` as in a job file, but
/// a text needs no quotes.
struct Setting {
  std::string key;
  std::string value;
  friend bool operator==(const Setting&, const Setting&) = default;
};

using Settings = std::vector<Setting>;

/// Whether "name=value" is a setting, whose name has a point, and not a constant of a program.
[[nodiscard]] bool is_setting(std::string_view text);

/// The key of a job file that has this name in its table, as "molecule.charge" for "charge"; empty:
/// there is none.
[[nodiscard]] std::string setting_named(std::string_view name);

/// Throws Error{bad_input} unless the text is KEY=VALUE.
[[nodiscard]] Setting parse_setting(std::string_view text);

/// The settings, one after the other, of "KEY=V1,V2,V3" or, evenly spaced numbers with both ends,
/// "KEY=FIRST:LAST:COUNT". Throws Error{bad_input} for anything else.
[[nodiscard]] Settings parse_scan(std::string_view text);

/// read_job_file and parse_job (job_file.h) with settings that override the file.
/// A faulty setting throws an Error{bad_input} that names it.
[[nodiscard]] Spec read_job_file(const std::string& path, std::span<const Setting> settings);
[[nodiscard]] Spec parse_job(std::string_view text, const std::string& path,
                             const std::string& folder, std::span<const Setting> settings);

/// A job as it was read from anything else, with settings. Errors begin with `name`, where it was
/// read, if there is one.
[[nodiscard]] Spec with_settings(const Spec& spec, std::span<const Setting> settings,
                                 const std::string& name = "");

/// The job of a geometry alone, an XYZ file; settings give the rest.
[[nodiscard]] Spec job_of_geometry(const std::string& path, std::span<const Setting> settings);

}  // namespace blockyard::input
