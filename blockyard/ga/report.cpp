// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "blockyard/base/error.h"
#include "blockyard/base/groups.h"
#include "blockyard/base/number.h"
#include "blockyard/ga/checks_text.h"
#include "blockyard/ga/code_place.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::ga {

namespace {

/// Merged over processes.
struct Call {
  std::string name, place;
  std::uint64_t calls = 0;
  double seconds = 0, most_seconds = 0;
  std::uint64_t own_bytes = 0, node_bytes = 0, far_bytes = 0;
  std::array<std::uint64_t, 6> sizes = {};
};
struct Held {
  std::uint64_t made = 0, bytes = 0, most_bytes = 0;
};
struct Rank {
  double seconds = 0, waiting_seconds = 0;
  std::string bytes;  ///< by group of ranks, as in JSON
};
struct Merged {
  std::map<std::string, Call> calls;
  std::map<std::string, Held> arrays;
  std::map<std::string, std::uint64_t> hot;
  std::vector<Rank> ranks;
};

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  return fields;
}

/// As fmt wrote it: with a point in every locale.
double seconds_in(const std::string& field) { return base::parse_number(field).value_or(0); }

void merge_call(Merged& all, const std::vector<std::string>& fields) {
  // "C", name, code, address, calls, seconds, 6 sizes, bytes of itself, its node, other nodes.
  Call& call = all.calls[fields[1] + '\t' + fields[2] + '\t' + fields[3]];
  call.name = fields[1];
  call.place = fields[2] + '\t' + fields[3];
  call.calls += std::stoull(fields[4]);
  const double seconds = seconds_in(fields[5]);
  call.seconds += seconds;
  call.most_seconds = std::max(call.most_seconds, seconds);
  for (std::size_t k = 0; k < call.sizes.size(); ++k) call.sizes[k] += std::stoull(fields[6 + k]);
  call.own_bytes += std::stoull(fields[12]);
  call.node_bytes += std::stoull(fields[13]);
  call.far_bytes += std::stoull(fields[14]);
}

void merge(Merged& all, int rank, const std::string& lines) {
  Rank& own = all.ranks[static_cast<std::size_t>(rank)];
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields[0] == "C") {
      merge_call(all, fields);
    } else if (fields[0] == "E") {
      all.hot[fields[1]] += std::stoull(fields[2]);
    } else if (fields[0] == "A") {
      Held& held = all.arrays[fields[1]];
      held.made = std::max<std::uint64_t>(held.made, std::stoull(fields[2]));
      held.bytes += std::stoull(fields[3]);
      held.most_bytes = std::max<std::uint64_t>(held.most_bytes, std::stoull(fields[3]));
    } else {
      own.seconds = seconds_in(fields[1]);
      own.waiting_seconds = seconds_in(fields[2]);
      own.bytes = fields[3];
    }
  }
}

std::string json_of_calls(const Merged& all) {
  std::vector<std::string> places;
  std::vector<Call> calls;
  for (const auto& [key, call] : all.calls) {
    calls.push_back(call);
    places.push_back(call.place);
  }
  const auto lines = lines_of(places);
  std::sort(calls.begin(), calls.end(),
            [](const Call& a, const Call& b) { return a.seconds > b.seconds; });
  std::vector<std::string> items;
  for (const Call& call : calls)
    items.push_back(fmt::format(
        R"({{"call": {}, "line": {}, "calls": {}, "seconds": {:.9f}, "most_seconds": {:.9f}, "own_bytes": {}, "node_bytes": {}, "far_bytes": {}, "sizes": [{}]}})",
        json_text(call.name), json_text(lines.at(call.place)), call.calls, call.seconds,
        call.most_seconds, call.own_bytes, call.node_bytes, call.far_bytes,
        fmt::join(call.sizes, ", ")));
  return fmt::format("[\n    {}\n  ]", fmt::join(items, ",\n    "));
}

/// The elements that were used most on their own: tasks wait for each other there.
std::string json_of_hot(const Merged& all) {
  constexpr std::size_t most = 16;
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [name, uses] : all.hot) sorted.emplace_back(uses, name);
  std::sort(sorted.rbegin(), sorted.rend());
  std::vector<std::string> items;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
    items.push_back(fmt::format(R"({{"element": {}, "uses": {}}})", json_text(sorted[i].second),
                                sorted[i].first));
  return fmt::format("[\n    {}\n  ]", fmt::join(items, ",\n    "));
}

std::string json_of(const Merged& all, const fabric::Memory& memory) {
  std::vector<std::string> arrays, ranks;
  for (const auto& [name, held] : all.arrays)
    arrays.push_back(fmt::format(R"({{"name": {}, "made": {}, "bytes": {}, "most_bytes": {}}})",
                                 json_text(name), held.made, held.bytes, held.most_bytes));
  for (std::size_t rank = 0; rank < all.ranks.size(); ++rank)
    ranks.push_back(fmt::format(
        R"({{"rank": {}, "node": {}, "seconds": {:.6f}, "waiting_seconds": {:.6f}, "bytes_to": [{}]}})",
        rank, memory.node_of(static_cast<int>(rank)), all.ranks[rank].seconds,
        all.ranks[rank].waiting_seconds, all.ranks[rank].bytes));
  return fmt::format(
      "{{\n  \"blockyard_ga_report\": 1,\n  \"size_limits\": [64, 1024, 16384, 262144, 4194304],\n"
      "  \"ranks_in_group\": {},\n"
      "  \"calls\": {},\n  \"hot\": {},\n  \"arrays\": [\n    {}\n  ],\n"
      "  \"ranks\": [\n    {}\n  ]\n}}\n",
      base::in_each_group(memory.size()), json_of_calls(all), json_of_hot(all),
      fmt::join(arrays, ",\n    "), fmt::join(ranks, ",\n    "));
}

/// What a process moved to or from the memory of others. Rank 0 gets it from all: it must not be as
/// long as there are ranks, for each place in the program.
class Moved {
 public:
  explicit Moved(const fabric::Memory& memory)
      : memory_(memory), by_group_(static_cast<std::size_t>(base::group_count(memory.size()))) {}
  /// Of a place in the program: bytes of the process itself, of others of its node, of other nodes.
  std::array<std::uint64_t, 3> add(std::span<const Count> by_rank) {
    std::array<std::uint64_t, 3> sums = {};
    for (int rank = 0; rank < std::ssize(by_rank); ++rank) {
      const std::uint64_t bytes = by_rank[static_cast<std::size_t>(rank)].value();
      const bool is_near = memory_.node_of(rank) == memory_.node_of(memory_.rank());
      sums[rank == memory_.rank() ? 0 : is_near ? 1 : 2] += bytes;
      by_group_[static_cast<std::size_t>(rank / base::in_each_group(memory_.size()))] += bytes;
    }
    return sums;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& by_group() const noexcept { return by_group_; }

 private:
  const fabric::Memory& memory_;
  std::vector<std::uint64_t> by_group_;
};

std::vector<std::uint64_t> values_of(std::span<const Count> counts) {
  std::vector<std::uint64_t> values;
  for (const Count& count : counts) values.push_back(count.value());
  return values;
}

std::string plain_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

}  // namespace

constinit thread_local Sheet* Report::own_sheet = nullptr;

Sheet& Report::new_sheet() {
  const std::lock_guard lock(mutex_);
  return *sheets_.emplace_back(std::make_unique<Sheet>(mutex_));
}

void Report::add_event(const std::string& name, void* at, Clock::duration time) {
  Sheet::Place& place = sheet().find(name.c_str(), at, name.c_str());
  place.calls.add(1);
  place.nanoseconds.add(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()));
}

void Report::name_elements(const garray::Array& array) {
  std::map<Sheet::Element, std::uint64_t> uses;
  for (const auto& sheet : sheets_) sheet->take(array.region, uses);
  for (const auto& [element, count] : uses) {
    for (const array::Extent block : array.distribution.blocks_of(element.member)) {
      const array::Piece piece = array.distribution.piece_of(block);
      auto left = static_cast<array::Extent>(element.offset / array.kind.bytes) - piece.offset;
      array::Box one{.axes = array.axes(), .first = piece.box.first};
      for (std::size_t d = one.axes; d-- > 0 && left >= 0;) {
        one.first[d] += left / piece.strides[d];
        left %= piece.strides[d];
      }
      if (!piece.box.contains(one.first)) continue;
      one.end = one.first;
      for (std::size_t d = 0; d < one.axes; ++d) ++one.end[d];
      hot_[array.name + text_of(one, {})] += count;
      break;
    }
  }
}

void Report::add_waiting(double seconds) {
  const std::lock_guard lock(mutex_);
  waiting_seconds_ += seconds;
}

void Report::add_array(const garray::Array& array) {
  const std::lock_guard lock(mutex_);
  Named& named = arrays_[array.name];
  ++named.made;
  named.bytes +=
      static_cast<std::uint64_t>(array.distribution.element_count(array.me)) * array.kind.bytes;
  named.most_bytes = std::max(named.most_bytes, named.bytes);
}

void Report::end_array(const garray::Array& array) {
  const std::lock_guard lock(mutex_);
  Named& named = arrays_[array.name];
  named.bytes -=
      std::min(named.bytes, static_cast<std::uint64_t>(array.distribution.element_count(array.me)) *
                                array.kind.bytes);
  name_elements(array);
}

std::string Report::own_lines(const fabric::Memory& memory) {
  const std::lock_guard lock(mutex_);
  Moved moved(memory);
  std::string lines;
  for (const auto& sheet : sheets_)
    for (const auto& [key, found] : sheet->places())
      lines += fmt::format(
          "C\t{}\t{}\t{}\t{:.9f}\t{}\t{}\n",
          *found.name == '\0' ? "(in the background)" : plain_of(found.name), code_place(found.at),
          found.calls.value(), 1e-9 * static_cast<double>(found.nanoseconds.value()),
          fmt::join(values_of(found.sizes), "\t"), fmt::join(moved.add(found.bytes), "\t"));
  for (const auto& [name, uses] : hot_) lines += fmt::format("E\t{}\t{}\n", plain_of(name), uses);
  for (const auto& [name, named] : arrays_) {
    const std::string plain = plain_of(name);
    lines += fmt::format("A\t{}\t{}\t{}\n", plain, named.made, named.most_bytes);
  }
  return lines + fmt::format("T\t{:.6f}\t{:.6f}\t{}\n",
                             std::chrono::duration<double>(Clock::now() - begun_).count(),
                             waiting_seconds_, fmt::join(moved.by_group(), ", "));
}

void Report::write(fabric::Memory& memory) {
  const std::string own = own_lines(memory);
  Merged all;
  all.ranks.resize(static_cast<std::size_t>(memory.size()));
  for (int rank = 0; rank < memory.size(); ++rank) {
    std::uint64_t length = own.size();
    memory.broadcast(fabric::Memory::everyone, std::as_writable_bytes(std::span(&length, 1)), rank);
    std::string lines = own;
    lines.resize(length);
    memory.broadcast(fabric::Memory::everyone, std::as_writable_bytes(std::span(lines)), rank);
    if (memory.rank() == 0) merge(all, rank, lines);
  }
  if (memory.rank() != 0) return;
  const std::string text = json_of(all, memory);
  try {
    store::write_whole_file(path_, std::as_bytes(std::span(text)));
  } catch (const base::Error& error) {
    std::fputs(fmt::format("BLOCKYARD_GA_REPORT: {}\n", error.what()).c_str(), stderr);
  }
}

}  // namespace blockyard::ga
