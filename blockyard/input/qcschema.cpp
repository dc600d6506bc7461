// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/qcschema.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "blockyard/base/error.h"
#include "blockyard/base/json.h"
#include "blockyard/base/text.h"

namespace blockyard::input {

using base::Errc;
using base::Error;
using Json = nlohmann::ordered_json;

namespace {

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", path, why));
}

/// The value of a key with a type, or a refusal that names it.
template <class T>
T value_of(const Json& json, const char* key, const std::string& path) try {
  return json.at(key).get<T>();
} catch (const Json::exception&) {
  refuse(path, fmt::format("\"{}\" is missing, or has another type than QCSchema says", key));
}

template <class T>
T value_or(const Json& json, const char* key, T otherwise, const std::string& path) {
  return json.contains(key) && !json.at(key).is_null() ? value_of<T>(json, key, path) : otherwise;
}

std::int64_t integer_of(const Json& molecule, const char* key, double otherwise,
                        const std::string& path) {
  const double value = value_or<double>(molecule, key, otherwise, path);
  if (value != std::round(value))
    refuse(path, fmt::format("{} = {} is not an integer", key, value));
  return std::llround(value);
}

MoleculeSpec molecule_of(const Json& json, const std::string& path) {
  const auto symbols = value_of<std::vector<std::string>>(json, "symbols", path);
  std::vector<double> flat;
  for (const Json& entry : value_of<Json>(json, "geometry", path))
    if (entry.is_array())
      for (const Json& part : entry) flat.push_back(part.get<double>());
    else
      flat.push_back(entry.get<double>());
  const auto real =
      value_or<std::vector<bool>>(json, "real", std::vector<bool>(symbols.size(), true), path);
  if (flat.size() != 3 * symbols.size() || real.size() != symbols.size())
    refuse(path,
           "the molecule has not three coordinates and one entry of \"real\" for each symbol");
  MoleculeSpec molecule;
  molecule.units = "bohr";
  for (std::size_t k = 0; k < symbols.size(); ++k)
    molecule.geometry +=
        fmt::format("{} {} {} {}\n", real[k] ? symbols[k] : "Gh(" + symbols[k] + ")", flat[3 * k],
                    flat[3 * k + 1], flat[3 * k + 2]);
  molecule.charge = integer_of(json, "molecular_charge", 0, path);
  molecule.multiplicity = integer_of(json, "molecular_multiplicity", 1, path);
  return molecule;
}

Settings settings_of(const Json& specification, const std::string& path) {
  const Json model = value_of<Json>(specification, "model", path);
  std::string method = base::lower(value_of<std::string>(model, "method", path));
  if (method == "hf") method = "scf";
  if (!model.contains("basis") || !model.at("basis").is_string())
    refuse(path, "the basis of the model must be a name: blockyard basis lists them");
  Settings settings = {{"method.name", method},
                       {"basis.name", model.at("basis").get<std::string>()}};
  const Json keywords = value_or<Json>(specification, "keywords", Json::object(), path);
  for (const auto& [key, value] : keywords.items())
    settings.push_back({key.find('.') == key.npos ? "method." + key : key,
                        value.is_string() ? value.get<std::string>() : value.dump()});
  return settings;
}

}  // namespace

bool is_qcschema(std::string_view text) {
  const Json json = base::parse_shallow<Json>(text);
  return json.is_object() && json.contains("molecule") &&
         (json.contains("model") || json.contains("specification"));
}

Spec parse_qcschema(std::string_view text, const std::string& path,
                    std::span<const Setting> settings) try {
  const Json input = [&] {
    try {
      return base::parse_shallow<Json>(text);
    } catch (const Error& error) {
      refuse(path, error.what());
    }
  }();
  if (!input.is_object()) refuse(path, "is not JSON");
  const Json specification = value_or<Json>(input, "specification", input, path);
  const auto driver = value_or<std::string>(specification, "driver", "energy", path);
  if (driver == "properties")
    refuse(path,
           "driver \"properties\" asks for a result of properties, which there is none of: use "
           "\"energy\", whose properties have the dipole moment");
  if (driver != "energy")
    refuse(path, fmt::format("driver \"{}\" asks for derivatives of the energy, which there are "
                             "none of: use \"energy\"",
                             driver));
  Spec spec;
  const Json molecule = value_of<Json>(input, "molecule", path);
  spec.title = value_or<std::string>(molecule, "name", "", path);
  spec.molecule = molecule_of(molecule, path);
  Settings all = settings_of(specification, path);
  all.insert(all.end(), settings.begin(), settings.end());
  return with_settings(spec, all, path);
} catch (const Json::exception& error) {
  refuse(path, fmt::format("is not a QCSchema input: {}", base::reason_in_json(error)));
}

}  // namespace blockyard::input
