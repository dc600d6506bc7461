// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/disk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/garray/first.h"
#include "blockyard/garray/patch.h"
#include "blockyard/store/posix.h"

namespace blockyard::garray {

using base::Errc;
using base::Error;

namespace {

/// Of each array, while it is open.
constexpr std::size_t kept_bytes = std::size_t{16} << 20;

using Clock = std::chrono::steady_clock;
/// Of a file that takes bytes as quickly as memory does, so that a copy for another thread would
/// take as long.
constexpr double fast_bytes_per_second = 5e8;

std::size_t largest_tile_bytes(const store::TiledArray& tiles) {
  std::size_t bytes = tiles.element_bytes;
  for (const Extent edge : tiles.edges) bytes *= static_cast<std::size_t>(edge);
  return bytes;
}

/// A part of a tile: its elements in the array, and how they lie in memory for all of `within`.
struct Part {
  Box in_array;
  Indexes strides{};  ///< in elements, along the axes of the array
  Extent offset = 0;  ///< of the first one
};

Part part_of(const DiskArray::Section& section, const Box& part, const Box& within) {
  Part found{.in_array = {.axes = part.axes}};
  const Indexes dense = array::dense_strides(within);
  for (std::size_t d = 0; d < part.axes; ++d) {
    const std::size_t axis = section.is_transposed ? part.axes - 1 - d : d;
    const Extent shift = section.box.first[axis] - section.on_disk.first[d];
    found.in_array.first[axis] = part.first[d] + shift;
    found.in_array.end[axis] = part.end[d] + shift;
    found.strides[axis] = dense[d];
    found.offset += (part.first[d] - within.first[d]) * dense[d];
  }
  return found;
}

/// The elements of a whole tile where they lie in the array, in the order of the file, if they are
/// in the memory of one rank of this node in runs that are worth it; else nothing.
std::vector<std::span<std::byte>> rows_of(const DiskArray::Section& section, const Box& tile) {
  constexpr std::size_t least_bytes = 1024;
  const Array& array = section.array;
  std::vector<std::span<std::byte>> rows;
  if (section.is_transposed || !array.is_near || array.is_counted || !array.property.empty())
    return rows;
  const Box box = part_of(section, tile, tile).in_array;
  array.distribution.for_each_piece(box, [&](const Piece& piece) {
    if (piece.box.element_count() != box.element_count() || piece.strides[0] != 1) return;
    // Axes that follow each other in memory are one run.
    std::size_t axes = 1;
    Extent run = box.extent(0);
    while (axes < box.axes && piece.strides[axes] == run) run *= box.extent(axes++);
    const std::size_t bytes = static_cast<std::size_t>(run) * array.kind.bytes;
    if (bytes < least_bytes && axes < box.axes) return;
    Box lines = box;
    for (std::size_t d = 0; d < axes; ++d) lines.end[d] = lines.first[d] + 1;
    std::byte* const base = array.bases[static_cast<std::size_t>(piece.rank)];
    for_each_offset<1>(lines, {piece.strides}, [&](const std::array<Extent, 1>& offset) {
      rows.emplace_back(
          base + static_cast<std::size_t>(piece.offset + offset[0]) * array.kind.bytes, bytes);
    });
  });
  return rows;
}

/// Copies the elements of `part` between dense memory for it and for the whole tile.
void merge(const std::byte* from, const Box& part, std::byte* to, const Box& tile,
           std::size_t element_bytes) {
  const Indexes near = array::dense_strides(part), far = array::dense_strides(tile);
  Extent begin = 0;
  Box lines = part;
  for (std::size_t d = 0; d < part.axes; ++d) begin += (part.first[d] - tile.first[d]) * far[d];
  lines.end[0] = lines.first[0] + 1;
  for_each_offset<2>(lines, {near, far}, [&](const std::array<Extent, 2>& offset) {
    std::memcpy(to + static_cast<std::size_t>(begin + offset[1]) * element_bytes,
                from + static_cast<std::size_t>(offset[0]) * element_bytes,
                static_cast<std::size_t>(part.extent(0)) * element_bytes);
  });
}

}  // namespace

DiskArray::DiskArray(Runtime& runtime, Background& background, const Place& place)
    : runtime_(runtime), background_(background), place_(place) {
  store::PosixStore files;
  const auto mode =
      place.access == DiskAccess::read ? store::OpenMode::read : store::OpenMode::update;
  const auto open = [&] { file_ = std::make_shared<store::TileFile>(files, place.path, mode); };
  at_first(runtime, place.group, open);
  const Team& team = runtime.team(place.group);
  at_all(runtime, place.group, [&] {
    if (team.me != 0) open();
  });
  const store::TiledArray& tiles = file_->array();
  buffers_ = std::make_shared<Buffers>(largest_tile_bytes(tiles), kept_bytes);
  if (tiles.extents.size() > array::max_axes)
    refuse(fmt::format("{} has {} axes; {} can be read", place.path.string(), tiles.extents.size(),
                       array::max_axes));
  array_.name = tiles.name;
  array_.group = place.group;
  array_.kind = runtime.kind(tiles.kind).value_or(Kind{tiles.kind, tiles.element_bytes, {}});
  array_.kind.bytes = tiles.element_bytes;
  array_.extents = tiles.extents;
  counts_ = runtime.memory().allocate(team.group, sizeof(std::int64_t)).region;
  if (counts_ < 0) throw Error(Errc::no_memory, ": out of memory for a disk array");
  static_cast<void>(runtime.memory().fetch_and_add(
      counts_, team.me, 0, fabric::Element::i64,
      -runtime.memory().fetch_and_add(counts_, team.me, 0, fabric::Element::i64, 0)));
  runtime.memory().barrier(team.group);
}

std::unique_ptr<DiskArray> DiskArray::create(Runtime& runtime, Background& background,
                                             const Place& place, const store::TiledArray& tiles) {
  store::PosixStore files;
  at_first(runtime, place.group, [&] { store::TileFile::create(files, place.path, tiles); });
  return std::make_unique<DiskArray>(runtime, background, place);
}

void DiskArray::close() {
  if (!tickets_.empty()) background_.wait(tickets_.back());
  runtime_.sync(place_.group);
  runtime_.memory().release(counts_);
}

void DiskArray::check(const Section& section) const {
  const Array& array = section.array;
  if (array.kind.bytes != array_.kind.bytes || array.kind.element != array_.kind.element)
    refuse(array, fmt::format("has elements of type {}, and the disk array \"{}\" of type {}",
                              name_of(array.kind), array_.name, name_of(array_.kind)));
  const std::size_t axes = array_.axes();
  if (array.axes() != axes)
    refuse(array, fmt::format("has {} axes, and the disk array \"{}\" {}", array.axes(),
                              array_.name, axes));
  for (std::size_t d = 0; d < axes; ++d)
    if (const std::size_t axis = section.is_transposed ? axes - 1 - d : d;
        section.box.extent(axis) != section.on_disk.extent(d))
      refuse(array, fmt::format("the section has {} elements along an axis where that of the disk "
                                "array \"{}\" has {}",
                                section.box.extent(axis), array_.name, section.on_disk.extent(d)));
  if (runtime_.team(array.group).ranks != runtime_.team(place_.group).ranks)
    refuse(array, fmt::format("is one of other processes than the disk array \"{}\"", array_.name));
}

bool DiskArray::owns(Extent tile) const noexcept {
  const Team& team = runtime_.team(place_.group);
  const auto members = static_cast<Extent>(team.ranks.size());
  const Extent readers = place_.readers > 0 ? std::min<Extent>(place_.readers, members) : members;
  return tile % readers * members / readers == team.me;
}

template <class Visit>
void DiskArray::for_each_own_tile(const Box& box, const Visit& visit) const {
  const std::vector<Extent>& edges = file_->array().edges;
  const std::vector<Extent>& grid = file_->grid();
  Box touched{.axes = box.axes};
  for (std::size_t d = 0; d < box.axes; ++d) {
    touched.first[d] = box.first[d] / edges[d];
    touched.end[d] = (box.end[d] - 1) / edges[d] + 1;
  }
  array::for_each_index(touched, [&](const Indexes& at) {
    Extent number = 0;
    Box tile{.axes = box.axes};
    for (std::size_t d = box.axes; d-- > 0;) {
      number = number * grid[d] + at[d];
      tile.first[d] = at[d] * edges[d];
      tile.end[d] = std::min(tile.first[d] + edges[d], array_.extents[d]);
    }
    if (owns(number)) visit(number, tile, array::common(tile, box));
  });
}

DiskArray::Request DiskArray::finish_request() {
  tickets_.push_back(background_.start(
      0, [&memory = runtime_.memory(), counts = counts_, me = runtime_.team(place_.group).me] {
        static_cast<void>(memory.fetch_and_add(counts, me, 0, fabric::Element::i64, 1));
      }));
  return static_cast<Request>(tickets_.size());
}

DiskArray::Request DiskArray::write(const Section& section) {
  check(section);
  if (place_.access == DiskAccess::read) refuse(array_, "is open for reading only");
  const std::size_t unit = array_.kind.bytes;
  bool is_fast = true;
  for_each_own_tile(section.on_disk, [&](Extent number, const Box& tile, const Box& part) {
    const auto bytes = static_cast<std::size_t>(part.element_count()) * unit;
    if (part == tile && is_fast && is_idle())
      if (const auto rows = rows_of(section, tile); !rows.empty()) {
        const auto begun = Clock::now();
        file_->write(number, rows);
        is_fast =
            static_cast<double>(bytes) >
            fast_bytes_per_second * std::chrono::duration<double>(Clock::now() - begun).count();
        return;
      }
    const Buffers::Bytes values = buffers_->take();
    const Part from = part_of(section, part, part);
    get(runtime_, section.array, from.in_array, {values.get(), from.strides});
    background_.start(bytes,
                      [file = file_, buffers = buffers_, number, tile, part, values, bytes, unit] {
                        if (part == tile) return file->write(number, {values.get(), bytes});
                        const auto all = static_cast<std::size_t>(tile.element_count()) * unit;
                        const Buffers::Bytes whole = buffers->take();
                        file->read(number, {whole.get(), all});
                        merge(values.get(), part, whole.get(), tile, unit);
                        file->write(number, {whole.get(), all});
                      });
  });
  return finish_request();
}

DiskArray::Request DiskArray::read(const Section& section) {
  check(section);
  if (place_.access == DiskAccess::write) refuse(array_, "is open for writing only");
  const auto array = std::make_shared<const Array>(section.array);  // shared with the work
  const std::size_t unit = array_.kind.bytes;
  for_each_own_tile(section.on_disk, [&](Extent number, const Box& tile, const Box& part) {
    if (auto rows = part == tile ? rows_of(section, tile) : std::vector<std::span<std::byte>>{};
        !rows.empty()) {
      background_.start(
          0, [file = file_, array, number, rows = std::move(rows)] { file->read(number, rows); });
      return;
    }
    const Part to = part_of(section, part, tile);
    const auto bytes = static_cast<std::size_t>(tile.element_count()) * unit;
    const auto work = [&runtime = runtime_, file = file_, buffers = buffers_, array, number, to,
                       bytes, unit] {
      const Buffers::Bytes values = buffers->take();
      file->read(number, {values.get(), bytes});
      put(runtime, *array, to.in_array,
          {values.get() + static_cast<std::size_t>(to.offset) * unit, to.strides});
      runtime.memory().fence(-1);
    };
    if (runtime_.memory().takes_any_thread()) {
      background_.start(0, work);
    } else {
      if (!is_idle()) background_.wait(tickets_.back());
      work();
    }
  });
  return finish_request();
}

bool DiskArray::is_idle() { return tickets_.empty() || background_.is_done(tickets_.back()); }

bool DiskArray::is_done(Request request) {
  if (!background_.is_done(tickets_.at(static_cast<std::size_t>(request - 1)))) return false;
  seen_done_.resize(runtime_.team(place_.group).ranks.size());
  for (std::size_t m = 0; m < seen_done_.size(); ++m) {
    if (seen_done_[m] >= request) continue;
    seen_done_[m] =
        runtime_.memory().fetch_and_add(counts_, static_cast<int>(m), 0, fabric::Element::i64, 0);
    if (seen_done_[m] < request) return false;
  }
  return true;
}

void DiskArray::wait(Request request) {
  background_.wait(tickets_.at(static_cast<std::size_t>(request - 1)));
  runtime_.sync(place_.group);
}

int Disk::keep(std::unique_ptr<DiskArray> array) {
  arrays_[next_handle_] = std::move(array);
  return next_handle_--;
}

DiskArray& Disk::array(int handle) const {
  const auto found = arrays_.find(handle);
  if (found == arrays_.end())
    refuse(fmt::format("{} is not the handle of an open disk array", handle));
  return *found->second;
}

void Disk::close(int handle) {
  array(handle).close();
  arrays_.erase(handle);
  std::erase_if(requests_, [&](const auto& kept) { return kept.second.handle == handle; });
}

void Disk::close_all() {
  while (!arrays_.empty()) close(arrays_.rbegin()->first);
}

int Disk::keep_request(int handle, DiskArray::Request request) {
  requests_[next_request_] = {handle, request};
  return next_request_++;
}

void Disk::wait(int request) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  array(found->second.handle).wait(found->second.request);
  requests_.erase(found);
}

bool Disk::is_done(int request) {
  const auto found = requests_.find(request);
  return found == requests_.end() || array(found->second.handle).is_done(found->second.request);
}

}  // namespace blockyard::garray
