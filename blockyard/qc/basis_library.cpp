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

constexpr std::array<std::string_view, 28> names = {
    "STO-3G",     "3-21G",      "3-21++G",  "6-31G",       "6-31G*",      "6-31G**",
    "6-31+G*",    "6-31++G**",  "6-311G*",  "6-311G**",    "6-311+G**",   "6-311++G**",
    "cc-pVDZ",    "cc-pVTZ",    "cc-pVQZ",  "aug-cc-pVDZ", "aug-cc-pVTZ", "aug-cc-pVQZ",
    "cc-pVDZ-PP", "cc-pVTZ-PP", "def2-SVP", "def2-SVPD",   "def2-TZVP",   "def2-TZVPP",
    "def2-TZVPD", "def2-QZVP",  "LANL2DZ",  "SBKJC-VDZ"};

constexpr std::string_view fit_ending = "-RIFIT";
constexpr std::array<std::string_view, 10> auxiliary_names = {
    "cc-pVDZ-RIFIT",     "cc-pVTZ-RIFIT",     "cc-pVQZ-RIFIT",  "aug-cc-pVDZ-RIFIT",
    "aug-cc-pVTZ-RIFIT", "aug-cc-pVQZ-RIFIT", "def2-SVP-RIFIT", "def2-TZVP-RIFIT",
    "def2-TZVPP-RIFIT",  "def2-QZVP-RIFIT"};

/// Lower case, with the polarisation written as stars: 6-31g(d,p) is 6-31g**; SBKJC is SBKJC-VDZ.
std::string plain_name(std::string_view name) {
  auto plain = base::lower(name);
  for (const auto& [written, stars] : {std::pair{"(d)", "*"}, std::pair{"(d,p)", "**"}})
    if (plain.ends_with(written))
      plain.replace(plain.size() - std::strlen(written), std::string::npos, stars);
  return plain == "sbkjc" ? "sbkjc-vdz" : plain;
}

/// data/export_basis_sets.py writes the files under these names.
std::string file_name(std::string plain) {
  std::replace(plain.begin(), plain.end(), '*', 's');
  return plain + ".nw";
}

bool is_gaussian(std::string_view text) {
  const auto lines = detail::split_lines(text);
  return std::any_of(lines.begin(), lines.end(), [](auto line) {
    const auto words = detail::split_words(line);
    return !words.empty() && words[0] == "****";
  });
}

BasisSet load_known(std::string_view name, std::span<const std::string_view> known,
                    const std::string& folder) {
  const auto plain = plain_name(name);
  std::vector<std::string> candidates;
  for (const auto candidate : known) {
    candidates.push_back(base::lower(candidate));
    if (candidates.back() != plain) continue;
    const auto path = folder + "/" + file_name(plain);
    return parse_nwchem_basis(detail::read_text_file(path, "basis set file"), candidate);
  }
  const auto nearest = base::nearest_name(plain, candidates);
  throw base::Error(
      base::Errc::bad_input,
      fmt::format("unknown basis set '{}'{}; known: {}", name,
                  nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest),
                  fmt::join(known, ", ")));
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
