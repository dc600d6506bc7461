// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/split.h"
#include "blockyard/input/detail/read_table.h"
#include "blockyard/input/job_file.h"
#include "blockyard/input/job_text.h"
#include "blockyard/input/method_options.h"
#include "blockyard/input/parse_toml.h"
#include "blockyard/input/run_options.h"

namespace blockyard::input {

using base::Errc;
using base::Error;

namespace {

constexpr std::size_t most_scanned = 100'000;

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "0.9:1.5:7" as seven numbers, or nothing if it is not of that form.
std::optional<std::vector<double>> parse_range(std::string_view text) {
  const auto parts = base::split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const auto first = number_of(parts[0]), last = number_of(parts[1]), count = number_of(parts[2]);
  if (!first || !last || !count) return std::nullopt;
  if (!(*count >= 2 && *count <= most_scanned) ||
      *count != static_cast<double>(static_cast<int>(*count)))
    throw Error(Errc::bad_input,
                fmt::format("\"{}\": a range is FIRST:LAST:COUNT, with a count of 2 "
                            "to {}",
                            text, most_scanned));
  std::vector<double> values;
  for (int k = 0; k < static_cast<int>(*count); ++k)
    values.push_back(*first + (*last - *first) * k / (*count - 1));
  return values;
}

/// A text that is not TOML by itself needs no quotes: cc-pvdz, ccsd(t).
void put_value(toml::table& table, const std::string& key, const std::string& value) {
  const toml::table parsed = [&]() -> toml::table {
    try {
      return parse_toml("value = " + value + "\n", "");
    } catch (const Error&) {
      return {};
    }
  }();
  const toml::node* node = parsed.get("value");
  if (node != nullptr && parsed.size() == 1)
    table.insert_or_assign(key, *node);
  else
    table.insert_or_assign(key, value);
}

/// The other ways to say what a key says: the newer one counts. A geometry file has no variables.
std::vector<std::string_view> contradicted_by(const std::vector<std::string>& parts) {
  if (parts.size() != 2 || parts[0] == "method") return {};
  if (parts[1] == "auxiliary" || parts[1] == "auxiliary_file")
    return {"auxiliary", "auxiliary_file"};
  constexpr std::array<std::string_view, 4> of_same = {"name", "file", "text", "geometry"};
  if (std::ranges::count(of_same, parts[1]) == 0) return {};
  std::vector<std::string_view> others(of_same.begin(), of_same.end());
  if (parts[1] == "file") others.emplace_back("variables");
  return others;
}

void put(toml::table& top, const Setting& setting) {
  const std::vector<std::string> parts = base::split(setting.key, '.');
  if (parts.size() > most_key_parts)
    throw Error(Errc::bad_input, fmt::format("a key of more than {} dotted parts", most_key_parts));
  toml::table* table = &top;
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
    if (table->get(parts[k]) == nullptr) table->insert(parts[k], toml::table());
    table = table->get(parts[k])->as_table();
    if (table == nullptr)
      throw Error(Errc::bad_input, fmt::format("{} is not a table of the job file", parts[k]));
  }
  for (const std::string_view other : contradicted_by(parts)) table->erase(other);
  put_value(*table, parts.back(), setting.value);
}

/// The message of an error that begins with a place in `path`, without it.
std::string without_place(std::string_view message, const std::string& path) {
  const std::string begin = path + ":";
  if (!message.starts_with(begin)) return std::string(message);
  const std::size_t end = message.find(": ", begin.size());
  return std::string(end == message.npos ? message : message.substr(end + 2));
}

/// Adds the setting to the message of an error, in the place of the line.
[[noreturn]] void refuse(const Setting& setting, const Error& error, const std::string& path) {
  throw Error(error.code(), fmt::format("{}={}: {}", setting.key, setting.value,
                                        without_place(error.what(), path)));
}

std::optional<Error> error_of(const toml::table& top, const std::string& path,
                              const std::string& folder) {
  try {
    (void)detail::read_table(top, path, folder);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Throws for settings with which the job is faulty: the error of the first after which it is no
/// more right, or that of the job. What a job lacks or contradicts may be mended by a later one.
[[noreturn]] void refuse(toml::table top, const std::string& path, const std::string& folder,
                         std::span<const Setting> settings) {
  std::optional<Error> error = error_of(top, path, folder);
  const Setting* faulty = nullptr;
  for (const Setting& setting : settings) {
    put(top, setting);
    std::optional<Error> next = error_of(top, path, folder);
    if (next && !error) faulty = &setting;
    if (!next) faulty = nullptr;
    if (!next || !error || faulty == nullptr) error = std::move(next);
  }
  base::require(error.has_value(), "a job that was refused is refused again");
  if (faulty != nullptr) refuse(*faulty, *error, path);
  throw Error(*error);
}

}  // namespace

bool is_setting(std::string_view text) {
  const std::size_t dot = text.find('.');
  return dot != text.npos && dot < text.find('=');
}

std::string setting_named(std::string_view name) {
  const auto is_in = [&](const auto& keys) { return std::ranges::count(keys, name) > 0; };
  if (is_in(detail::molecule_keys)) return fmt::format("molecule.{}", name);
  if (is_in(detail::basis_keys)) return fmt::format("basis.{}", name);
  if (name == "frozen_core" || find_method_option(name) != nullptr)
    return fmt::format("method.{}", name);
  return find_run_option(name) != nullptr ? fmt::format("run.{}", name) : "";
}

Setting parse_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos || equals + 1 == text.size())
    throw Error(Errc::bad_input,
                fmt::format("\"{}\" is not of the form KEY=VALUE, as method.frozen_core=2", text));
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Settings parse_scan(std::string_view text) {
  const Setting all = parse_setting(text);
  if (!is_setting(text))
    throw Error(Errc::bad_input,
                fmt::format("\"{}\": a scan goes through values of a key of the job file, as "
                            "basis.name=cc-pvdz,cc-pvtz or molecule.variables.r=0.9:1.5:7",
                            text));
  Settings settings;
  if (const auto range = parse_range(all.value)) {
    for (const double value : *range) settings.push_back({all.key, fmt::format("{}", value)});
    return settings;
  }
  for (const std::string& value : base::split_outside_brackets(all.value, ',')) {
    if (value.empty()) throw Error(Errc::bad_input, fmt::format("\"{}\" has an empty value", text));
    settings.push_back({all.key, value});
  }
  return settings;
}

Spec parse_job(std::string_view text, const std::string& path, const std::string& folder,
               std::span<const Setting> settings) {
  const toml::table given = parse_toml(text, path);
  toml::table top = given;
  for (const Setting& setting : settings) try {
      put(top, setting);
    } catch (const Error& error) {
      refuse(setting, error, path);
    }
  try {
    return detail::read_table(top, path, folder);
  } catch (const Error&) {
    refuse(given, path, folder, settings);
  }
}

Spec read_job_file(const std::string& path, std::span<const Setting> settings) {
  if (settings.empty()) return read_job_file(path);
  return parse_job(base::read_text(path), path, std::filesystem::path(path).parent_path().string(),
                   settings);
}

Spec with_settings(const Spec& spec, std::span<const Setting> settings, const std::string& name) {
  if (settings.empty()) return spec;
  const std::string path = "job";  // of a text that the user never sees
  Spec result = [&] {
    try {
      return parse_job(job_text(spec), path, "", settings);
    } catch (const Error& error) {
      const std::string text = without_place(error.what(), path);
      if (name.empty() || text == error.what()) throw Error(error.code(), text);  // of a setting
      throw Error(error.code(), fmt::format("{}: {}", name, text));
    }
  }();
  std::erase_if(result.asked, [&](const auto& one) {  // in the text, all constants look alike
    return !spec.asked.contains(one.first) &&
           (spec.ints.contains(one.first) || spec.scalars.contains(one.first));
  });
  return result;
}

Spec job_of_geometry(const std::string& path, std::span<const Setting> settings) {
  Spec spec;
  spec.title = std::filesystem::path(path).stem().string();
  spec.molecule.emplace().file = path;
  return with_settings(spec, settings, path);
}

}  // namespace blockyard::input
