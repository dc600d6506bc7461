// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/store/detail/persist_layout.h"
#include "blockyard/store/detail/seal.h"
#include "blockyard/store/persist_file.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;

/// HDF5 keeps pieces of an open dataset in memory up to this: several blocks that share chunks.
constexpr std::size_t chunk_cache_bytes = std::size_t{32} << 20;

/// An array that was begun, and which of its blocks exist.
struct BegunArray {
  PersistedArray array;
  std::vector<std::vector<base::Extent>> ends;  // of the segments of each index
  std::vector<std::uint8_t> blocks;             // first index fastest
};

/// Chunks as large as the largest segments: where segments are equal, a block is a chunk, and
/// blocks that do not exist take no room in the file.
std::vector<hsize_t> chunk_of(const PersistedArray& array) {
  std::vector<hsize_t> chunk;
  for (auto it = array.segments.rbegin(); it != array.segments.rend(); ++it)
    chunk.push_back(static_cast<hsize_t>(*std::max_element(it->begin(), it->end())));
  // Below 4 GiB, the most that HDF5 takes; and what its cache can hold.
  const hsize_t max_values = chunk_cache_bytes / array.elements.bytes();
  auto count = std::accumulate(chunk.begin(), chunk.end(), hsize_t{1}, std::multiplies<>());
  for (hsize_t& extent : chunk) {
    while (count > max_values && extent > 1) {
      count /= extent;
      extent = (extent + 1) / 2;
      count *= extent;
    }
  }
  return chunk;
}

hdf5::GroupId make_group(hid_t file, const char* name) {
  return {H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "make a group"};
}

/// The segments that elements first .. first+extent-1 touch, as begin and end.
std::pair<std::size_t, std::size_t> touched(std::span<const base::Extent> ends, base::Extent first,
                                            base::Extent extent) {
  const auto begin = std::ranges::upper_bound(ends, first) - ends.begin();
  const auto last = std::ranges::lower_bound(ends, first + extent) - ends.begin();
  return {static_cast<std::size_t>(begin),
          std::min(ends.size(), static_cast<std::size_t>(last) + 1)};
}

/// Marks the blocks of the grid that the piece touches, index `index` and those below it.
void mark(BegunArray& begun, const Piece& piece, std::size_t index, std::size_t number) {
  const auto& ends = begun.ends[index];
  const auto [begin, end] = touched(ends, piece.first[index], piece.extents[index]);
  for (std::size_t segment = begin; segment < end; ++segment) {
    const std::size_t inner = number * ends.size() + segment;
    if (index == 0) {
      begun.blocks[inner] = 1;
    } else {
      mark(begun, piece, index - 1, inner);
    }
  }
}

hdf5::ListId access_with_cache(const std::string& what) {
  hdf5::ListId access(H5Pcreate(H5P_DATASET_ACCESS), what);
  hdf5::check(H5Pset_chunk_cache(access.get(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, chunk_cache_bytes,
                                 H5D_CHUNK_CACHE_W0_DEFAULT),
              what);
  return access;
}

}  // namespace

struct PersistWriter::State {
  explicit State(std::filesystem::path final_path)
      : path(std::move(final_path)),
        replacement(path),
        file(replacement.temporary(), fmt::format("create {}", path.string())) {}

  /// Opens its dataset, if it is not the open one.
  [[nodiscard]] BegunArray& open(const std::string& label) {
    const auto found = begun.find(label);
    if (found == begun.end())
      throw Error(Errc::bad_input, fmt::format("the persistent array '{}' was not begun", label));
    if (!set || label != open_label) {
      close_set();
      set = hdf5::SetId(H5Dopen2(file.get(), layout::array_name(label).c_str(),
                                 access_with_cache(what_of(label)).get()),
                        what_of(label));
      open_label = label;
    }
    return found->second;
  }

  [[nodiscard]] std::string what_of(const std::string& label) const {
    return fmt::format("write the persistent array '{}' to {}", label, path.string());
  }

  void close_set() {
    // Closing hides errors, so all is flushed while they can be seen.
    if (set) hdf5::check(H5Dflush(set.get()), what_of(open_label));
    set = {};
  }

  hdf5::Silence silence;
  std::filesystem::path path;
  Replacement replacement;
  std::map<std::string, BegunArray> begun;
  std::string open_label;
  hdf5::SetId set;     // of open_label; one at a time, for its cache
  hdf5::NewFile file;  // gives up before its dataset closes, so that it can
};

PersistWriter::PersistWriter(std::filesystem::path path, std::string_view blockyard_version)
    : state_(std::make_unique<State>(std::move(path))) {
  const hid_t file = state_->file.get();
  const std::int64_t version = layout::format_version;
  hdf5::write_attribute(file, layout::version_attribute, std::span(&version, 1));
  hdf5::write_attribute(file, layout::program_attribute, std::string(blockyard_version));
  for (const char* group : {"arrays", "blocks", "scalars"}) (void)make_group(file, group);
}

PersistWriter::~PersistWriter() = default;

void PersistWriter::begin_array(const std::string& label, const PersistedArray& array) {
  layout::check_array(label, array);
  if (state_->begun.contains(label))
    throw Error(Errc::bad_input, fmt::format("two persistent arrays have the label '{}'", label));
  const std::string what = state_->what_of(label);
  state_->close_set();
  const auto dims = layout::dims_of(array);
  const auto order = static_cast<int>(dims.size());
  const hdf5::SpaceId space(H5Screate_simple(order, dims.data(), nullptr), what);
  const hdf5::ListId creation(H5Pcreate(H5P_DATASET_CREATE), what);
  if (std::ranges::find(dims, hsize_t{0}) == dims.end())  // an index may have no values
    hdf5::check(H5Pset_chunk(creation.get(), order, chunk_of(array).data()), what);
  // Attributes beside the header of the dataset, which holds 64 KiB: 8,000 segments.
  hdf5::check(H5Pset_attr_phase_change(creation.get(), 0, 0), what);
  const auto type =
      hdf5::element_type(array.elements.is_complex, array.elements.is_single, hdf5::Place::file);
  state_->set = hdf5::SetId(
      H5Dcreate2(state_->file.get(), layout::array_name(label).c_str(), type.get(), space.get(),
                 H5P_DEFAULT, creation.get(), access_with_cache(what).get()),
      what);
  state_->open_label = label;
  const hid_t set = state_->set.get();
  hdf5::write_attribute(set, layout::kind_attribute, array.kind);
  for (std::size_t index = 0; index < array.segments.size(); ++index)
    hdf5::write_attribute(set, layout::segments_attribute(index).c_str(), array.segments[index]);
  BegunArray begun{array, {}, {}};
  std::size_t count = 1;
  for (const auto& segments : array.segments) {
    count *= segments.size();
    begun.ends.emplace_back(segments.size());
    std::partial_sum(segments.begin(), segments.end(), begun.ends.back().begin());
  }
  begun.blocks.resize(count);
  state_->begun.emplace(label, std::move(begun));
}

void PersistWriter::write_block(const std::string& label, const Piece& piece,
                                std::span<const std::byte> values, Elements elements) {
  BegunArray& begun = state_->open(label);
  if (values.empty() && layout::is_empty(piece)) return;
  const auto [in_file, in_memory] =
      layout::select(state_->set.get(), label, piece, values.size() / elements.bytes());
  const auto type =
      hdf5::element_type(elements.is_complex, elements.is_single, hdf5::Place::memory);
  hdf5::check(H5Dwrite(state_->set.get(), type.get(), in_memory.get(), in_file.get(), H5P_DEFAULT,
                       values.data()),
              state_->what_of(label));
  mark(begun, piece, begun.array.segments.size() - 1, 0);
}

void PersistWriter::write_scalar(const std::string& label, std::complex<double> value,
                                 bool is_complex) {
  const std::string what = fmt::format("write the persistent scalar '{}'", label);
  const hdf5::SpaceId space(H5Screate(H5S_SCALAR), what);
  const auto in_file = hdf5::element_type(is_complex, false, hdf5::Place::file);
  const auto in_memory = hdf5::element_type(is_complex, false, hdf5::Place::memory);
  const hdf5::SetId set(
      H5Dcreate2(state_->file.get(), layout::scalar_name(label).c_str(), in_file.get(), space.get(),
                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      what);
  hdf5::check(H5Dwrite(set.get(), in_memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), what);
}

void PersistWriter::finish() {
  const std::string what = fmt::format("write {}", state_->path.string());
  state_->close_set();
  for (const auto& [label, begun] : state_->begun) {
    const auto grid = layout::grid_of(begun.array);
    const hdf5::SpaceId space(H5Screate_simple(static_cast<int>(grid.size()), grid.data(), nullptr),
                              what);
    const hdf5::SetId set(
        H5Dcreate2(state_->file.get(), layout::blocks_name(label).c_str(), H5T_STD_U8LE,
                   space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        what);
    hdf5::check(
        H5Dwrite(set.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, begun.blocks.data()),
        what);
  }
  state_->file.flush(what);
  state_->file.close();
  append_seal(state_->replacement.temporary());
  state_->replacement.commit();
}

}  // namespace blockyard::store
