// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/super.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::super {

using base::Errc;
using base::Error;

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

}  // namespace

std::int64_t Context::int_constant(std::string_view name) const {
  return constant(ints, name, "int");
}

double Context::scalar_constant(std::string_view name) const {
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
