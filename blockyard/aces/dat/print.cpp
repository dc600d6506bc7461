// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "blockyard/aces/dat/dat.h"

namespace blockyard::aces::dat {
namespace {

constexpr std::size_t most_values = 8;  ///< of an array

template <class Value>
std::string first_values(const std::vector<Value>& values) {
  const auto shown = std::span(values).first(std::min(values.size(), most_values));
  return fmt::format("{}{}", fmt::join(shown, " "), values.size() > most_values ? " ..." : "");
}

/// The printable part of a text: a file may hold any bytes.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return result;
}

template <class Arrays>
void print_arrays(std::string& text, std::string_view what, const Arrays& arrays) {
  for (const auto& [name, array] : arrays)
    text += fmt::format("{} {}[{}] = {}\n", what, plain(name), fmt::join(array.extents, ","),
                        first_values(array.values));
}

}  // namespace

std::string print_dat(const DatFile& file) {
  std::string text;
  for (const std::string& program : file.programs)
    text += fmt::format("program {}\n", plain(program));
  for (const auto& [name, value] : file.ints)
    text += fmt::format("int {} = {}\n", plain(name), value);
  for (const auto& [name, value] : file.scalars)
    text += fmt::format("scalar {} = {}\n", plain(name), value);
  for (const auto& [kind, extents] : file.segments)
    text += fmt::format("segments {} = {}\n", array::kind_names[static_cast<std::size_t>(kind)],
                        fmt::join(extents, " "));
  print_arrays(text, "scalar array", file.scalar_arrays);
  print_arrays(text, "int array", file.int_arrays);
  for (const auto& [section, keys] : file.configuration)
    for (const auto& [key, value] : keys)
      text += fmt::format("configuration {} {} = {}\n", plain(section), plain(key), plain(value));
  return text;
}

}  // namespace blockyard::aces::dat
