// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <unordered_map>
#include <vector>

#include "blockyard/fabric/forwarding_memory.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/report.h"

namespace blockyard::ga {

namespace {

using fabric::Allocation;
using fabric::Element;
using fabric::Group;
using fabric::Meeting;
using fabric::Reduction;
using fabric::Region;
using fabric::Strided;
using fabric::Transfer;

class MeasuredMemory final : public fabric::ForwardingMemory {
 public:
  MeasuredMemory(std::unique_ptr<fabric::Memory> inner, Report& report)
      : ForwardingMemory(std::move(inner)), report_(report) {}

  [[nodiscard]] Group join(std::span<const int> ranks) override {
    const Waiting waiting(report_);
    return inner().join(ranks);
  }
  void leave(Group group) override {
    const Waiting waiting(report_);
    inner().leave(group);
  }
  [[nodiscard]] Allocation allocate(Group group, std::size_t bytes) override {
    const Waiting waiting(report_);
    Allocation made = inner().allocate(group, bytes);
    if (made.region < 0) return made;
    const std::lock_guard lock(mutex_);
    const auto ranks = inner().ranks_of(group);
    ranks_[made.region].assign(ranks.begin(), ranks.end());
    if (group != everyone) has_groups_.store(true, std::memory_order_release);
    return made;
  }
  void release(Region region) override {
    const Waiting waiting(report_);
    inner().release(region);
  }
  void barrier(Group group, const Meeting& meeting) override {
    const Waiting waiting(report_);
    inner().barrier(group, meeting);
  }
  void broadcast(Group group, std::span<std::byte> bytes, int member) override {
    const Waiting waiting(report_);
    inner().broadcast(group, bytes, member);
  }
  void reduce(Group group, Element element, Reduction reduction, void* values,
              std::size_t count) override {
    const Waiting waiting(report_);
    inner().reduce(group, element, reduction, values, count);
  }

  Transfer get(Region region, int member, std::size_t offset, const Strided& rows,
               void* near) override {
    count(region, member, offset, rows.byte_count());
    return inner().get(region, member, offset, rows, near);
  }
  Transfer put(Region region, int member, std::size_t offset, const Strided& rows,
               const void* near) override {
    count(region, member, offset, rows.byte_count());
    return inner().put(region, member, offset, rows, near);
  }
  Transfer accumulate(Region region, int member, std::size_t offset, const Strided& rows,
                      const void* near, Element element, const void* factor) override {
    count(region, member, offset, rows.byte_count());
    return inner().accumulate(region, member, offset, rows, near, element, factor);
  }
  void gather(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
              void* near) override {
    count(region, member, offsets.size() * bytes);
    inner().gather(region, member, offsets, bytes, near);
  }
  void scatter(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
               const void* near) override {
    count(region, member, offsets.size() * bytes);
    inner().scatter(region, member, offsets, bytes, near);
  }
  void scatter_add(Region region, int member, std::span<const std::int64_t> offsets,
                   const void* near, Element element, const void* factor) override {
    count(region, member, offsets.size() * size_of(element));
    inner().scatter_add(region, member, offsets, near, element, factor);
  }
  [[nodiscard]] std::int64_t fetch_and_add(Region region, int member, std::size_t offset,
                                           Element element, std::int64_t increment) override {
    count(region, member, offset, size_of(element));
    return inner().fetch_and_add(region, member, offset, element, increment);
  }

 private:
  class Waiting {
   public:
    explicit Waiting(Report& report) : report_(report), begun_(Report::Clock::now()) {}
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
      report_.add_waiting(std::chrono::duration<double>(Report::Clock::now() - begun_).count());
    }

   private:
    Report& report_;
    Report::Clock::time_point begun_;
  };

  void count(Region region, int member, std::size_t offset, std::size_t bytes) {
    count_element(report_, region, member, offset, bytes);
    count(region, member, bytes);
  }
  void count(Region region, int member, std::size_t bytes) {
    count_bytes(report_, rank_of(region, member), bytes);
  }
  int rank_of(Region region, int member) {
    if (!has_groups_.load(std::memory_order_acquire)) return member;
    const std::lock_guard lock(mutex_);
    const auto found = ranks_.find(region);
    return found == ranks_.end() ? member : found->second[static_cast<std::size_t>(member)];
  }

  Report& report_;
  std::atomic<bool> has_groups_ = false;  // some of ranks_ are not their members
  std::mutex mutex_;                      // guards ranks_
  std::unordered_map<Region, std::vector<int>> ranks_;
};

}  // namespace

void count_bytes(Report& report, int rank, std::size_t bytes) {
  const Call& call = current_call();
  Sheet& sheet = report.sheet();
  sheet.add_bytes(sheet.place(call.name, call.caller), rank, bytes);
}

void count_element(Report& report, Region region, int member, std::size_t offset,
                   std::size_t bytes) {
  constexpr std::size_t element_bytes = 16;
  if (bytes <= element_bytes) report.sheet().add_element({region, member, offset});
}

std::unique_ptr<fabric::Memory> measured_memory(std::unique_ptr<fabric::Memory> memory,
                                                Report& report) {
  return std::make_unique<MeasuredMemory>(std::move(memory), report);
}

}  // namespace blockyard::ga
