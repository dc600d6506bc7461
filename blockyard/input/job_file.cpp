// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/job_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"
#include "blockyard/input/detail/read_table.h"
#include "blockyard/input/detail/toml_arrays.h"
#include "blockyard/input/method_options.h"
#include "blockyard/input/parse_toml.h"
#include "blockyard/input/run_options.h"
#include "blockyard/input/toml_section.h"
#include "blockyard/input/words.h"
#include "blockyard/qc/geometry.h"
#include "blockyard/super/load.h"

namespace blockyard::input {

using base::Errc;
using base::Error;

namespace {

/// The context of the parts of a job file.
struct File {
  const toml::table& top;
  const std::string& path;
  const std::string& folder;

  [[nodiscard]] TomlSection section(const std::string& name,
                                    const std::vector<std::string>& known) const {
    const toml::node& node = *top.get(name);
    if (!node.is_table())
      throw error_at(path, node, fmt::format("{} must be a table: [{}]", name, name));
    return {*node.as_table(), name, path, known};
  }
  /// An empty name stays one: it is no file, not the folder.
  [[nodiscard]] std::string from_folder(const std::string& name) const {
    if (name.empty()) return name;
    return (std::filesystem::path(folder) / name).string();
  }
};

/// Now, while the place in the file is known.
void check_geometry(const TomlSection& in, const MoleculeSpec& molecule) {
  try {
    (void)qc::parse_geometry(molecule.geometry, qc::parse_length_unit(molecule.units));
  } catch (const Error& error) {
    throw in.error("geometry", error.what());
  }
}

/// [molecule.variables]: a coordinate of the geometry may be the name of one, with a sign before
/// it.
void put_variables(const TomlSection& in, std::string& geometry) {
  const auto* variables = in.node("variables").as_table();
  if (variables == nullptr) throw in.error("variables", "must be a table of numbers: { r = 0.96 }");
  std::map<std::string, double, std::less<>> values;
  for (const auto& [name, value] : *variables) {
    if (!value.is_number())
      throw in.error("variables", fmt::format("{} must be a number", name.str()));
    values[std::string(name.str())] = *value.value<double>();
  }
  try {
    geometry = qc::with_variables(geometry, values);
  } catch (const Error& error) {
    throw in.error("variables", error.what());
  }
}

MoleculeSpec parse_molecule(const File& file) {
  const TomlSection in =
      file.section("molecule", {detail::molecule_keys.begin(), detail::molecule_keys.end()});
  MoleculeSpec molecule;
  molecule.geometry = in.text("geometry").value_or("");
  if (in.has("variables")) put_variables(in, molecule.geometry);
  if (const auto name = in.text("file")) {
    if (in.has("geometry")) throw in.error("file", "there is already a geometry: give only one");
    molecule.file = file.from_folder(*name);
  } else if (!in.has("geometry")) {
    throw error_at(file.path, file.top.get("molecule")->ref<toml::table>(),
                   "[molecule] needs a geometry or a file");
  }
  if (const auto units = in.text("units")) {
    molecule.units = base::lower(*units);
    if (molecule.units != "angstrom" && molecule.units != "bohr")
      throw in.error("units", "must be \"angstrom\" or \"bohr\"");
  }
  if (in.has("geometry")) check_geometry(in, molecule);
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();
  molecule.charge = in.integer("charge", any).value_or(0);
  molecule.multiplicity = in.integer("multiplicity", 1).value_or(1);
  return molecule;
}

/// The keys name, file, text.
SetSpec parse_set(const File& file, const TomlSection& in) {
  SetSpec set;
  set.name = in.text("name").value_or("");
  if (const auto name = in.text("file")) {
    if (in.has("name")) throw in.error("file", "there is already a name: give only one");
    set.file = file.from_folder(*name);
  }
  if (const auto text = in.text("text")) {
    if (in.has("name") || in.has("file"))
      throw in.error("text", "there is already a name or a file: give only one");
    set.text = *text;
  }
  return set;
}

/// [basis.atoms]: a name, or a table, for each element, label or number of an atom.
void parse_atom_sets(const File& file, const TomlSection& in, BasisSpec& basis) {
  const auto* atoms = in.node("atoms").as_table();
  if (atoms == nullptr)
    throw in.error("atoms", "must be a table: [basis.atoms], with lines such as O = \"cc-pvtz\"");
  for (const auto& [key, value] : *atoms) {
    AtomBasisSpec& atom = basis.atoms[std::string(key.str())];
    if (const auto* name = value.as_string()) {
      atom.set.name = name->get();
    } else if (const auto* table = value.as_table()) {
      const TomlSection of_atom(*table, fmt::format("basis.atoms.{}", key.str()), file.path,
                                {"name", "file", "text", "ecp"});
      atom.set = parse_set(file, of_atom);
      atom.ecp = of_atom.text("ecp").value_or("");
    } else {
      throw error_at(file.path, value,
                     fmt::format("basis.atoms.{}: must be the name of a basis set, or a "
                                 "table with a name, a file or a text",
                                 key.str()));
    }
  }
}

BasisSpec parse_basis(const File& file) {
  const TomlSection in =
      file.section("basis", {detail::basis_keys.begin(), detail::basis_keys.end()});
  BasisSpec basis;
  static_cast<SetSpec&>(basis) = parse_set(file, in);
  basis.ecp = in.text("ecp").value_or("");
  if (in.has("atoms")) parse_atom_sets(file, in, basis);
  basis.spherical = in.truth("spherical");
  basis.auxiliary = in.text("auxiliary").value_or("");
  if (const auto name = in.text("auxiliary_file")) {
    if (in.has("auxiliary"))
      throw in.error("auxiliary_file", "there is already an auxiliary: give only one");
    basis.auxiliary_file = file.from_folder(*name);
  }
  return basis;
}

void parse_option(const TomlSection& in, const MethodOption& option, MethodSpec& method) {
  const std::string name(option.key);
  switch (option.form) {
    case OptionForm::count:
      method.ints[name] = *in.integer(option.key, option.range == OptionRange::above_zero ? 1 : 0);
      break;
    case OptionForm::truth:
      method.ints[name] = *in.truth(option.key) ? 1 : 0;
      break;
    case OptionForm::number:
      method.scalars[name] = *in.number(option.key, option.range != OptionRange::above_zero);
      if (option.range == OptionRange::fraction && method.scalars[name] >= 1)
        throw in.error(option.key, "must be less than 1");
      break;
    case OptionForm::word: {
      const std::string word = base::lower(*in.text(option.key));
      const auto end = std::ranges::find(option.words, std::string_view());
      const auto found = std::find(option.words.begin(), end, word);
      if (found == end)
        throw in.error(option.key, fmt::format("must be \"{}\"",
                                               fmt::join(option.words.begin(), end, "\" or \"")));
      method.ints[name] = found - option.words.begin();
    }
  }
}

MethodSpec parse_method(const File& file) {
  std::vector<std::string> known = {"name", "frozen_core"};
  for (const MethodOption& option : method_options()) known.emplace_back(option.key);
  const TomlSection in = file.section("method", known);
  MethodSpec method;
  method.name = base::lower(in.text("name").value_or(""));
  if (in.has("frozen_core")) {
    if (in.node("frozen_core").is_boolean())
      method.frozen_core = *in.truth("frozen_core") ? std::nullopt : std::optional<std::int64_t>(0);
    else if (in.node("frozen_core").is_integer())
      method.frozen_core = in.integer("frozen_core", 0);
    else
      throw in.error("frozen_core", "must be a number of orbitals, or true for the usual ones");
  }
  for (const MethodOption& option : method_options())
    if (in.has(option.key)) parse_option(in, option, method);
  return method;
}

/// Programs of the user's own may have fewer constants: a job made from a .dat file gives them all.
void parse_constants(const File& file, Spec& spec) {
  const toml::node& node = *file.top.get("constants");
  if (!node.is_table()) throw error_at(file.path, node, "constants must be a table: [constants]");
  for (const auto& [key, value] : *node.as_table()) {
    const std::string name = base::lower(key.str());
    if (value.is_integer())
      spec.ints[name] = value.as_integer()->get();
    else if (value.is_floating_point())
      spec.scalars[name] = value.as_floating_point()->get();
    else
      throw error_at(file.path, value,
                     fmt::format("constants.{}: must be an integer or a number", name));
    if (spec.programs.empty()) spec.asked[name] = "[constants]";
  }
}

std::vector<Extent> parse_extents(const TomlSection& in, std::string_view key) {
  std::vector<Extent> extents;
  const auto* list = in.node(key).as_array();
  if (list == nullptr || list->empty())
    throw in.error(key, "must be a list with the number of elements of each segment");
  for (const toml::node& entry : *list) {
    if (!entry.is_integer() || entry.as_integer()->get() < 1)
      throw in.error(key, "a segment has an integer number of elements, at least 1");
    extents.push_back(entry.as_integer()->get());
  }
  return extents;
}

SegmentSpec parse_segments(const File& file) {
  std::vector<std::string> known = {"occupied", "virtual", "subsegment"};
  for (std::size_t k = 1; k < array::kind_count; ++k) known.emplace_back(array::kind_names[k]);
  const TomlSection in = file.section("segments", known);
  SegmentSpec segments;
  for (std::size_t k = 1; k < array::kind_count; ++k) {
    const std::string_view name = array::kind_names[k];
    if (!in.has(name)) continue;
    const auto kind = static_cast<array::IndexKind>(k);
    if (kind == array::IndexKind::ao && in.node(name).is_integer())
      segments.ao = in.integer(name, 1);
    else
      segments.extents[kind] = parse_extents(in, name);
  }
  segments.occupied = in.integer("occupied", 1);
  segments.virtual_ = in.integer("virtual", 1);
  segments.subsegment = in.integer("subsegment", 1);
  return segments;
}

void parse_configuration(const File& file, Spec& spec) {
  const toml::node& node = *file.top.get("configuration");
  const auto check = [&](bool is_good, const toml::node& where) {
    if (!is_good)
      throw error_at(file.path, where,
                     "configuration must be a table of tables of texts, as of a .dat file: "
                     "\"scf_rhf.siox\" = { no_servers = \"f\" }");
  };
  check(node.is_table(), node);
  for (const auto& [section, keys] : *node.as_table()) {
    check(keys.is_table(), keys);
    auto& into = spec.configuration[std::string(section.str())];
    for (const auto& [key, value] : *keys.as_table()) {
      check(value.is_string(), value);
      into[std::string(key.str())] = **value.as_string();
    }
  }
}

/// A file in the folder of the job; of a super instruction's, after what says that it is for ACES.
/// The basis of a guess is not a file.
std::string placed(const File& file, const std::string& name) {
  if (!guess_basis(name).empty()) return name;
  return super::with_path(name, [&](const std::string& path) { return file.from_folder(path); });
}

/// The value of an option, as texts for its `read`; nothing if it is missing.
std::vector<std::string> option_values(const File& file, const TomlSection& in,
                                       const RunOption& option) {
  const std::string_view key = option.key;
  const auto counted = [&] {
    const std::int64_t value = in.integer(key, option.least).value();
    if (option.most > 0 && value > option.most)
      throw in.error(key, fmt::format("must be at most {}", option.most));
    return std::vector{std::to_string(value)};
  };
  switch (option.form) {
    case ValueForm::count:
      return counted();
    case ValueForm::truth:
      return {in.truth(key).value() ? "true" : "false"};
    case ValueForm::text:
    case ValueForm::time:
      return {in.text(key).value()};
    case ValueForm::path:
      return {placed(file, in.text(key).value())};
    case ValueForm::paths: {
      std::vector<std::string> paths = in.texts(key);
      for (std::string& path : paths) path = placed(file, path);
      return paths;
    }
    case ValueForm::count_or_text:
      return in.node(key).is_integer() ? counted() : std::vector{in.text(key).value()};
  }
  return {};
}

RunSpec parse_run(const File& file) {
  std::vector<std::string> keys;
  for (const RunOption& option : run_options()) keys.emplace_back(option.key);
  const TomlSection in = file.section("run", keys);
  RunSpec run;
  for (const RunOption& option : run_options()) {
    if (!in.has(option.key)) continue;
    for (const std::string& value : option_values(file, in, option)) {
      try {
        option.read(run, value, option.key);
      } catch (const Error& error) {
        throw in.error(option.key, error.what());
      }
    }
  }
  return run;
}

Spec parse_table(const File& file) {
  if (const toml::node* lattice = file.top.get("lattice"); lattice && lattice->is_table())
    throw error_at(file.path, *lattice,
                   "[lattice] makes it a job of a lattice, which only the command line runs, and "
                   "not in a list: blockyard run FILE");
  const TomlSection in(file.top, "", file.path,
                       {"title", "programs", "molecule", "basis", "method", "constants", "arrays",
                        "segments", "configuration", "run"});
  Spec spec;
  spec.title = in.text("title").value_or("");
  for (const std::string& name : in.texts("programs"))
    spec.programs.push_back(file.from_folder(name));
  if (in.has("molecule")) spec.molecule = parse_molecule(file);
  if (in.has("basis")) spec.basis = parse_basis(file);
  if (in.has("method")) spec.method = parse_method(file);
  if (in.has("constants")) parse_constants(file, spec);
  if (in.has("arrays")) detail::read_dense_arrays(*file.top.get("arrays"), file.path, spec);
  if (in.has("configuration")) parse_configuration(file, spec);
  if (in.has("segments")) spec.segments = parse_segments(file);
  if (in.has("run")) spec.run = parse_run(file);
  return spec;
}

}  // namespace

Spec detail::read_table(const toml::table& top, const std::string& path,
                        const std::string& folder) {
  return parse_table({top, path, folder});
}

Spec parse_job(std::string_view text, const std::string& path, const std::string& folder) {
  return detail::read_table(parse_toml(text, path), path, folder);
}

Spec read_job_file(const std::string& path) {
  return parse_job(base::read_text(path), path, std::filesystem::path(path).parent_path().string());
}

void check_spec(const Spec& spec) {
  if (spec.programs.empty() && !spec.method)
    throw Error(Errc::bad_input,
                "nothing to run: give a [method] with a name, or a list programs = [\"x.sial\"]");
  const bool is_named = spec.method && !spec.method->name.empty();
  if (is_named && !spec.programs.empty())
    throw Error(Errc::bad_input, "give either the name of a method or a list of programs");
  if (!is_named && spec.programs.empty())
    throw Error(Errc::bad_input, "the method has no name: [method] name = \"ccsd\"");
  if (spec.molecule && spec.basis.empty() && spec.basis.atoms.empty())
    throw Error(Errc::bad_input, "the molecule has no basis: [basis] name = \"cc-pvdz\"");
  if (!spec.molecule && !(spec.basis.empty() && spec.basis.atoms.empty()))
    throw Error(Errc::bad_input, "the basis is of no molecule: [molecule] geometry or file");
  if (!is_named && !(spec.run.guess.empty() && spec.run.save.empty()))
    throw Error(Errc::bad_input,
                "guess and save are for the methods of [method]; programs of your own keep what "
                "they want with set_persistent and --persistent");
  if (is_named && !spec.molecule)
    throw Error(Errc::bad_input, "method " + spec.method->name + " needs a [molecule]");
}

}  // namespace blockyard::input
