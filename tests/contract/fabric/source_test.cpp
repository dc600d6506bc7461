// SPDX-License-Identifier: Apache-2.0
// Payloads that are sent while something writes them, or from where they lie on a device.
#include <array>
#include <map>
#include <mutex>

#include "blockyard/base/error.h"
#include "tests/contract/fabric/messages.h"

namespace blockyard::contract {
namespace {

class FabricSource : public FabricMessages {};
INSTANTIATE_TEST_SUITE_P(Every, FabricSource, testing::ValuesIn(all_worlds()), name_of_world);

/// Writes first, first + 1, ... piece by piece, the next one at every third look, up to `end`
/// bytes.
class SlowSource final : public fabric::Source {
 public:
  SlowSource(std::shared_ptr<base::Buffer> into, double first, std::size_t piece, std::size_t end)
      : into_(std::move(into)), first_(first), piece_(piece), end_(end) {}
  std::size_t ready() noexcept override {
    const std::lock_guard lock(mutex_);
    if (++looks_ % 3 == 0 && written_ < end_) write(std::min(end_, written_ + piece_));
    return written_;
  }
  [[nodiscard]] std::size_t piece_bytes() const noexcept override { return piece_; }
  void finish() override {
    const std::lock_guard lock(mutex_);
    write(into_->size());
  }

 private:
  void write(std::size_t end) {
    for (std::size_t i = written_ / sizeof(double); i < end / sizeof(double); ++i)
      into_->as<double>()[i] = first_ + static_cast<double>(i);
    written_ = end;
  }
  std::mutex mutex_;
  std::shared_ptr<base::Buffer> into_;
  double first_;
  std::size_t piece_;
  std::size_t end_;
  std::size_t written_ = 0;
  int looks_ = 0;
};

TEST_P(FabricSource, a_payload_is_sent_while_its_source_writes_it) {
  constexpr std::array<std::size_t, 5> counts = {1, 300, 5000, 40000, 400000};
  GetParam().run([&](Fabric& fabric) {
    for (int to = 0; to < fabric.size(); ++to)
      for (int k = 0; k < static_cast<int>(counts.size()); ++k) {
        const std::size_t bytes = counts[static_cast<std::size_t>(k)] * sizeof(double);
        const auto payload = std::make_shared<base::Buffer>(GetParam().pool->allocate(bytes));
        const std::size_t piece = std::max<std::size_t>(bytes / 400 * 8, 1000);
        fabric.send(to, {.from = -1,
                         .head = head_of(2 * k),
                         .payload = payload,
                         .source = std::make_shared<SlowSource>(payload, k, piece, bytes)});
        fabric.send(to, {-1, head_of(2 * k + 1), payload_of(10, k)});
      }
    std::map<int, int> next_from;
    for (std::size_t n = 0; n < 2 * counts.size() * static_cast<std::size_t>(fabric.size()); ++n) {
      const Message message = receive(fabric);
      const int number = number_in(message);
      ASSERT_EQ(number, next_from[message.from]++) << "in the order of sending";
      ASSERT_FALSE(message.source);
      const std::size_t count = number % 2 == 1 ? 10 : counts[static_cast<std::size_t>(number / 2)];
      ASSERT_EQ(message.payload->size(), count * sizeof(double));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(message.payload->as<double>()[i], number / 2 + static_cast<double>(i));
    }
    fabric.barrier();
  });
}

/// Has the values first + i in a place of its own, which is spoilt when it goes: at the third look,
/// or, where that fails, in the payload at the sixth.
class PlacedSource final : public fabric::Source {
 public:
  PlacedSource(std::shared_ptr<base::Buffer> payload, double first, bool fails)
      : payload_(std::move(payload)),
        place_(payload_->size() / sizeof(double)),
        first_(first),
        fails_(fails) {}
  PlacedSource(const PlacedSource&) = delete;
  PlacedSource& operator=(const PlacedSource&) = delete;
  ~PlacedSource() override { std::fill(place_.begin(), place_.end(), -2.0); }
  std::size_t ready() noexcept override {
    const std::lock_guard lock(mutex_);
    ++looks_;
    if (looks_ == 3 && !fails_) write(place_.data());
    if (looks_ == 6 && fails_) finish();
    return is_there_ ? payload_->size() : 0;
  }
  [[nodiscard]] const std::byte* place() override {
    const std::lock_guard lock(mutex_);
    return is_in_payload_ ? nullptr : reinterpret_cast<const std::byte*>(place_.data());
  }
  [[nodiscard]] std::size_t piece_bytes() const noexcept override { return payload_->size(); }
  void finish() override {
    is_in_payload_ = true;
    write(payload_->as<double>());
  }

 private:
  void write(double* to) {
    for (std::size_t i = 0; i < place_.size(); ++i) to[i] = first_ + static_cast<double>(i);
    is_there_ = true;
  }
  std::mutex mutex_;
  std::shared_ptr<base::Buffer> payload_;
  std::vector<double> place_;
  double first_;
  bool fails_;
  bool is_there_ = false;
  bool is_in_payload_ = false;
  int looks_ = 0;
};

TEST_P(FabricSource, a_payload_is_read_where_its_source_has_it) {
  constexpr std::array<std::size_t, 4> counts = {500, 5000, 40000, 400000};
  GetParam().run([&](Fabric& fabric) {
    for (int to = 0; to < fabric.size(); ++to)
      for (int k = 0; k < 2 * static_cast<int>(counts.size()); ++k) {
        const std::size_t bytes = counts[static_cast<std::size_t>(k / 2)] * sizeof(double);
        const auto payload = std::make_shared<base::Buffer>(GetParam().pool->allocate(bytes));
        std::fill_n(payload->as<double>(), bytes / sizeof(double), -1.0);
        const auto source = std::make_shared<PlacedSource>(payload, k, k % 2 == 1);
        if (!fabric.reads_devices(to, bytes)) source->finish();
        fabric.send(to, {.from = -1, .head = head_of(k), .payload = payload, .source = source});
      }
    std::map<int, int> next_from;
    for (std::size_t n = 0; n < 2 * counts.size() * static_cast<std::size_t>(fabric.size()); ++n) {
      const Message message = receive(fabric);
      const int number = number_in(message);
      ASSERT_EQ(number, next_from[message.from]++) << "in the order of sending";
      const std::size_t count = counts[static_cast<std::size_t>(number / 2)];
      ASSERT_EQ(message.payload->size(), count * sizeof(double));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(message.payload->as<double>()[i], number + static_cast<double>(i)) << i;
    }
    fabric.barrier();
  });
}

TEST_P(FabricSource, devices_are_read_only_by_who_says_so) {
  GetParam().run([&](Fabric& fabric) {
    constexpr std::size_t length = 4 << 20;
    for (int to = 0; to < fabric.size(); ++to) {
      EXPECT_EQ(fabric.reads_devices(to, length), GetParam().reads_devices && fabric.is_remote(to));
      EXPECT_FALSE(fabric.reads_devices(to, 8)) << "what is short goes with its message";
    }
    fabric.barrier();
  });
}

TEST_P(FabricSource, an_abort_waits_for_no_source) {
  GetParam().run([&](Fabric& fabric) {
    if (fabric.rank() == 0) {
      const auto payload = std::make_shared<base::Buffer>(GetParam().pool->allocate(1 << 22));
      for (int to = 0; to < fabric.size(); ++to)
        fabric.send(to, {.from = -1,
                         .head = head_of(0),
                         .payload = payload,
                         .source = std::make_shared<SlowSource>(payload, 0, 1 << 16, 1 << 20)});
      fabric.abort("the rest never comes");
    }
    try {
      for (;;) (void)receive(fabric);
    } catch (const base::Error& error) {
      EXPECT_STREQ(error.what(), "the rest never comes");
    }
  });
}

}  // namespace
}  // namespace blockyard::contract
