// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/dat/dat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"
#include "blockyard/input/element_count.h"

namespace blockyard::aces::dat {
namespace {

using base::Errc;
using base::Error;

constexpr std::int32_t magic = 23121991;
constexpr std::int32_t version = 1;
constexpr std::int32_t most_extents = 8;

/// The code of each kind in a file, by its place in array::IndexKind.
constexpr std::array<std::pair<std::int32_t, array::IndexKind>, 6> kind_codes = {
    {{1001, array::IndexKind::ao},
     {1002, array::IndexKind::mo},
     {1003, array::IndexKind::moa},
     {1004, array::IndexKind::mob},
     {1005, array::IndexKind::simple},
     {1006, array::IndexKind::la}}};

/// Reads a file from front to end. Counts are checked against what is left before anything is
/// made of that size, so a hostile file costs no more memory than its own length.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes), in_(bytes) {}

  [[nodiscard]] bool is_at_end() const { return in_.left() == 0; }

  [[nodiscard]] Error error(std::string_view what) const {
    return {Errc::bad_input, fmt::format("byte {}: {}", bytes_.size() - in_.left(), what)};
  }

  [[nodiscard]] std::int32_t integer(std::string_view what) {
    if (in_.left() < sizeof(std::int32_t))
      throw error(fmt::format("the file ends where {} should be", what));
    return in_.value<std::int32_t>();
  }

  /// A count of things of at least `bytes_each`.
  [[nodiscard]] std::size_t count(std::string_view what, std::size_t bytes_each) {
    const std::int32_t value = integer(fmt::format("the number of {}", what));
    if (value < 0 || static_cast<std::size_t>(value) > in_.left() / bytes_each)
      throw error(
          fmt::format("{} {} do not fit into the {} bytes that are left", value, what, in_.left()));
    return static_cast<std::size_t>(value);
  }

  /// A length that counts the closing NUL, and the bytes.
  [[nodiscard]] std::string text(std::string_view what) {
    const auto bytes = in_.raw(count(fmt::format("bytes of {}", what), 1));
    std::string result(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (result.ends_with('\0')) result.pop_back();
    if (result.find('\0') != std::string::npos) throw error(fmt::format("a NUL inside {}", what));
    return result;
  }

  [[nodiscard]] std::string name(std::string_view what) {
    std::string result = base::lower(text(fmt::format("the name of {}", what)));
    if (result.empty()) throw error(fmt::format("{} without a name", what));
    return result;
  }

  template <class T>
  [[nodiscard]] T number(std::string_view what) {
    if (in_.left() < sizeof(T)) throw error(fmt::format("the file ends inside {}", what));
    return in_.value<T>();
  }

  /// A count, and as many numbers.
  template <class T>
  [[nodiscard]] std::vector<T> numbers(std::string_view what) {
    std::vector<T> values(count(fmt::format("values of {}", what), sizeof(T)));
    if (!values.empty())
      std::memcpy(values.data(), in_.raw(values.size() * sizeof(T)).data(),
                  values.size() * sizeof(T));
    return values;
  }

 private:
  std::span<const std::byte> bytes_;
  base::ByteReader in_;
};

/// The bytes that a name, or a text, takes at least.
constexpr std::size_t least_text = sizeof(std::int32_t);

template <class Map, class Value>
void put_in(const Reader& in, Map& map, std::string name, Value value) {
  const auto [place, is_new] = map.emplace(std::move(name), std::move(value));
  if (!is_new) throw in.error(fmt::format("\"{}\" is given twice", place->first));
}

template <class T>
void read_constants(Reader& in, std::map<std::string, T, std::less<>>& into,
                    std::string_view what) {
  for (std::size_t left = in.count(fmt::format("{}s", what), least_text + sizeof(T)); left > 0;
       --left) {
    std::string name = in.name(what);
    const T value = in.number<T>(fmt::format("{} \"{}\"", what, name));
    put_in(in, into, std::move(name), value);
  }
}

std::vector<Extent> read_extents(Reader& in, const std::string& what, Extent least) {
  const auto numbers = in.numbers<std::int32_t>(what);
  std::vector<Extent> extents(numbers.begin(), numbers.end());
  for (const Extent extent : extents)
    if (extent < least)
      throw in.error(
          fmt::format("{}: {} is not {}", what, extent, least == 0 ? "at least 0" : "positive"));
  return extents;
}

void read_segments(Reader& in, DatFile& file) {
  for (std::size_t left = in.count("segment tables", 2 * least_text); left > 0; --left) {
    const std::int32_t code = in.integer("the kind of a segment table");
    const auto kind =
        std::ranges::find(kind_codes, code, [](const auto& pair) { return pair.first; });
    if (kind == kind_codes.end())
      throw in.error(fmt::format("{} is not a kind of index (1001 to 1006)", code));
    auto extents = read_extents(in, fmt::format("the segments of kind {}", code), 1);
    if (kind->second == array::IndexKind::simple || extents.empty()) continue;
    if (!file.segments.emplace(kind->second, std::move(extents)).second)
      throw in.error(fmt::format("a second segment table of kind {}", code));
  }
}

template <class T>
void read_arrays(Reader& in, std::map<std::string, Array<T>, std::less<>>& into,
                 std::string_view what) {
  for (std::size_t left = in.count(fmt::format("{}s", what), 4 * least_text); left > 0; --left) {
    std::string name = in.name(what);
    const std::string label = fmt::format("{} \"{}\"", what, name);
    const std::int32_t rank = in.integer(fmt::format("the rank of {}", label));
    if (rank < 0 || rank > most_extents)
      throw in.error(
          fmt::format("{} has {} indexes; at most {} are possible", label, rank, most_extents));
    Array<T> array;
    // An array that a job has no use for is there with an extent of 0.
    array.extents = read_extents(in, fmt::format("the extents of {}", label), 0);
    if (std::ssize(array.extents) != rank)
      throw in.error(
          fmt::format("{} has rank {} and {} extents", label, rank, array.extents.size()));
    array.values = in.numbers<T>(label);
    if (!input::has_elements(array.extents, std::ssize(array.values)))
      throw in.error(fmt::format("{} has {} values, not as many as its extents say", label,
                                 array.values.size()));
    put_in(in, into, std::move(name), std::move(array));
  }
}

void read_configuration(Reader& in, DatFile& file) {
  if (in.is_at_end()) return;  // older files end before it
  for (std::size_t left = in.count("sections", 2 * least_text); left > 0; --left) {
    auto& section = file.configuration[in.text("the name of a section")];
    for (std::size_t keys = in.count("keys", 2 * least_text); keys > 0; --keys) {
      std::string key = in.text("a key");
      section[std::move(key)] = in.text("the value of a key");
    }
  }
}

void write_text(base::ByteWriter& out, std::string_view text) {
  out.value(static_cast<std::int32_t>(text.size() + 1));
  out.raw(std::as_bytes(std::span(text.data(), text.size())));
  out.value('\0');
}

void write_count(base::ByteWriter& out, std::size_t count) {
  out.value(static_cast<std::int32_t>(count));
}

template <class T>
void write_numbers(base::ByteWriter& out, const std::vector<T>& values, std::string_view name) {
  out.value(narrow(std::ssize(values), fmt::format("the number of values of {}", name)));
  for (const T value : values) out.value(value);
}

void write_extents(base::ByteWriter& out, const std::vector<Extent>& extents,
                   std::string_view name) {
  write_count(out, extents.size());
  for (const Extent extent : extents) out.value(narrow(extent, name));
}

template <class Map>
void write_constants(base::ByteWriter& out, const Map& constants) {
  write_count(out, constants.size());
  for (const auto& [name, value] : constants) {
    write_text(out, name);
    out.value(value);
  }
}

template <class T>
void write_arrays(base::ByteWriter& out, const std::map<std::string, Array<T>, std::less<>>& all) {
  write_count(out, all.size());
  for (const auto& [name, array] : all) {
    write_text(out, name);
    write_count(out, array.extents.size());
    write_extents(out, array.extents, fmt::format("an extent of {}", name));
    write_numbers(out, array.values, name);
  }
}

}  // namespace

bool is_dat_name(const std::string& path) { return base::lower(path).ends_with(".dat"); }

DatFile read_dat(std::span<const std::byte> bytes) {
  Reader in(bytes);
  if (in.integer("the magic number") != magic)
    throw Error(Errc::bad_input, "this is not a job file of ACES4: the magic number differs");
  if (const auto found = in.integer("the version"); found != version)
    throw in.error(fmt::format("version {} of the layout; version {} is known", found, version));
  DatFile file;
  for (std::size_t left = in.count("programs", least_text); left > 0; --left)
    file.programs.push_back(in.text("the name of a program"));
  read_constants(in, file.ints, "int");
  read_constants(in, file.scalars, "scalar");
  read_segments(in, file);
  read_arrays(in, file.scalar_arrays, "scalar array");
  read_arrays(in, file.int_arrays, "int array");
  read_configuration(in, file);
  if (!in.is_at_end()) throw in.error("bytes after the end of the job");
  return file;
}

DatFile read_dat_file(const std::string& path) {
  const std::string bytes = base::read_file(path);
  try {
    return read_dat(std::as_bytes(std::span(bytes.data(), bytes.size())));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

std::int32_t narrow(std::int64_t value, std::string_view name) {
  if (value > INT32_MAX || value < INT32_MIN)
    throw Error(Errc::bad_input,
                fmt::format("{} = {} does not fit the 32 bits of a .dat file", name, value));
  return static_cast<std::int32_t>(value);
}

std::vector<std::byte> write_dat(const DatFile& file) {
  base::ByteWriter out;
  out.value(magic);
  out.value(version);
  write_count(out, file.programs.size());
  for (const std::string& program : file.programs) write_text(out, program);
  write_constants(out, file.ints);
  write_constants(out, file.scalars);
  write_count(out, file.segments.size());
  for (const auto& [kind, extents] : file.segments) {
    for (const auto& [code, coded] : kind_codes)
      if (coded == kind) out.value(code);
    write_extents(
        out, extents,
        fmt::format("a segment of {}", array::kind_names[static_cast<std::size_t>(kind)]));
  }
  write_arrays(out, file.scalar_arrays);
  write_arrays(out, file.int_arrays);
  write_count(out, file.configuration.size());
  for (const auto& [section, keys] : file.configuration) {
    write_text(out, section);
    write_count(out, keys.size());
    for (const auto& [key, value] : keys) {
      write_text(out, key);
      write_text(out, value);
    }
  }
  return out.take();
}

}  // namespace blockyard::aces::dat
