// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "blockyard/array/even_segments.h"
#include "blockyard/base/split.h"
#include "blockyard/base/text.h"
#include "blockyard/rpc/address.h"

namespace blockyard::input {

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

/// The numbers around `sign` in "8*4" or "64/8"; nothing if it is not of that form.
std::optional<std::pair<Extent, Extent>> parse_two(std::string_view text, char sign) {
  const std::size_t at = text.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  const auto left = parse_number<Extent>(text.substr(0, at));
  const auto right = parse_number<Extent>(text.substr(at + 1));
  if (!left || !right || *left < 1 || *right < 1) return std::nullopt;
  return std::pair(*left, *right);
}

/// The segments of one part of a list: 7 is one segment, 8*4 are eight of 4, 64/8 are the fewest
/// that hold 64 elements with at most 8 each. Empty if it is none of these.
std::vector<Extent> parse_segments(std::string_view text) {
  constexpr Extent most = 1'000'000;
  if (const auto value = parse_number<Extent>(text); value && *value >= 1) return {*value};
  if (const auto equal = parse_two(text, '*'); equal && equal->first <= most)
    return std::vector<Extent>(static_cast<std::size_t>(equal->first), equal->second);
  const auto total = parse_two(text, '/');
  if (!total || total->first / total->second > most) return {};
  return array::even_segments(total->first, total->second);
}

std::vector<Extent> parse_extent_list(std::string_view text) {
  std::vector<Extent> extents;
  for (const std::string& one : base::split(text, ',')) {
    const std::vector<Extent> part = parse_segments(one);
    if (part.empty())
      throw Error(Errc::bad_input,
                  fmt::format("\"{}\": give the segments of an index kind as ao=5,6,7 (their "
                              "lengths), ao=8*4 (eight of 4) or ao=64/8 (64 elements in segments "
                              "of at most 8)",
                              text));
    extents.insert(extents.end(), part.begin(), part.end());
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
  spec.asked[name] = "--set";
}

void set_segments(Spec& spec, std::string_view text) {
  const auto [name, value] = split(text, "ao=5,6,7, ao=8*4 or ao=64/8");
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
        fmt::format("\"{}\": {} is not a kind of index: use ao, mo, moa, mob, la, or the sizes "
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
  if (name.starts_with("remote://")) {
    static_cast<void>(rpc::parse_address(name));  // throws
    return std::string(name);
  }
  // Which plug-ins there are is known where they are loaded.
  const std::string kind = base::lower(name);
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!kind.empty() && std::ranges::all_of(kind, is_of_name)) return kind;
  throw Error(Errc::bad_input,
              fmt::format("\"{}\" is not a kind of device: use auto, none, sim, the name of a "
                          "plug-in or remote://SERVER",
                          name));
}

bool parse_placement(std::string_view name) {
  const std::string placement = base::lower(name);
  if (placement == "learned") return true;
  if (placement == "device") return false;
  throw Error(Errc::bad_input,
              fmt::format("\"{}\" is not a placement: use learned (statements run where they are "
                          "faster) or device (all that can)",
                          name));
}

std::string guess_basis(std::string_view guess) {
  constexpr std::string_view prefix = "basis:";
  return guess.starts_with(prefix) ? std::string(guess.substr(prefix.size())) : std::string();
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

}  // namespace blockyard::input
