// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/super.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/text.h"
#include "blockyard/super/detail/words.h"
#include "blockyard/super/device_form.h"

namespace blockyard::super {

using base::Errc;
using base::Error;
using detail::words_of;

std::vector<std::string_view> detail::words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

namespace {

template <class Map>
auto constant(const Map* map, std::string_view name, std::string_view type) {
  if (map != nullptr) {
    const auto found = map->find(name);
    if (found != map->end()) return found->second;
  }
  throw Error(
      Errc::bad_input,
      fmt::format("the job must give the {} constant \"{}\" (--set {}=...)", type, name, name));
}

void check_signature(const std::string& name, std::string_view signature) {
  if (signature.find_first_not_of("rwu") != std::string_view::npos)
    throw Error(Errc::bad_input,
                fmt::format("signature \"{}\" of super instruction {} has a letter other than "
                            "r, w, u",
                            signature, name));
}

/// The types that a word names.
Types types_in(std::string_view word) {
  Types types;
  for (bool goes_on = true; goes_on;) {
    const std::size_t end = word.find('|');
    goes_on = end != std::string_view::npos;
    const std::string_view name = word.substr(0, end);
    if (goes_on) word.remove_prefix(end + 1);
    const auto found = std::ranges::find(array::element_names, name);
    if (found == array::element_names.end() && name != "any")
      throw Error(Errc::bad_input,
                  fmt::format("'{}' is not an element type: f64, f32, c128, c64 or any, with '|' "
                              "between two of one operand",
                              name));
    for (std::size_t k = 0; k < array::element_type_count; ++k)
      if (name == "any" || array::element_names[k] == name)
        types.add(static_cast<array::ElementType>(k));
  }
  return types;
}

void check_types(const Entry& entry) {
  const std::vector<std::string_view> words = words_of(entry.types);
  try {
    for (const std::string_view word : words) (void)types_in(word);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("types \"{}\" of super instruction {}: {}", entry.types,
                                          entry.name, error.what()));
  }
  if (words.size() > 1 && words.size() != entry.signature.size())
    throw Error(Errc::bad_input,
                fmt::format("types \"{}\" of super instruction {} are for {} operands, but it has "
                            "{}: a word for each, or one for all",
                            entry.types, entry.name, words.size(), entry.signature.size()));
}

}  // namespace

std::string Types::text() const {
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < array::element_type_count; ++k)
    if (holds(static_cast<array::ElementType>(k))) names.push_back(array::element_names[k]);
  std::string result;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) result += k + 1 == names.size() ? " or " : ", ";
    result += names[k];
  }
  return result;
}

Types Entry::types_of(std::size_t k) const {
  const std::vector<std::string_view> words = words_of(types);
  if (words.empty()) return types_in("f64");
  return types_in(words[words.size() == 1 ? 0 : k]);
}

std::int64_t Context::int_constant(std::string_view name) const {
  return constant(ints, name, "int");
}

double Context::scalar_constant(std::string_view name) const {
  const bool is_int = ints != nullptr && ints->contains(name);
  if (is_int && (scalars == nullptr || !scalars->contains(name)))
    return static_cast<double>(int_constant(name));
  return constant(scalars, name, "scalar");
}

const array::DenseArray& Context::predefined_array(std::string_view name) const {
  if (arrays != nullptr) {
    const auto found = arrays->find(name);
    if (found != arrays->end()) return found->second;
  }
  throw Error(Errc::bad_input,
              fmt::format("the job must give the array \"{}\" ([arrays] of a job file, or a .dat "
                          "file that has it)",
                          name));
}

void Table::add(Entry entry) {
  entry.name = base::lower(entry.name);
  check_signature(entry.name, entry.signature);
  for (const std::string& other : entry.also) check_signature(entry.name, other);
  check_types(entry);
  if (entry.device) try {
      entry.device->check(entry.signature);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("the device form of super instruction {}: {}",
                                            entry.name, error.what()));
    }
  if (entries_.contains(entry.name))
    throw Error(Errc::bad_input,
                fmt::format("there is already a super instruction called {}", entry.name));
  std::string name = entry.name;
  entries_.emplace(std::move(name), std::move(entry));
}

const Entry* Table::find(std::string_view name) const noexcept {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  for (const auto& [name, entry] : entries_) result.push_back(name);
  return result;
}

}  // namespace blockyard::super
