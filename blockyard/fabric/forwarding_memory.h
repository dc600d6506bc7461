// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "blockyard/fabric/memory.h"

namespace blockyard::fabric {

/// Forwards to another memory: a base for classes that intercept some of the calls.
class ForwardingMemory : public Memory {
 public:
  explicit ForwardingMemory(std::unique_ptr<Memory> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] int rank() const noexcept override { return inner_->rank(); }
  [[nodiscard]] int size() const noexcept override { return inner_->size(); }
  [[nodiscard]] bool takes_any_thread() const noexcept override {
    return inner_->takes_any_thread();
  }
  [[nodiscard]] int node_of(int rank) const noexcept override { return inner_->node_of(rank); }
  [[nodiscard]] Group join(std::span<const int> ranks) override { return inner_->join(ranks); }
  void leave(Group group) override { inner_->leave(group); }
  [[nodiscard]] std::span<const int> ranks_of(Group group) const override {
    return inner_->ranks_of(group);
  }
  [[nodiscard]] Allocation allocate(Group group, std::size_t bytes) override {
    return inner_->allocate(group, bytes);
  }
  void release(Region region) override { inner_->release(region); }
  [[nodiscard]] std::byte* reach(Region region, int member) const noexcept override {
    return inner_->reach(region, member);
  }
  Transfer get(Region region, int member, std::size_t offset, const Strided& rows,
               void* near) override {
    return inner_->get(region, member, offset, rows, near);
  }
  Transfer put(Region region, int member, std::size_t offset, const Strided& rows,
               const void* near) override {
    return inner_->put(region, member, offset, rows, near);
  }
  Transfer accumulate(Region region, int member, std::size_t offset, const Strided& rows,
                      const void* near, Element element, const void* factor) override {
    return inner_->accumulate(region, member, offset, rows, near, element, factor);
  }
  void gather(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
              void* near) override {
    inner_->gather(region, member, offsets, bytes, near);
  }
  void scatter(Region region, int member, std::span<const std::int64_t> offsets, std::size_t bytes,
               const void* near) override {
    inner_->scatter(region, member, offsets, bytes, near);
  }
  void scatter_add(Region region, int member, std::span<const std::int64_t> offsets,
                   const void* near, Element element, const void* factor) override {
    inner_->scatter_add(region, member, offsets, near, element, factor);
  }
  [[nodiscard]] std::int64_t fetch_and_add(Region region, int member, std::size_t offset,
                                           Element element, std::int64_t increment) override {
    return inner_->fetch_and_add(region, member, offset, element, increment);
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
  void barrier(Group group, const Meeting& meeting = {}) override {
    inner_->barrier(group, meeting);
  }
  void broadcast(Group group, std::span<std::byte> bytes, int member) override {
    inner_->broadcast(group, bytes, member);
  }
  void reduce(Group group, Element element, Reduction reduction, void* values,
              std::size_t count) override {
    inner_->reduce(group, element, reduction, values, count);
  }
  void abort(std::string_view cause) noexcept override { inner_->abort(cause); }

 protected:
  [[nodiscard]] Memory& inner() const noexcept { return *inner_; }

 private:
  std::unique_ptr<Memory> inner_;
};

}  // namespace blockyard::fabric
