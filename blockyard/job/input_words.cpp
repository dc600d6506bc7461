// SPDX-License-Identifier: Apache-2.0
// The part of input.h that reads single words and values, of the command line or the job file.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "blockyard/base/text.h"
#include "blockyard/job/input.h"

namespace blockyard::job {

using base::Errc;
using base::Error;

namespace {

/// "key=value" as its two parts.
std::pair<std::string, std::string> split(std::string_view text, std::string_view example) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size())
    throw Error(Errc::bad_input, fmt::format("\"{}\" is not of the form {}", text, example));
  return {base::lower(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<Extent> parse_extent_list(std::string_view text) {
  std::vector<Extent> extents;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto value = parse_number<Extent>(text.substr(begin, end - begin));
    if (!value || *value < 1)
      throw Error(Errc::bad_input,
                  fmt::format("\"{}\": segments are given as ao=5,6,7,8: the number of elements of "
                              "each, at least 1",
                              text));
    extents.push_back(*value);
    begin = end + 1;
  }
  return extents;
}

}  // namespace

void set_constant(Spec& spec, std::string_view text) {
  const auto [name, value] = split(text, "name=number");
  if (const auto integer = parse_number<std::int64_t>(value)) {
    spec.scalars.erase(name);
    spec.ints[name] = *integer;
  } else if (const auto number = parse_number<double>(value)) {
    spec.ints.erase(name);
    spec.scalars[name] = *number;
  } else {
    throw Error(Errc::bad_input, fmt::format("\"{}\": {} is not a number", text, value));
  }
}

void set_segments(Spec& spec, std::string_view text) {
  const auto [name, value] = split(text, "ao=5,6,7,8");
  const std::vector<Extent> extents = parse_extent_list(value);
  SegmentSpec& segments = spec.segments;
  const auto kind = array::kind_named(name);
  if (kind && *kind != array::IndexKind::simple) {
    segments.extents[*kind] = extents;
    return;
  }
  if (name != "occupied" && name != "virtual" && name != "subsegment")
    throw Error(
        Errc::bad_input,
        fmt::format("\"{}\": {} is no kind of index: use ao, mo, moa, mob, la, or the sizes "
                    "occupied, virtual, subsegment",
                    text, name));
  if (extents.size() != 1)
    throw Error(Errc::bad_input, fmt::format("\"{}\": {} is one number", text, name));
  (name == "occupied"  ? segments.occupied
   : name == "virtual" ? segments.virtual_
                       : segments.subsegment) = extents[0];
}

program::Policy parse_policy(std::string_view name) {
  const std::string policy = base::lower(name);
  if (policy == "sequential") return program::Policy::sequential;
  if (policy == "static") return program::Policy::static_;
  if (policy == "balanced") return program::Policy::balanced;
  if (policy == "dynamic") return program::Policy::dynamic;
  if (policy == "locality") return program::Policy::locality;
  throw Error(
      Errc::bad_input,
      fmt::format("\"{}\" is not a way to deal out a pardo: use sequential, static, balanced, "
                  "dynamic or locality",
                  name));
}

std::string parse_device_kind(std::string_view name) {
  const std::string kind = base::lower(name);
  for (const std::string_view known : {"auto", "none", "cuda", "opencl", "sim"})
    if (kind == known) return kind;
  throw Error(
      Errc::bad_input,
      fmt::format("\"{}\" is no kind of device: use auto, none, cuda, opencl or sim", name));
}

bool parse_placement(std::string_view name) {
  const std::string placement = base::lower(name);
  if (placement == "learned") return true;
  if (placement == "device") return false;
  throw Error(Errc::bad_input,
              fmt::format("\"{}\" is no placement: use learned (statements run where they are "
                          "faster) or device (all that can)",
                          name));
}

std::optional<bool> parse_device_network(std::string_view name) {
  const std::string network = base::lower(name);
  if (network == "auto") return std::nullopt;
  if (network == "on") return true;
  if (network == "off") return false;
  throw Error(Errc::bad_input,
              fmt::format("\"{}\" for the network of devices: use auto (what MPI says), on (MPI "
                          "reads memory of devices) or off",
                          name));
}

}  // namespace blockyard::job
