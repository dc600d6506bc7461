// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/detail/words.h"

namespace blockyard::qc {
namespace {

constexpr std::array<std::string_view, 77> names = {
    "STO-3G",          "STO-6G",          "3-21G",
    "3-21++G",         "6-31G",           "6-31G*",
    "6-31G**",         "6-31G(2df,p)",    "6-31+G",
    "6-31+G*",         "6-31+G**",        "6-31++G",
    "6-31++G*",        "6-31++G**",       "6-311G",
    "6-311G*",         "6-311G**",        "6-311G(2df,2pd)",
    "6-311+G",         "6-311+G*",        "6-311+G**",
    "6-311+G(2d,p)",   "6-311++G",        "6-311++G*",
    "6-311++G**",      "6-311++G(2d,2p)", "6-311++G(3df,3pd)",
    "cc-pVDZ",         "cc-pVTZ",         "cc-pVQZ",
    "cc-pV5Z",         "aug-cc-pVDZ",     "aug-cc-pVTZ",
    "aug-cc-pVQZ",     "aug-cc-pV5Z",     "jul-cc-pVDZ",
    "jul-cc-pVTZ",     "jul-cc-pVQZ",     "cc-pCVDZ",
    "cc-pCVTZ",        "cc-pCVQZ",        "aug-cc-pCVDZ",
    "aug-cc-pCVTZ",    "aug-cc-pCVQZ",    "cc-pwCVDZ",
    "cc-pwCVTZ",       "cc-pwCVQZ",       "cc-pV(D+d)Z",
    "cc-pV(T+d)Z",     "cc-pV(Q+d)Z",     "aug-cc-pV(D+d)Z",
    "aug-cc-pV(T+d)Z", "aug-cc-pV(Q+d)Z", "jul-cc-pV(D+d)Z",
    "jul-cc-pV(T+d)Z", "jul-cc-pV(Q+d)Z", "cc-pVDZ-PP",
    "cc-pVTZ-PP",      "cc-pVQZ-PP",      "aug-cc-pVDZ-PP",
    "aug-cc-pVTZ-PP",  "aug-cc-pVQZ-PP",  "def2-SVP",
    "def2-SVPD",       "def2-TZVP",       "def2-TZVPP",
    "def2-TZVPD",      "def2-TZVPPD",     "def2-QZVP",
    "def2-QZVPP",      "def2-QZVPD",      "def2-QZVPPD",
    "pcseg-1",         "pcseg-2",         "pcseg-3",
    "LANL2DZ",         "SBKJC-VDZ"};

/// Sets with functions of H and He from another one: jul- is the augmented set, for these without
/// diffuse functions; core-valence sets, -pCV and -pwCV, have nothing to add to these of the
/// valence set.
constexpr std::string_view july = "jul-";
constexpr std::array<std::string_view, 2> core_valence = {"-pcv", "-pwcv"};

constexpr std::string_view fit_ending = "-RIFIT";
constexpr std::array<std::string_view, 13> auxiliary_names = {
    "cc-pVDZ-RIFIT",     "cc-pVTZ-RIFIT",     "cc-pVQZ-RIFIT",    "aug-cc-pVDZ-RIFIT",
    "aug-cc-pVTZ-RIFIT", "aug-cc-pVQZ-RIFIT", "def2-SVP-RIFIT",   "def2-SVPD-RIFIT",
    "def2-TZVP-RIFIT",   "def2-TZVPD-RIFIT",  "def2-TZVPP-RIFIT", "def2-TZVPPD-RIFIT",
    "def2-QZVP-RIFIT"};

/// Lower case, with the polarisation written as stars: 6-31g(d,p) is 6-31g**; SBKJC is SBKJC-VDZ.
std::string plain_name(std::string_view name) {
  auto plain = base::lower(name);
  for (const auto& [written, stars] : {std::pair{"(d)", "*"}, std::pair{"(d,p)", "**"}})
    if (plain.ends_with(written))
      plain.replace(plain.size() - std::strlen(written), std::string::npos, stars);
  return plain == "sbkjc" ? "sbkjc-vdz" : plain;
}

/// share/basis/export_basis_sets.py writes the files under these names.
std::string file_name(std::string plain) {
  std::replace(plain.begin(), plain.end(), '*', 's');
  std::erase_if(plain, [](char c) { return c == '(' || c == ')' || c == ','; });
  return plain + ".nw";
}

bool is_gaussian(std::string_view text) {
  const auto lines = detail::split_lines(text);
  return std::any_of(lines.begin(), lines.end(), [](auto line) {
    const auto words = detail::split_words(line);
    return !words.empty() && words[0] == "****";
  });
}

BasisSet read_file(const std::string& plain, std::string_view name, const std::string& folder) {
  return parse_nwchem_basis(
      detail::read_text_file(folder + "/" + file_name(plain), "basis set file"), name);
}

BasisSet read_set(const std::string& plain, std::string_view name, const std::string& folder) {
  std::string heavy = plain, light;
  if (plain.starts_with(july)) {
    light = plain.substr(july.size());
    heavy = "aug-" + light;
  }
  for (const auto core : core_valence)
    if (const auto at = plain.find(core); at != plain.npos)
      light = std::string(plain).replace(at, core.size(), "-pv");
  BasisSet set = read_file(heavy, name, folder);
  if (light.empty()) return set;
  const BasisSet other = read_file(light, name, folder);
  for (const int number : {1, 2}) set.elements[number] = other.elements.at(number);
  return set;
}

/// Up to three of the known names, the nearest first: " (did you mean 'cc-pVDZ' or 'cc-pVTZ'?)".
std::string hint_of(const std::string& plain, std::span<const std::string_view> known) {
  std::vector<std::string> left, near;
  for (const auto candidate : known) left.push_back(base::lower(candidate));
  for (int k = 0; k < 3; ++k) {
    const std::string nearest = base::nearest_name(plain, left);
    if (nearest.empty()) break;
    std::erase(left, nearest);
    for (const auto candidate : known)
      if (base::lower(candidate) == nearest) near.push_back(fmt::format("'{}'", candidate));
  }
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", fmt::join(near, " or "));
}

BasisSet load_known(std::string_view name, std::span<const std::string_view> known,
                    const std::string& folder) {
  const auto plain = plain_name(name);
  for (const auto candidate : known)
    if (base::lower(candidate) == plain) return read_set(plain, candidate, folder);
  const std::string hint = hint_of(plain, known);
  const bool is_auxiliary = known.front().ends_with(fit_ending);
  throw base::Error(
      base::Errc::bad_input,
      fmt::format("unknown basis set '{}'{}; {}. Any other is a file from basissetexchange.org, in "
                  "NWChem, Gaussian 94 or JSON format: [basis] {} = \"{}.nw\"",
                  name, hint,
                  hint.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                               : "`blockyard basis` lists those that come with Blockyard",
                  is_auxiliary ? "auxiliary_file" : "file", plain));
}

}  // namespace

std::span<const std::string_view> known_basis_names() { return names; }

BasisSet read_basis(const std::string& path) {
  const auto text = detail::read_text_file(path, "basis set file");
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && text[begin] == '{') return parse_json_basis(text, path);
  return is_gaussian(text) ? parse_gaussian_basis(text, path) : parse_nwchem_basis(text, path);
}

BasisSet load_basis(std::string_view name, const std::string& folder) {
  return load_known(name, names, folder);
}

std::span<const std::string_view> known_auxiliary_names() { return auxiliary_names; }

BasisSet load_auxiliary(std::string_view name, const std::string& folder) {
  std::string whole(name);
  if (!base::lower(name).ends_with(base::lower(fit_ending))) whole += fit_ending;
  return load_known(whole, auxiliary_names, folder);
}

}  // namespace blockyard::qc
