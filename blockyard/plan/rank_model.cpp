// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/rank_model.h"

#include <algorithm>

namespace blockyard::plan {

namespace {

/// Share of a transfer that no work hides: the first of a loop, and what comes too late.
constexpr double least_wait = 0.1;

double elapsed(double compute, double transfer) {
  return compute + std::max(least_wait * transfer, transfer - compute);
}

}  // namespace

/// The array of a key: Walk puts it above the number of the block.
constexpr int number_bits = 48;

void add(Work& to, const Work& more) {
  for (double Work::*field :
       {&Work::iterations, &Work::block_operations, &Work::flops, &Work::gets, &Work::cache_hits,
        &Work::puts, &Work::local_bytes, &Work::fabric_bytes, &Work::spilled_bytes,
        &Work::read_back_bytes, &Work::contraction_seconds, &Work::super_seconds,
        &Work::core_seconds})
    to.*field += more.*field;
  for (const auto& [name, calls] : more.super_calls) to.super_calls[name] += calls;
}

RankModel::RankModel(const PlanLayout& layout, const Machine& machine)
    : layout_(layout),
      machine_(machine),
      clocks_(static_cast<std::size_t>(layout.all_workers()), 0.0),
      caches_(clocks_.size()) {}

void RankModel::begin_program() {
  clear_caches();
  std::ranges::fill(clocks_, 0.0);
  current_ = everybody;
  compute_ = transfer_ = core_seconds_ = server_seconds_ = disk_seconds_ = met_ = 0;
  peak_cached_ = peak_foreign_ = 0;
}

double RankModel::pending() const { return elapsed(compute_, transfer_); }

void RankModel::flush() {
  const double seconds = pending();
  core_seconds_ += compute_ * multiplicity();
  if (current_ == everybody)
    for (double& clock : clocks_) clock += seconds;
  else
    clocks_[static_cast<std::size_t>(current_)] += seconds;
  compute_ = transfer_ = 0;
}

void RankModel::switch_to(int worker) {
  flush();
  current_ = worker;
}

void RankModel::share_out(double core_seconds, double transfer_seconds, double longest) {
  const auto workers = static_cast<double>(clocks_.size());
  core_seconds_ += core_seconds;
  const double each =
      std::max(elapsed(core_seconds / workers, transfer_seconds / workers), longest);
  for (double& clock : clocks_) clock += each;
}

double RankModel::meet(double seconds) {
  flush();
  const auto servers = static_cast<double>(layout_.all_servers());
  const auto workers = static_cast<double>(clocks_.size());
  const double cores = layout_.processes == 1
                           ? machine_.cores
                           : std::max(static_cast<double>(machine_.cores), workers);
  const double since = *std::ranges::max_element(clocks_) - met_;
  const double busy = (core_seconds_ + server_seconds_) / cores;
  met_ += std::max({since, server_seconds_ / servers, disk_seconds_ / servers, busy}) +
          (workers > 1 ? seconds : 0);
  std::ranges::fill(clocks_, met_);
  core_seconds_ = server_seconds_ = disk_seconds_ = 0;
  return met_;
}

void RankModel::clear_caches() {
  for (Cache& one : caches_) {
    one.blocks.clear();
    one.foreign_bytes = 0;
  }
}

void RankModel::forget_array(std::int32_t array) {
  for (Cache& one : caches_)
    one.blocks.remove_if([&](const Lru::Entry& entry) {
      const bool is_gone = entry.key >> number_bits == static_cast<std::uint64_t>(array);
      if (is_gone && entry.is_marked) one.foreign_bytes -= entry.bytes;
      return is_gone;
    });
}

bool RankModel::request(std::uint64_t key, double bytes, bool is_foreign, double room) {
  Cache& mine = cache();
  if (mine.blocks.use(key) != nullptr) return true;
  while (!mine.blocks.is_empty() && mine.blocks.bytes() + bytes > room) {
    const Lru::Entry& oldest = mine.blocks.oldest();
    if (oldest.is_marked) mine.foreign_bytes -= oldest.bytes;
    mine.blocks.remove(oldest.key);
  }
  mine.blocks.add(key, bytes, is_foreign);
  if (is_foreign) mine.foreign_bytes += bytes;
  note_cached(mine.blocks.bytes(), mine.foreign_bytes);
  return false;
}

void RankModel::note_cached(double bytes, double foreign_bytes) {
  peak_cached_ = std::max(peak_cached_, bytes);
  peak_foreign_ = std::max(peak_foreign_, foreign_bytes);
}

bool RankModel::is_foreign(std::uint64_t number) const {
  if (layout_.processes == 1) return false;
  const auto server = static_cast<int>(number % static_cast<std::uint64_t>(layout_.all_servers()));
  const int worker = current_ == everybody ? 0 : current_;
  return server / layout_.servers != worker / layout_.workers;
}

}  // namespace blockyard::plan
