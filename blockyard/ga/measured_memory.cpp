// SPDX-License-Identifier: Apache-2.0
#include <vector>

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

class MeasuredMemory final : public fabric::Memory {
 public:
  MeasuredMemory(std::unique_ptr<fabric::Memory> inner, Report& report)
      : inner_(std::move(inner)), report_(report) {}

  [[nodiscard]] int rank() const noexcept override { return inner_->rank(); }
  [[nodiscard]] int size() const noexcept override { return inner_->size(); }
  [[nodiscard]] int node_of(int rank) const noexcept override { return inner_->node_of(rank); }
  [[nodiscard]] std::span<const int> ranks_of(Group group) const override {
    return inner_->ranks_of(group);
  }
  [[nodiscard]] std::byte* reach(Region region, int member) const noexcept override {
    return inner_->reach(region, member);
  }
  void lock(Region region, int member, std::size_t offset) override {
    inner_->lock(region, member, offset);
  }
  [[nodiscard]] bool unlock(Region region, int member, std::size_t offset) override {
    return inner_->unlock(region, member, offset);
  }
  void fence(int rank) override { inner_->fence(rank); }
  [[nodiscard]] bool done(Transfer transfer, bool must_wait) override {
    return inner_->done(transfer, must_wait);
  }
  void abort(std::string_view cause) noexcept override { inner_->abort(cause); }

  [[nodiscard]] Group join(std::span<const int> ranks) override {
    const Waiting waiting(report_);
    return inner_->join(ranks);
  }
  void leave(Group group) override {
    const Waiting waiting(report_);
    inner_->leave(group);
  }
  [[nodiscard]] Allocation allocate(Group group, std::size_t bytes) override {
    const Waiting waiting(report_);
    Allocation made = inner_->allocate(group, bytes);
    if (made.region < 0) return made;
    const std::lock_guard lock(mutex_);
    const auto ranks = inner_->ranks_of(group);
    ranks_[made.region].assign(ranks.begin(), ranks.end());
    return made;
  }
  void release(Region region) override {
    const Waiting waiting(report_);
    inner_->release(region);
  }
  void barrier(Group group, const Meeting& meeting) override {
    const Waiting waiting(report_);
    inner_->barrier(group, meeting);
  }
  void broadcast(Group group, std::span<std::byte> bytes, int member) override {
    const Waiting waiting(report_);
    inner_->broadcast(group, bytes, member);
  }
  void reduce(Group group, Element element, Reduction reduction, void* values,
              std::size_t count) override {
    const Waiting waiting(report_);
    inner_->reduce(group, element, reduction, values, count);
  }

  Transfer get(Region region, int member, std::size_t offset, const Strided& rows,
               void* near) override {
    count(region, member, rows.byte_count());
    return inner_->get(region, member, offset, rows, near);
  }
  Transfer put(Region region, int member, std::size_t offset, const Strided& rows,
               const void* near) override {
    count(region, member, rows.byte_count());
    return inner_->put(region, member, offset, rows, near);
  }
  Transfer accumulate(Region region, int member, std::size_t offset, const Strided& rows,
                      const void* near, Element element, const void* factor) override {
    count(region, member, rows.byte_count());
    return inner_->accumulate(region, member, offset, rows, near, element, factor);
  }
  void gather(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
              void* near) override {
    count(region, member, offsets.size() * bytes);
    inner_->gather(region, member, offsets, bytes, near);
  }
  void scatter(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
               const void* near) override {
    count(region, member, offsets.size() * bytes);
    inner_->scatter(region, member, offsets, bytes, near);
  }
  void scatter_add(Region region, int member, std::span<const std::int64_t> offsets,
                   const void* near, Element element, const void* factor) override {
    count(region, member, offsets.size() * size_of(element));
    inner_->scatter_add(region, member, offsets, near, element, factor);
  }
  [[nodiscard]] std::int64_t fetch_and_add(Region region, int member, std::size_t offset,
                                           Element element, std::int64_t increment) override {
    count(region, member, size_of(element));
    return inner_->fetch_and_add(region, member, offset, element, increment);
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

  void count(Region region, int member, std::size_t bytes) {
    int rank = member;
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = ranks_.find(region); found != ranks_.end())
        rank = found->second[static_cast<std::size_t>(member)];
    }
    const Call& call = current_call();
    report_.add_bytes(call.name, call.caller, rank, bytes);
  }

  std::unique_ptr<fabric::Memory> inner_;
  Report& report_;
  std::mutex mutex_;  // guards ranks_
  std::unordered_map<Region, std::vector<int>> ranks_;
};

}  // namespace

std::unique_ptr<fabric::Memory> measured_memory(std::unique_ptr<fabric::Memory> memory,
                                                Report& report) {
  return std::make_unique<MeasuredMemory>(std::move(memory), report);
}

}  // namespace blockyard::ga
