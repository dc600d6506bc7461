// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/forwarding_memory.h"
#include "blockyard/ga/checks.h"

namespace blockyard::ga {

namespace {

using fabric::Allocation;
using fabric::Element;
using fabric::Group;
using fabric::Meeting;
using fabric::Reduction;

class CheckedMemory final : public fabric::ForwardingMemory {
 public:
  CheckedMemory(std::unique_ptr<fabric::Memory> inner, Checks& checks)
      : ForwardingMemory(std::move(inner)), checks_(checks) {
    checks_.begin(this->inner());
  }

  [[nodiscard]] Allocation allocate(Group group, std::size_t bytes) override {
    const Allocation made = ForwardingMemory::allocate(group, bytes);
    checks_.met(inner(), group);
    return made;
  }
  void fence(int rank) override {
    ForwardingMemory::fence(rank);
    if (rank < 0) checks_.fenced();
  }
  void barrier(Group group, const Meeting& meeting) override {
    // First the barrier: it tells ranks apart that came to different collectives.
    ForwardingMemory::barrier(group, meeting);
    checks_.synced(inner(), group);
  }
  void broadcast(Group group, std::span<std::byte> bytes, int member) override {
    ForwardingMemory::broadcast(group, bytes, member);
    checks_.heard(inner(), group, member);
  }
  void reduce(Group group, Element element, Reduction reduction, void* values,
              std::size_t count) override {
    ForwardingMemory::reduce(group, element, reduction, values, count);
    checks_.met(inner(), group);
  }

 private:
  Checks& checks_;
};

}  // namespace

std::unique_ptr<fabric::Memory> checked_memory(std::unique_ptr<fabric::Memory> memory,
                                               Checks& checks) {
  return std::make_unique<CheckedMemory>(std::move(memory), checks);
}

}  // namespace blockyard::ga
