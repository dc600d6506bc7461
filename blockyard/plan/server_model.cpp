// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/server_model.h"

#include <algorithm>
#include <utility>

namespace blockyard::plan {

namespace {

constexpr int number_bits = 48;
/// More blocks than this are not written down one by one.
constexpr std::uint64_t most_noted_blocks = std::uint64_t{1} << 28;

std::uint64_t key_of(std::uint64_t storage, std::uint64_t number) {
  return storage << number_bits | (number & ((std::uint64_t{1} << number_bits) - 1));
}

}  // namespace

void ServerModel::begin_program(std::vector<const array::Grid*> grids,
                                std::vector<double> element_bytes) {
  grids_ = std::move(grids);
  element_bytes_ = std::move(element_bytes);
  arrays_.assign(grids_.size(), nullptr);
  peaks_.assign(grids_.size(), 0);
  pool_.free_kept();
}

void ServerModel::end_program() {
  std::vector<StorageRef> gone = std::move(arrays_);
  arrays_.clear();
  for (StorageRef& one : gone)
    if (one) drop_unheld(std::move(one));
}

/// Ends a storage that no label or array has any more.
void ServerModel::drop_unheld(StorageRef gone) {
  if (gone.use_count() > 1) return;
  alive_bytes_ -= gone->bytes;
  for (const auto& [size, bytes] : gone->by_size) pool_.give_back(size, bytes);
  if (!may_spill_) return;
  for (Lru& list : lists_)
    list.remove_if(
        [&](const Lru::Entry& entry) { return entry.key >> number_bits == gone->number; });
}

ServerModel::Storage& ServerModel::storage(std::int32_t array) {
  StorageRef& found = arrays_[static_cast<std::size_t>(array)];
  if (!found) {
    found = std::make_shared<Storage>();
    found->number = ++storages_;
    const array::Grid& grid = *grids_[static_cast<std::size_t>(array)];
    found->total_bytes =
        static_cast<double>(grid.element_count()) * element_bytes_[static_cast<std::size_t>(array)];
  }
  return *found;
}

/// Takes note of what a storage holds now.
void ServerModel::update(Storage& storage) {
  double estimate = 0;
  for (const auto& [slot, bytes] : storage.by_slot) estimate += bytes;
  const double now = std::min(storage.total_bytes, std::max(storage.exact_bytes, estimate));
  alive_bytes_ += now - storage.bytes;
  storage.bytes = now;
  peak_estimated_bytes_ = std::max(peak_estimated_bytes_, now - storage.exact_bytes);
  storage.peak_bytes = std::max(storage.peak_bytes, now);
  peak_bytes_ = std::max(peak_bytes_, alive_bytes_);
}

void ServerModel::put(std::int32_t array, std::uint64_t number, double bytes, double weight,
                      bool needs_old, std::int64_t slot) {
  Storage& held = storage(array);
  const std::uint64_t blocks = grids_[static_cast<std::size_t>(array)]->block_count();
  if (weight != 1.0 || blocks > most_noted_blocks) {
    if (held.in_loop.empty()) in_loop_.push_back(arrays_[static_cast<std::size_t>(array)]);
    held.in_loop[slot] += weight * bytes;
    spilled_bytes += weight * bytes * share_on_disk();
    return;
  }
  if (held.is_written.empty()) held.is_written.resize(blocks);
  const bool is_new = !held.is_written[number];
  if (is_new) {
    held.is_written[number] = true;
    held.exact_bytes += bytes;
    held.by_size[bytes] += bytes;
    pool_.take(bytes);
    if (held.by_slot.empty()) {  // the usual case, without a sum
      held.bytes += bytes;
      held.peak_bytes = std::max(held.peak_bytes, held.bytes);
      alive_bytes_ += bytes;
      peak_bytes_ = std::max(peak_bytes_, alive_bytes_);
    } else {
      update(held);
    }
  }
  if (!may_spill_) return;
  Lru& list = list_of(number);
  const std::uint64_t key = key_of(held.number, number);
  if (Lru::Entry* entry = list.use(key)) {
    entry->is_marked = false;
  } else {
    if (needs_old && !is_new) read_back_bytes += bytes;
    make_resident(list, key, bytes, false);
  }
}

void ServerModel::get(std::int32_t array, std::uint64_t number, double bytes) {
  if (!may_spill_) return;
  Lru& list = list_of(number);
  const std::uint64_t key = key_of(storage(array).number, number);
  if (list.use(key) != nullptr) return;
  read_back_bytes += bytes;
  make_resident(list, key, bytes, true);
}

void ServerModel::make_resident(Lru& list, std::uint64_t key, double bytes, bool is_on_disk) {
  while (!list.is_empty() && list.bytes() + bytes > server_bytes_) {
    const Lru::Entry& oldest = list.oldest();
    if (!oldest.is_marked) spilled_bytes += oldest.bytes;
    list.remove(oldest.key);
  }
  list.add(key, bytes, is_on_disk);
}

/// Of blocks that are met in no order that matters.
double ServerModel::share_on_disk() const {
  const double room = server_bytes_ * static_cast<double>(lists_.size());
  return may_spill_ && alive_bytes_ > room ? 1 - room / alive_bytes_ : 0;
}

void ServerModel::end_loop() {
  for (const StorageRef& held : in_loop_) {
    for (const auto& [slot, bytes] : held->in_loop) {
      double& known = held->by_slot[slot];
      known = std::max(known, bytes);
    }
    held->in_loop.clear();
    update(*held);
  }
  in_loop_.clear();
}

void ServerModel::remove(std::int32_t array) {
  peaks_[static_cast<std::size_t>(array)] = peak_array_bytes(array);
  StorageRef gone = std::exchange(arrays_[static_cast<std::size_t>(array)], nullptr);
  if (gone) drop_unheld(std::move(gone));
}

void ServerModel::keep(std::int32_t array, const std::string& label) {
  (void)storage(array);
  StorageRef before = std::exchange(labels_[label], arrays_[static_cast<std::size_t>(array)]);
  if (before) drop_unheld(std::move(before));
}

void ServerModel::restore(std::int32_t array, const std::string& label) {
  remove(array);
  const auto found = labels_.find(label);
  if (found != labels_.end()) arrays_[static_cast<std::size_t>(array)] = found->second;
}

double ServerModel::peak_array_bytes(std::int32_t array) const {
  const StorageRef& held = arrays_[static_cast<std::size_t>(array)];
  return std::max(peaks_[static_cast<std::size_t>(array)], held ? held->peak_bytes : 0);
}

}  // namespace blockyard::plan
