// SPDX-License-Identifier: Apache-2.0
// Payloads that come to memory which their receiver named.
#include <array>
#include <atomic>
#include <map>

#include "tests/contract/fabric/messages.h"

namespace blockyard::contract {
namespace {

using fabric::Fabric;
using fabric::Message;

class FabricLanding : public FabricMessages {};
INSTANTIATE_TEST_SUITE_P(Every, FabricLanding, testing::ValuesIn(all_worlds()),
                         [](const auto& test) { return test.param.name; });

/// Memory of the host that keeps what came when it came, as a device would copy it.
class TestLanding final : public fabric::Landing {
 public:
  explicit TestLanding(std::size_t bytes) : place_(bytes), kept_(bytes) {}
  [[nodiscard]] std::size_t bytes() const noexcept override { return place_.size(); }
  [[nodiscard]] std::byte* place() noexcept override { return place_.data(); }
  void came(std::size_t offset, std::size_t count) override {
    std::copy_n(place_.begin() + static_cast<std::ptrdiff_t>(offset), count,
                kept_.begin() + static_cast<std::ptrdiff_t>(offset));
    came_ += count;
  }
  [[nodiscard]] std::size_t came() const noexcept { return came_; }
  [[nodiscard]] const double* values() const {
    return reinterpret_cast<const double*>(kept_.data());
  }

 private:
  std::vector<std::byte> place_, kept_;
  std::atomic<std::size_t> came_ = 0;
};

constexpr std::array<std::size_t, 5> counts = {1, 300, 5000, 40000, 400000};

TEST_P(FabricLanding, long_payloads_come_where_their_receiver_wants_them) {
  GetParam().run([&](Fabric& fabric) {
    std::atomic<int> named = 0;
    fabric.land_by([&](std::size_t bytes, bool writes_to_devices) {
      EXPECT_EQ(writes_to_devices, GetParam().reads_devices);
      ++named;
      return std::make_shared<TestLanding>(bytes);
    });
    fabric.barrier();
    for (int to = 0; to < fabric.size(); ++to)
      for (int k = 0; k < static_cast<int>(counts.size()); ++k)
        fabric.send(to, {-1, head_of(k), payload_of(counts[static_cast<std::size_t>(k)], k)});
    std::map<int, int> next_from;
    int landed = 0;
    for (std::size_t n = 0; n < counts.size() * static_cast<std::size_t>(fabric.size()); ++n) {
      const Message message = receive(fabric);
      const int number = number_in(message);
      ASSERT_EQ(number, next_from[message.from]++) << "in the order of sending";
      const std::size_t bytes = counts[static_cast<std::size_t>(number)] * sizeof(double);
      const double* values = nullptr;
      if (const auto* landing = dynamic_cast<TestLanding*>(message.landing.get())) {
        ++landed;
        EXPECT_TRUE(fabric.is_remote(message.from));
        EXPECT_FALSE(message.payload);
        ASSERT_EQ(landing->came(), bytes);
        values = landing->values();
      } else {
        ASSERT_EQ(message.payload->size(), bytes);
        values = message.payload->as<double>();
      }
      for (std::size_t i = 0; i < bytes / sizeof(double); ++i)
        ASSERT_EQ(values[i], number + static_cast<double>(i));
    }
    EXPECT_EQ(landed, named.load());
    fabric.barrier();
    fabric.land_by({});
  });
}

TEST_P(FabricLanding, one_of_the_sender_passes_as_a_pointer_within_a_process) {
  GetParam().run([&](Fabric& fabric) {
    const auto mine = std::make_shared<TestLanding>(64);
    fabric.send(fabric.rank(), {-1, head_of(0), nullptr, nullptr, mine});
    EXPECT_EQ(receive(fabric).landing, mine);
    fabric.barrier();
  });
}

TEST_P(FabricLanding, without_memory_a_payload_comes_as_ever) {
  GetParam().run([&](Fabric& fabric) {
    fabric.land_by([](std::size_t, bool) { return nullptr; });
    fabric.barrier();
    for (int to = 0; to < fabric.size(); ++to)
      fabric.send(to, {-1, head_of(0), payload_of(5000, 0)});
    for (int from = 0; from < fabric.size(); ++from)
      EXPECT_EQ(receive(fabric).payload->size(), 5000 * sizeof(double));
    fabric.barrier();
    fabric.land_by({});
  });
}

}  // namespace
}  // namespace blockyard::contract
