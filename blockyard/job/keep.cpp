// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/keep.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <numeric>
#include <set>
#include <thread>

#include "blockyard/array/grid.h"
#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/job/version.h"
#include "blockyard/store/lock.h"
#include "blockyard/store/persist_file.h"

namespace blockyard::job {

namespace {

constexpr std::string_view static_kind = "static";

/// First elements and extents of the blocks of an array.
class Pieces {
 public:
  explicit Pieces(const std::vector<std::vector<base::Extent>>& segments)
      : grid_(array::grid_of(segments)) {
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

/// As a DenseArray holds elements of such a type.
store::Elements dense_elements(array::ElementType type) { return {array::is_complex(type), false}; }

store::Elements elements_of(array::ElementType type) {
  return {array::is_complex(type), array::is_single(type)};
}

using Labels = std::set<std::string, std::less<>>;

/// The labels that a run of the job may set: where another run also sets one of them, the last one
/// to end wins.
Labels labels_set_by(const Job& job) {
  Labels labels;
  for (const Step& step : job.steps)
    for (const program::Instruction& instruction : step.program.code)
      if (instruction.opcode == program::Opcode::persist_array ||
          instruction.opcode == program::Opcode::persist_scalar)
        labels.insert(step.program.texts[static_cast<std::size_t>(instruction.b)]);
  for (const auto& [name, label] : job.environment.persistent) labels.insert(label);
  for (const auto& [label, array] : job.embedding.kept.arrays) labels.insert(label);
  for (const auto& [label, segments] : job.embedding.kept.distributed) labels.insert(label);
  return labels;
}

/// Another run writes for seconds; whatever takes this long does not end.
store::FileLock wait_for_lock(const std::string& path, worker::Worker& worker) {
  constexpr auto look_again = std::chrono::milliseconds(20);
  constexpr double patience_seconds = 600;
  const std::string file = lock_of(path);
  const double end = base::now_seconds() + patience_seconds;
  for (;;) {
    auto lock = store::FileLock::try_take(file);
    if (lock) return std::move(*lock);
    if (base::now_seconds() > end)
      throw base::Error(base::Errc::io,
                        fmt::format("cannot write {}: {} has been writing it for {} s", path,
                                    store::describe_holder(file), patience_seconds));
    worker.look_around();
    std::this_thread::sleep_for(look_again);
  }
}

void copy_array(const store::PersistReader& from, const std::string& label,
                store::PersistWriter& to) {
  const store::PersistedArray array = from.describe(label);
  const std::vector<std::uint8_t> is_there = from.blocks(label);
  to.begin_array(label, array);
  Pieces pieces(array.segments);
  std::vector<std::byte> values;
  for (std::uint64_t number = 0; number < pieces.count(); ++number) {
    if (is_there.at(number) == 0) continue;
    const store::Piece piece = pieces.piece(number);
    values.resize(element_count(piece.extents) * array.elements.bytes());
    from.read_block(label, piece, values, array.elements);
    to.write_block(label, piece, values, array.elements);
  }
}

/// The blocks of a label, from the servers. If the disk fails, the conversation with them still
/// comes to its end: the run may go on.
void add_blocks(store::PersistWriter& writer, const std::string& label, Pieces& pieces,
                store::Elements elements, worker::Worker& worker) {
  std::exception_ptr failure;
  worker.read_kept(label, [&](std::uint64_t number, std::span<const std::byte> values) {
    if (failure) return;
    try {
      writer.write_block(label, pieces.piece(number), values, elements);
    } catch (const base::Error&) {
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void add_arrays(store::PersistWriter& writer, const worker::Kept& kept, worker::Worker& worker) {
  for (const auto& [label, scalar] : kept.scalars)
    writer.write_scalar(label, scalar.value, scalar.is_complex);
  for (const auto& [label, array] : kept.arrays) {
    std::vector<std::vector<base::Extent>> segments;
    for (const base::Extent extent : array.extents) segments.push_back({extent});
    writer.begin_array(label, {std::string(static_kind), segments, elements_of(array.type)});
    const std::vector<base::Extent> first(array.extents.size(), 0);
    writer.write_block(label, {first, array.extents}, std::as_bytes(std::span(array.values)),
                       dense_elements(array.type));
  }
  for (const auto& [label, segments] : kept.distributed) {
    const store::Elements elements = elements_of(kept.type_of(label));
    writer.begin_array(label, {"distributed", segments, elements});
    Pieces pieces(segments);
    add_blocks(writer, label, pieces, elements, worker);
  }
}

}  // namespace

std::string lock_of(const std::string& path) { return path + ".lock"; }

worker::DenseArray read_dense(const store::PersistReader& reader, const std::string& label) {
  worker::DenseArray result;
  const store::PersistedArray array = reader.describe(label);
  for (const auto& segments : array.segments)
    result.extents.push_back(std::accumulate(segments.begin(), segments.end(), base::Extent{0}));
  result.type = array::element_type(array.elements.is_complex, array.elements.is_single);
  result.values.resize((array.elements.is_complex ? 2 : 1) * element_count(result.extents));
  const std::vector<base::Extent> first(result.extents.size(), 0);
  reader.read_block(label, {first, result.extents},
                    std::as_writable_bytes(std::span(result.values)), dense_elements(result.type));
  return result;
}

void load_array(const store::PersistReader& reader, const std::string& label,
                const std::vector<std::vector<base::Extent>>& segments, const std::string& as,
                worker::Worker& worker) {
  // With the segments that it was written with, blocks that were never written stay so.
  std::vector<std::uint8_t> is_there;
  const store::PersistedArray array = reader.describe(label);
  const auto type = array::element_type(array.elements.is_complex, array.elements.is_single);
  if (segments == array.segments) is_there = reader.blocks(label);
  Pieces pieces(segments);
  std::vector<std::byte> values;
  for (std::uint64_t number = 0; number < pieces.count(); ++number) {
    if (!is_there.empty() && is_there.at(number) == 0) continue;
    const store::Piece piece = pieces.piece(number);
    values.resize(element_count(piece.extents) * array.elements.bytes());
    reader.read_block(label, piece, values, array.elements);
    worker.write_kept(number, values, type);
  }
  worker.end_write(as);
}

worker::Kept read_kept(const std::string& path) {
  worker::Kept kept;
  if (!std::filesystem::exists(path)) return kept;
  const store::PersistReader reader(path);
  for (const std::string& label : reader.scalars()) {
    const auto [value, is_complex] = reader.read_scalar(label);
    kept.scalars[label] = {value, is_complex};
  }
  for (const std::string& label : reader.arrays()) {
    const store::PersistedArray array = reader.describe(label);
    if (array.kind == static_kind) {
      kept.arrays[label] = read_dense(reader, label);
      continue;
    }
    kept.distributed[label] = array.segments;
    kept.element_types[label] =
        array::element_type(array.elements.is_complex, array.elements.is_single);
  }
  return kept;
}

void leave_out_guess(const Job& job, const worker::Kept& guess, worker::Kept& kept) {
  const auto is_of_guess = [&](const auto& entry) {
    const std::string& label = entry.first;
    return guess.scalars.contains(label) || guess.arrays.contains(label) ||
           guess.distributed.contains(label) ||
           (!job.method.empty() && label.starts_with(guess_prefix));
  };
  std::erase_if(kept.scalars, is_of_guess);
  std::erase_if(kept.arrays, is_of_guess);
  std::erase_if(kept.distributed, is_of_guess);
  std::erase_if(kept.element_types, is_of_guess);
}

void load_blocks(const std::string& path, const worker::Kept& kept, worker::Worker& worker) {
  if (kept.distributed.empty()) return;
  const store::PersistReader reader(path);
  for (const auto& [label, segments] : kept.distributed)
    load_array(reader, label, segments, label, worker);
}

void write_kept(const Job& job, worker::Worker& worker) {
  const std::string& path = job.run.persistent;
  const store::FileLock lock = wait_for_lock(path, worker);
  const Labels ours = labels_set_by(job);
  worker::Kept kept = worker.kept();
  leave_out_guess(job, {}, kept);
  if (!std::filesystem::exists(path)) {
    write_arrays(path, kept, worker);
    return;
  }
  const store::PersistReader old(path);
  store::PersistWriter writer(path, version());
  const auto are_theirs = [&](const auto& entry) { return !ours.contains(entry.first); };
  std::erase_if(kept.scalars, are_theirs);
  std::erase_if(kept.arrays, are_theirs);
  std::erase_if(kept.distributed, are_theirs);
  for (const std::string& label : old.scalars())
    if (!kept.scalars.contains(label)) {
      const auto [value, is_complex] = old.read_scalar(label);
      writer.write_scalar(label, value, is_complex);
    }
  for (const std::string& label : old.arrays())
    if (!kept.arrays.contains(label) && !kept.distributed.contains(label))
      copy_array(old, label, writer);
  add_arrays(writer, kept, worker);
  writer.finish();
}

void write_arrays(const std::string& path, const worker::Kept& kept, worker::Worker& worker) {
  store::PersistWriter writer(path, version());
  add_arrays(writer, kept, worker);
  writer.finish();
}

}  // namespace blockyard::job
