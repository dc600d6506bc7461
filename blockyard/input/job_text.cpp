// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/job_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/input/method_options.h"
#include "blockyard/input/run_options.h"
#include "blockyard/input/words.h"
#include "blockyard/super/load.h"

namespace blockyard::input {
namespace {

/// The bytes of the UTF-8 character that a text begins with; 0: it begins with none.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < size) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool is_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool is_none = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return is_long || is_none ? 0 : size;
}

/// With U+FFFD for each byte that is not UTF-8, as of a title in Latin-1.
std::string in_utf8(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t size = character_size(text.substr(k));
    result += size > 0 ? text.substr(k, size) : "\xef\xbf\xbd";
    k += std::max<std::size_t>(size, 1);
  }
  return result;
}

/// A text with what TOML wants escaped between double quotes; `plain`: what it does not.
std::string escaped(std::string_view raw, std::string_view plain) {
  const std::string text = in_utf8(raw);
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if ((static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && plain.find(c) == plain.npos)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result;
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", escaped(text, "")); }

/// Lines, as lines.
std::string in_long_quotes(std::string_view text) {
  return fmt::format("\"\"\"\n{}\"\"\"", escaped(text, "\n\t"));
}

/// Names of files as seen from the folder of the job file.
struct Folder {
  std::string name;  ///< empty: the names stay

  /// Throws Error{bad_input} for a name that TOML, which is UTF-8, cannot hold.
  [[nodiscard]] std::string seen(const std::string& file) const {
    if (const std::string name_in_utf8 = in_utf8(file); name_in_utf8 != file)
      throw base::Error(base::Errc::bad_input,
                        fmt::format("the name '{}' is not UTF-8, as what a job file names must be: "
                                    "rename the file or its folder",
                                    name_in_utf8));
    if (name.empty() || !guess_basis(file).empty()) return file;
    namespace fs = std::filesystem;  // not `relative`: of what is not there yet it makes nothing
    return super::with_path(file, [&](const std::string& path) {
      if (path.empty() || path.starts_with('/')) return path;
      const fs::path whole = fs::weakly_canonical(fs::absolute(path));
      return whole.lexically_relative(fs::weakly_canonical(fs::absolute(name))).string();
    });
  }
  [[nodiscard]] std::vector<std::string> seen(std::vector<std::string> files) const {
    for (std::string& file : files) file = seen(file);
    return files;
  }
};

/// A number that TOML reads as a float.
std::string number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

/// A name as TOML wants it before an equals sign.
std::string key_text(std::string_view name) {
  const bool is_bare = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  return is_bare ? std::string(name) : in_quotes(name);
}

/// The lines of one table; its head is written with its first line.
class Table {
 public:
  Table(std::string& text, std::string_view name) : text_(text), head_(name) {}

  void line(std::string_view key, std::string_view value) {
    if (!head_.empty()) text_ += fmt::format("\n[{}]\n", std::exchange(head_, ""));
    text_ += fmt::format("{} = {}\n", key, value);
  }
  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) line(key, in_quotes(value));
  }
  template <class T>
  void number_if_given(std::string_view key, const std::optional<T>& value) {
    if (value) line(key, fmt::format("{}", *value));
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    std::vector<std::string> all;
    for (const std::string& value : values) all.push_back(in_quotes(value));
    if (!all.empty()) line(key, fmt::format("[{}]", fmt::join(all, ", ")));
  }

 private:
  std::string& text_;
  std::string head_;
};

void write_set(const SetSpec& set, const Folder& folder, Table& table) {
  table.text("name", set.name);
  table.text("file", folder.seen(set.file));
  if (!set.text.empty()) table.line("text", in_long_quotes(set.text));
}

void write_molecule(const MoleculeSpec& molecule, const Folder& folder, std::string& text) {
  Table table(text, "molecule");
  if (molecule.file.empty()) table.line("geometry", in_long_quotes(molecule.geometry));
  table.text("file", folder.seen(molecule.file));
  table.text("units", molecule.units);
  if (molecule.charge != 0) table.line("charge", fmt::format("{}", molecule.charge));
  if (molecule.multiplicity != 1)
    table.line("multiplicity", fmt::format("{}", molecule.multiplicity));
}

void write_method(const MethodSpec& method, std::string& text) {
  Table table(text, "method");
  table.text("name", method.name);
  if (!method.frozen_core)
    table.line("frozen_core", "true");
  else if (*method.frozen_core != 0)
    table.line("frozen_core", fmt::format("{}", *method.frozen_core));
  for (const MethodOption& option : method_options()) {
    const std::string key(option.key);
    if (const auto found = method.scalars.find(key); found != method.scalars.end())
      table.line(key, number(found->second));
    const auto found = method.ints.find(key);
    if (found == method.ints.end()) continue;
    if (option.form == OptionForm::word)
      table.line(key, in_quotes(option.words[static_cast<std::size_t>(found->second)]));
    else if (option.form == OptionForm::truth)
      table.line(key, found->second != 0 ? "true" : "false");
    else
      table.line(key, fmt::format("{}", found->second));
  }
}

std::string dense_text(const worker::DenseArray& array, bool has_ints) {
  std::vector<std::string> values;
  for (const double value : array.values)
    values.push_back(has_ints ? fmt::format("{}", value) : number(value));
  return fmt::format("{{ {}extents = [{}], values = [{}] }}", has_ints ? "type = \"int\", " : "",
                     fmt::join(array.extents, ", "), fmt::join(values, ", "));
}

void write_configuration(const Spec& spec, std::string& text) {
  Table table(text, "configuration");
  for (const auto& [section, keys] : spec.configuration) {
    std::vector<std::string> pairs;
    for (const auto& [key, value] : keys)
      pairs.push_back(fmt::format("{} = {}", key_text(key), in_quotes(value)));
    table.line(key_text(section), fmt::format("{{ {} }}", fmt::join(pairs, ", ")));
  }
}

void write_segments(const SegmentSpec& segments, std::string& text) {
  Table table(text, "segments");
  for (const auto& [kind, extents] : segments.extents)
    table.line(array::kind_names[static_cast<std::size_t>(kind)],
               fmt::format("[{}]", fmt::join(extents, ", ")));
  table.number_if_given("ao", segments.ao);
  table.number_if_given("occupied", segments.occupied);
  table.number_if_given("virtual", segments.virtual_);
  table.number_if_given("subsegment", segments.subsegment);
}

void write_run(const RunSpec& run, const Folder& folder, std::string& text) {
  Table table(text, "run");
  for (const RunOption& option : run_options()) {
    std::vector<std::string> values = option.print(run);
    if (option.form == ValueForm::path || option.form == ValueForm::paths)
      values = folder.seen(std::move(values));
    if (option.form == ValueForm::paths)
      table.texts(option.key, values);
    else if (option.form == ValueForm::text || option.form == ValueForm::time ||
             option.form == ValueForm::path)
      table.text(option.key, values.empty() ? "" : values.front());
    else if (!values.empty())
      table.line(option.key, values.front());
  }
}

}  // namespace

std::string job_text(const Spec& spec, const std::string& folder_name) {
  const Folder folder{folder_name};
  std::string text;
  Table top(text, "");
  top.text("title", spec.title);
  top.texts("programs", folder.seen(spec.programs));
  if (spec.molecule) write_molecule(*spec.molecule, folder, text);
  Table basis(text, "basis");
  write_set(spec.basis, folder, basis);
  basis.text("ecp", spec.basis.ecp);
  if (spec.basis.spherical) basis.line("spherical", *spec.basis.spherical ? "true" : "false");
  basis.text("auxiliary", spec.basis.auxiliary);
  basis.text("auxiliary_file", folder.seen(spec.basis.auxiliary_file));
  for (const auto& [key, atom] : spec.basis.atoms) {
    Table of_atom(text, fmt::format("basis.atoms.{}", in_quotes(key)));
    write_set(atom.set, folder, of_atom);
    of_atom.text("ecp", atom.ecp);
  }
  if (spec.method) write_method(*spec.method, text);
  Table constants(text, "constants");
  for (const auto& [name, value] : spec.ints)
    constants.line(key_text(name), fmt::format("{}", value));
  for (const auto& [name, value] : spec.scalars) constants.line(key_text(name), number(value));
  Table arrays(text, "arrays");
  for (const auto& [name, array] : spec.arrays)
    arrays.line(key_text(name), dense_text(array, spec.int_arrays.contains(name)));
  write_segments(spec.segments, text);
  write_configuration(spec, text);
  write_run(spec.run, folder, text);
  return text;
}

}  // namespace blockyard::input
