// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/keep.h"

#include <filesystem>
#include <numeric>

#include "blockyard/array/grid.h"
#include "blockyard/job/report.h"
#include "blockyard/store/persist_file.h"

namespace blockyard::job {

namespace {

constexpr std::string_view static_kind = "static";

/// First elements and extents of the blocks of an array.
class Pieces {
 public:
  explicit Pieces(const std::vector<std::vector<base::Extent>>& segments) {
    std::vector<array::Axis> axes;
    for (const auto& extents : segments) {
      array::Axis axis{array::IndexKind::simple, 1, extents, {}};
      axis.offsets.resize(extents.size());
      std::exclusive_scan(extents.begin(), extents.end(), axis.offsets.begin(), base::Extent{0});
      axes.push_back(std::move(axis));
    }
    grid_ = array::Grid(std::move(axes));
    segments_.resize(grid_.order());
    first_.resize(grid_.order());
    extents_.resize(grid_.order());
  }

  [[nodiscard]] std::uint64_t count() const { return grid_.block_count(); }

  /// Valid until the next call.
  store::Piece piece(std::uint64_t number) {
    grid_.segments_of(number, segments_);
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      first_[k] = grid_.offset(k, segments_[k]);
      extents_[k] = grid_.extent(k, segments_[k]);
    }
    return {first_, extents_};
  }

 private:
  array::Grid grid_;
  std::vector<std::int64_t> segments_;
  std::vector<base::Extent> first_;
  std::vector<base::Extent> extents_;
};

std::size_t element_count(std::span<const base::Extent> extents) {
  return static_cast<std::size_t>(
      std::accumulate(extents.begin(), extents.end(), base::Extent{1}, std::multiplies<>()));
}

}  // namespace

worker::DenseArray read_dense(const store::PersistReader& reader, const std::string& label) {
  worker::DenseArray result;
  for (const auto& segments : reader.describe(label).segments)
    result.extents.push_back(std::accumulate(segments.begin(), segments.end(), base::Extent{0}));
  result.values.resize(element_count(result.extents));
  const std::vector<base::Extent> first(result.extents.size(), 0);
  reader.read_block(label, {first, result.extents}, result.values);
  return result;
}

void load_array(const store::PersistReader& reader, const std::string& label,
                const std::vector<std::vector<base::Extent>>& segments, const std::string& as,
                worker::Worker& worker) {
  // With the segments that it was written with, blocks that were never written stay so.
  std::vector<std::uint8_t> is_there;
  if (segments == reader.describe(label).segments) is_there = reader.blocks(label);
  Pieces pieces(segments);
  std::vector<double> values;
  for (std::uint64_t number = 0; number < pieces.count(); ++number) {
    if (!is_there.empty() && is_there.at(number) == 0) continue;
    const store::Piece piece = pieces.piece(number);
    values.resize(element_count(piece.extents));
    reader.read_block(label, piece, values);
    worker.write_kept(number, values);
  }
  worker.end_write(as);
}

worker::Kept read_kept(const std::string& path) {
  worker::Kept kept;
  if (!std::filesystem::exists(path)) return kept;
  const store::PersistReader reader(path);
  for (const std::string& label : reader.scalars()) kept.scalars[label] = reader.read_scalar(label);
  for (const std::string& label : reader.arrays()) {
    const store::PersistedArray array = reader.describe(label);
    if (array.kind == static_kind)
      kept.arrays[label] = read_dense(reader, label);
    else
      kept.distributed[label] = array.segments;
  }
  return kept;
}

void load_blocks(const std::string& path, const worker::Kept& kept, worker::Worker& worker) {
  if (kept.distributed.empty()) return;
  const store::PersistReader reader(path);
  for (const auto& [label, segments] : kept.distributed)
    load_array(reader, label, segments, label, worker);
}

void write_kept(const std::string& path, worker::Worker& worker, const worker::Kept& before) {
  worker::Kept kept = worker.kept();
  kept.scalars.insert(before.scalars.begin(), before.scalars.end());
  for (const auto& [label, array] : before.arrays)
    if (!kept.distributed.contains(label)) kept.arrays.emplace(label, array);
  write_arrays(path, kept, worker);
}

void write_arrays(const std::string& path, const worker::Kept& kept, worker::Worker& worker) {
  store::PersistWriter writer(path, version());
  for (const auto& [label, value] : kept.scalars) writer.write_scalar(label, value);
  for (const auto& [label, array] : kept.arrays) {
    std::vector<std::vector<base::Extent>> segments;
    for (const base::Extent extent : array.extents) segments.push_back({extent});
    writer.begin_array(label, {std::string(static_kind), segments});
    const std::vector<base::Extent> first(array.extents.size(), 0);
    writer.write_block(label, {first, array.extents}, array.values);
  }
  for (const auto& [label, segments] : kept.distributed) {
    writer.begin_array(label, {"distributed", segments});
    Pieces pieces(segments);
    worker.read_kept(label, [&](std::uint64_t number, std::span<const double> values) {
      writer.write_block(label, pieces.piece(number), values);
    });
  }
  writer.finish();
}

}  // namespace blockyard::job
