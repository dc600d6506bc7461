// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/tile_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "blockyard/base/bytes.h"
#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;

constexpr std::array<char, 8> file_magic{'B', 'Y', 'T', 'I', 'L', 'E', 'S', '\n'};
constexpr std::array<char, 8> tile_magic{'B', 'Y', '1', 'T', 'I', 'L', 'E', '\n'};
constexpr std::uint32_t version = 1;
constexpr std::uint32_t version_of_many_files = 2;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::size_t longest_name = 1024;
constexpr std::uint32_t most_files = 65536;
constexpr std::uint64_t usual_tile_bytes = std::uint64_t{2} << 20;

/// In front of the elements of a tile.
struct TileHeader {
  std::array<char, 8> magic = tile_magic;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t payload_checksum = 0;
  std::uint64_t checksum = 0;  ///< of the 32 bytes before
};
constexpr std::uint64_t payload_offset = 64;
static_assert(sizeof(TileHeader) == 40 && sizeof(TileHeader) <= payload_offset);

std::uint64_t checksum_of(const TileHeader& header) {
  return base::checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(TileHeader, checksum)));
}

/// How many bytes there are, and their checksum.
struct RowsSeen {
  std::uint64_t bytes = 0, checksum = 0;
  explicit RowsSeen(Rows rows) {
    if (rows.size() == 1) {
      bytes = rows[0].size();
      checksum = base::checksum(rows[0]);
      return;
    }
    base::Checksum sum;
    for (const auto row : rows) {
      bytes += row.size();
      sum.add(row);
    }
    checksum = sum.value();
  }
};

std::vector<std::byte> encode(const TiledArray& array) {
  base::ByteWriter out;
  out.value(file_magic);
  out.value(array.files == 1 ? version : version_of_many_files);
  out.value(array.kind);
  out.value(array.element_bytes);
  out.value(static_cast<std::uint32_t>(array.extents.size()));
  for (const Extent extent : array.extents) out.value(extent);
  for (const Extent edge : array.edges) out.value(edge);
  if (array.files != 1) out.value(array.files);
  out.text(std::string_view(array.name).substr(0, longest_name));
  out.value(base::checksum(out.bytes()));
  auto page = out.take();
  page.resize(page_bytes);
  return page;
}

TiledArray decode(std::span<const std::byte> page, const std::filesystem::path& path) {
  constexpr std::uint32_t most_axes = 64;
  const auto refuse = [&](std::string_view what) {
    throw Error(Errc::bad_input, fmt::format("{} is {}", path.string(), what));
  };
  base::ByteReader in(page);
  if (in.value<std::array<char, 8>>() != file_magic) refuse("not a file of tiles of blockyard");
  const auto found = in.value<std::uint32_t>();
  if (found != version && found != version_of_many_files)
    refuse(fmt::format("of version {}; this program reads versions {} and {}", found, version,
                       version_of_many_files));
  TiledArray array;
  array.kind = in.value<std::int32_t>();
  array.element_bytes = in.value<std::uint32_t>();
  const auto axes = in.value<std::uint32_t>();
  if (axes == 0 || axes > most_axes || array.element_bytes == 0) refuse("damaged at its head");
  for (std::uint32_t d = 0; d < axes; ++d) array.extents.push_back(in.value<Extent>());
  for (std::uint32_t d = 0; d < axes; ++d) array.edges.push_back(in.value<Extent>());
  for (std::size_t d = 0; d < axes; ++d)
    if (array.extents[d] < 1 || array.edges[d] < 1) refuse("damaged at its head");
  if (found == version_of_many_files) array.files = in.value<std::uint32_t>();
  if (array.files < 1 || array.files > most_files) refuse("damaged at its head");
  array.name = in.text();
  const std::size_t length = page.size() - in.left();
  if (in.value<std::uint64_t>() != base::checksum(page.first(length)))
    refuse("damaged at its head");
  return array;
}

std::uint64_t tile_bytes(std::span<const Extent> edges, std::uint64_t element_bytes) {
  return std::accumulate(
      edges.begin(), edges.end(), element_bytes,
      [](std::uint64_t bytes, Extent edge) { return bytes * static_cast<std::uint64_t>(edge); });
}

std::uint64_t slot_bytes_of(const TiledArray& array) {
  const std::uint64_t bytes = payload_offset + tile_bytes(array.edges, array.element_bytes);
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

std::vector<Extent> grid_of(const TiledArray& array) {
  std::vector<Extent> grid;
  for (std::size_t d = 0; d < array.extents.size(); ++d)
    grid.push_back((array.extents[d] + array.edges[d] - 1) / array.edges[d]);
  return grid;
}

std::filesystem::path path_of(const std::filesystem::path& first, std::uint32_t file) {
  return file == 0 ? first : std::filesystem::path(fmt::format("{}.{}", first.string(), file));
}

Extent product(std::span<const Extent> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), Extent{1}, std::multiplies<>());
}

/// Where each file ends: after the slots of the first one, which has the most.
std::uint64_t end_of_files(const TiledArray& array) {
  const auto tiles = static_cast<std::uint64_t>(product(grid_of(array)));
  return page_bytes + (tiles + array.files - 1) / array.files * slot_bytes_of(array);
}

}  // namespace

std::vector<Extent> tile_edges(std::span<const Extent> extents, std::span<const Extent> wanted,
                               std::uint32_t element_bytes) {
  std::vector<Extent> edges(extents.begin(), extents.end());
  for (std::size_t d = 0; d < wanted.size() && d < edges.size(); ++d)
    if (wanted[d] > 0) edges[d] = std::min(edges[d], wanted[d]);
  while (tile_bytes(edges, element_bytes) > usual_tile_bytes) {
    const auto largest = std::max_element(edges.begin(), edges.end());
    if (*largest == 1) break;
    *largest = (*largest + 1) / 2;
  }
  // Requests that are small would make many tiles: they grow again, along the fastest index first.
  for (std::size_t d = 0; d < edges.size(); ++d)
    while (edges[d] < extents[d] && 2 * tile_bytes(edges, element_bytes) <= usual_tile_bytes / 2)
      edges[d] = std::min(extents[d], 2 * edges[d]);
  return edges;
}

Extent Tile::element_count() const noexcept { return product(count); }

void TileFile::create(Store& store, const std::filesystem::path& path, const TiledArray& array) {
  if (array.files < 1 || array.files > most_files)
    throw Error(Errc::bad_input, fmt::format("{}: {} files are outside 1..{}", path.string(),
                                             array.files, most_files));
  const std::uint64_t end = end_of_files(array);
  for (std::uint32_t k = 0; k < array.files; ++k) {
    const auto file = store.open(path_of(path, k), OpenMode::create);
    if (k == 0) file->write_at(0, encode(array));
    constexpr std::byte zero{};
    file->write_at(end - 1, {&zero, 1});
  }
}

void TileFile::remove(Store& store, const std::filesystem::path& path, std::uint32_t files) {
  for (std::uint32_t k = 0; k < files; ++k) store.remove(path_of(path, k));
}

TileFile::TileFile(Store& store, std::filesystem::path path, OpenMode mode)
    : path_(std::move(path)) {
  files_.push_back(store.open(path_, mode));
  if (files_[0]->size() < page_bytes)
    throw Error(Errc::bad_input,
                fmt::format("{} is not a file of tiles of blockyard", path_.string()));
  std::vector<std::byte> page(page_bytes);
  files_[0]->read_at(0, page);
  array_ = decode(page, path_);
  grid_ = grid_of(array_);
  slot_bytes_ = slot_bytes_of(array_);
  const std::uint64_t end = end_of_files(array_);
  for (std::uint32_t k = 0; k < array_.files; ++k) {
    if (k > 0) files_.push_back(store.open(path_of(path_, k), mode));
    if (files_[k]->size() < end)
      throw Error(Errc::bad_input, fmt::format("{} is cut short: it has {} bytes of {}",
                                               path_of(path_, k).string(), files_[k]->size(), end));
  }
}

void TileFile::sync() {
  for (const auto& file : files_) file->sync();
}

Extent TileFile::tile_count() const noexcept { return product(grid_); }

File& TileFile::file_of(Extent number) const noexcept {
  return *files_[static_cast<std::size_t>(number) % files_.size()];
}

std::uint64_t TileFile::offset_of(Extent number) const noexcept {
  return page_bytes + static_cast<std::uint64_t>(number) / files_.size() * slot_bytes_;
}

Tile TileFile::tile(Extent number) const {
  Tile found;
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    const Extent first = number % grid_[d] * array_.edges[d];
    number /= grid_[d];
    found.first.push_back(first);
    found.count.push_back(std::min(array_.edges[d], array_.extents[d] - first));
  }
  return found;
}

void TileFile::write(Extent number, std::span<const std::byte> bytes) {
  // Rows are written from and into; this one is not written to.
  const std::span<std::byte> row(const_cast<std::byte*>(bytes.data()), bytes.size());
  write(number, Rows(&row, 1));
}

void TileFile::write(Extent number, Rows rows) {
  const RowsSeen seen(rows);
  TileHeader header{.number = static_cast<std::uint64_t>(number),
                    .bytes = seen.bytes,
                    .payload_checksum = seen.checksum};
  header.checksum = checksum_of(header);
  File& file = file_of(number);
  file.write_at(offset_of(number), std::as_bytes(std::span(&header, 1)));
  file.write_rows_at(offset_of(number) + payload_offset, rows);
}

bool TileFile::read(Extent number, Rows rows) {
  TileHeader header;
  File& file = file_of(number);
  file.read_at(offset_of(number), std::as_writable_bytes(std::span(&header, 1)));
  const auto head = std::as_bytes(std::span(&header, 1));
  if (std::all_of(head.begin(), head.end(), [](std::byte b) { return b == std::byte{}; })) {
    for (const auto row : rows) std::fill(row.begin(), row.end(), std::byte{});
    return false;
  }
  file.read_rows_at(offset_of(number) + payload_offset, rows);
  const RowsSeen seen(rows);
  if (header.checksum != checksum_of(header) ||
      header.number != static_cast<std::uint64_t>(number) || header.bytes != seen.bytes ||
      header.payload_checksum != seen.checksum)
    throw Error(Errc::io,
                fmt::format("cannot read {}: tile {} at byte {} is not what was written there (its "
                            "checksum is wrong); the disk or the file is damaged",
                            path_of(path_, static_cast<std::uint32_t>(
                                               static_cast<std::size_t>(number) % files_.size()))
                                .string(),
                            number, offset_of(number)));
  return true;
}

bool is_tile_file(File& file) {
  std::array<char, 8> magic{};
  if (file.size() < page_bytes) return false;
  file.read_at(0, std::as_writable_bytes(std::span(magic)));
  return magic == file_magic;
}

std::string describe_tile_file(Store& store, const std::filesystem::path& path) {
  TileFile file(store, path, OpenMode::read);
  const TiledArray& array = file.array();
  std::string text = fmt::format(
      "disk resident array \"{}\": {} elements of {} bytes (type {}), {} tiles of {}{}\n",
      array.name, fmt::join(array.extents, " x "), array.element_bytes, array.kind,
      file.tile_count(), fmt::join(array.edges, " x "),
      array.files > 1 ? fmt::format(" in {} files", array.files) : "");
  std::vector<std::byte> bytes;
  Extent written = 0, wrong = 0;
  for (Extent number = 0; number < file.tile_count(); ++number) {
    bytes.resize(static_cast<std::size_t>(file.tile(number).element_count()) * array.element_bytes);
    try {
      if (file.read(number, bytes)) ++written;
    } catch (const Error& error) {
      ++wrong;
      text += fmt::format("{}\n", error.what());
    }
  }
  return text + fmt::format("{} tiles written, {} never, {} WRONG\n", written,
                            file.tile_count() - written - wrong, wrong);
}

}  // namespace blockyard::store
