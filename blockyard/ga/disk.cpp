// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/disk.h"

#include <dra.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "blockyard/base/error.h"
#include "blockyard/garray/checkpoint.h"
#include "blockyard/garray/patch.h"
#include "blockyard/store/posix.h"

namespace blockyard::ga::disk {

using garray::DiskAccess;
using garray::DiskArray;
using garray::refuse;

namespace {

garray::Disk& disks() {
  if (!edge().disk) edge().disk = std::make_unique<garray::Disk>(runtime());
  return *edge().disk;
}

DiskAccess access_of(int mode) {
  switch (mode) {
    case DRA_RW:
      return DiskAccess::read_write;
    case DRA_W:
      return DiskAccess::write;
    case DRA_R:
      return DiskAccess::read;
    default:
      refuse(fmt::format("mode = {} is not one of DRA_RW, DRA_W, DRA_R", mode));
  }
}

}  // namespace

std::string common_text(const std::string& own) {
  const garray::Team& team = runtime().team(runtime().default_group());
  std::uint64_t length = own.size();
  runtime().memory().broadcast(team.group, std::as_writable_bytes(std::span(&length, 1)), 0);
  std::string text = own;
  text.resize(length);
  runtime().memory().broadcast(team.group, std::as_writable_bytes(std::span(text)), 0);
  return text;
}

namespace {

DiskArray::Place place_of(const std::string& file, int mode, int readers) {
  return {.group = runtime().default_group(),
          .path = common_text(file),
          .access = access_of(mode),
          .readers = readers};
}

store::TiledArray tiles_of(const NewArray& wanted) {
  Array array;
  array.name = wanted.name;
  const auto kind = runtime().kind(wanted.type, tongue().integer_bytes);
  if (!kind) refuse(array, fmt::format("type = {} is not a type of elements", wanted.type));
  if (wanted.ndim < 1 || wanted.ndim > static_cast<int>(array::max_axes))
    refuse(array, fmt::format("ndim = {} is outside 1..{}", wanted.ndim, array::max_axes));
  const auto axes = static_cast<std::size_t>(wanted.ndim);
  for (std::size_t axis = 0; axis < axes; ++axis)
    if (wanted.dims[axis] < 1)
      refuse(array, fmt::format("{} = {} is less than 1", tongue().element("dims", axis),
                                wanted.dims[axis]));
  store::TiledArray tiles{
      .name = wanted.name,
      .kind = kind->code,
      .element_bytes = static_cast<std::uint32_t>(kind->bytes),
      .extents = extents_of(tongue(), axes, wanted.dims),
      .edges = {},
      .files = static_cast<std::uint32_t>(wanted.files > 0 ? wanted.files : disks().files)};
  const auto usual =
      wanted.wanted.is_null() ? std::vector<Extent>() : extents_of(tongue(), axes, wanted.wanted);
  tiles.edges = store::tile_edges(tiles.extents, usual, tiles.element_bytes);
  return tiles;
}

/// Collective. The data that members of a disk array compare when they meet.
template <class Work>
auto together_with(const DiskArray& array, const Work& work) {
  const Met met(&array.array());
  return runtime().collective(array.group(), met.meeting(), work);
}

int move(Way way, DiskArray& array, const DiskArray::Section& section, int d_a, Ints request) {
  const auto begun = together_with(
      array, [&] { return way == Way::to_disk ? array.write(section) : array.read(section); });
  request.set(0, disks().keep_request(d_a, begun));
  return 0;
}

}  // namespace

int init(double most_memory) {
  if (most_memory >= 1) disks().background().set_most_bytes(static_cast<std::size_t>(most_memory));
  return 0;
}

int terminate() {
  if (edge().disk) edge().disk->close_all();
  edge().disk.reset();
  return 0;
}

void set_default_config(int files, int readers) {
  disks().files = std::max(files, 1);
  disks().readers = std::max(readers, 0);
}

int create(const NewArray& wanted, Ints d_a) {
  const auto place =
      place_of(wanted.file, wanted.mode, wanted.readers > 0 ? wanted.readers : disks().readers);
  if (place.access == DiskAccess::read)
    refuse("mode = DRA_R is not one for a new disk array: take DRA_RW or DRA_W");
  d_a.set(
      0, disks().keep(DiskArray::create(runtime(), disks().background(), place, tiles_of(wanted))));
  return 0;
}

int open(const std::string& file, int mode, Ints d_a) {
  const auto place = place_of(file, mode, disks().readers);
  try {
    d_a.set(0, disks().keep(std::make_unique<DiskArray>(runtime(), disks().background(), place)));
    return 0;
  } catch (const base::Error& error) {
    if (error.code() != base::Errc::io) throw;
    if (runtime().team(place.group).me == 0)
      std::fputs(fmt::format("{}: {}\n", current_call().name, error.what()).c_str(), stderr);
    return -1;
  }
}

int close(int d_a) {
  disks().close(d_a);
  return 0;
}

int remove(int d_a) {
  const std::filesystem::path path = opened(d_a).file().path();
  const std::uint32_t files = opened(d_a).file().array().files;
  const garray::Team& team = runtime().team(opened(d_a).group());
  disks().close(d_a);
  if (store::PosixStore here; team.me == 0) store::TileFile::remove(here, path, files);
  runtime().memory().barrier(team.group);
  return 0;
}

const DiskArray& opened(int d_a) { return disks().array(d_a); }

int inquire(int d_a, Ints type, Ints ndim, Ints dims) {
  const Array& array = opened(d_a).array();
  type.set(0, tongue().is_fortran ? fortran::fortran_type(array.kind) : array.kind.code);
  ndim.set(0, static_cast<Extent>(array.axes()));
  for (std::size_t d = 0; d < array.axes(); ++d)
    dims.set(tongue().axis(d, array.axes()), array.extents[d]);
  return 0;
}

void print(int d_a) {
  const DiskArray& array = opened(d_a);
  if (runtime().team(array.group()).me != 0) return;
  std::fputs(fmt::format("disk array \"{}\" ({}) in {}: {} tiles of {}\n", array.array().name,
                         describe(tongue(), array.array()), array.file().path().string(),
                         array.file().tile_count(), fmt::join(array.file().array().edges, " x "))
                 .c_str(),
             stdout);
  std::fflush(stdout);
}

int move_all(Way way, int g_a, int d_a, Ints request) {
  const Array& array = runtime().made_array(g_a);
  DiskArray& on_disk = disks().array(d_a);
  return move(way, on_disk, {array, array.whole(), on_disk.array().whole()}, d_a, request);
}

int move_section(Way way, bool is_transposed, int g_a, Ends patch, int d_a, Ends section,
                 Ints request) {
  const Array& array = runtime().made_array(g_a);
  DiskArray& on_disk = disks().array(d_a);
  const Box box = box_of(tongue(), array, patch.lo, patch.hi, "glo", "ghi");
  const Box there = box_of(tongue(), on_disk.array(), section.lo, section.hi, "dlo", "dhi");
  return move(way, on_disk, {array, box, there, is_transposed}, d_a, request);
}

namespace {

template <class Work>
int checkpoint(const char* file, Ints handles, int count, const Work& work) {
  const int group = runtime().default_group();
  std::vector<const Array*> arrays;
  for (int i = 0; i < count; ++i)
    arrays.push_back(&runtime().made_array(base::to_int(handles[static_cast<std::size_t>(i)])));
  const std::string path = common_text(file);
  try {
    runtime().collective(group, Met().meeting(),
                         [&] { work(runtime(), group, path, std::span(arrays)); });
    return 0;
  } catch (const base::Error& error) {
    // The same at all processes, as garray promises.
    if (error.code() != base::Errc::io && error.code() != base::Errc::bad_input) throw;
    if (runtime().team(group).me == 0)
      std::fputs(fmt::format("{}: {}\n", current_call().name, error.what()).c_str(), stderr);
    return 1;
  }
}

}  // namespace

int save(const char* file, Ints handles, int count) {
  return checkpoint(file, handles, count, garray::save);
}
int load(const char* file, Ints handles, int count) {
  return checkpoint(file, handles, count, garray::load);
}

int probe(int request, Ints status) {
  status.set(0, disks().is_done(request) ? ELIO_DONE : 0);
  return 0;
}

int wait(int request) {
  disks().wait(request);
  return 0;
}

}  // namespace blockyard::ga::disk

namespace blockyard::ga::fortran {

namespace {

void fill_names(int d_a, Chars name, Chars file) {
  name.fill(disk::opened(d_a).array().name);
  file.fill(disk::opened(d_a).file().path().string());
}

}  // namespace

int disk_inquire(int d_a, Ints type, Ints ndim, Ints dims, Chars name, Chars file) {
  fill_names(d_a, name, file);
  return disk::inquire(d_a, type, ndim, dims);
}

int disk_inquire_2(int d_a, Ints type, Ints n, Ints m, Chars name, Chars file) {
  const Array& array = disk::opened(d_a).array();
  if (array.axes() > 2) garray::refuse(array, "has more than 2 axes: ndra_inquire is for it");
  fill_names(d_a, name, file);
  type.set(0, fortran_type(array.kind));
  n.set(0, array.extents[0]);
  m.set(0, array.axes() < 2 ? 1 : array.extents[1]);
  return 0;
}

}  // namespace blockyard::ga::fortran
