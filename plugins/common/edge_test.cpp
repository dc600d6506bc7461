// SPDX-License-Identifier: Apache-2.0
// What the C edge makes of a machine whose calls fail.
#include "plugins/common/edge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <stdexcept>

namespace blockyard::plugin {
namespace {

/// A device in the memory of the host, whose calls fail where the test says so.
struct Machine {
  struct Options {
    bool is_lost = false, is_apart = false;
  };
  struct Stream {
    bool has_failed = false;
    std::string failure = {};
  };
  using Point = Stream;
  struct Plan {
    blockyard_operation operation{};
    std::uint64_t workspace_bytes = 0;
  };
  struct Places {
    char *result, *left, *right, *workspace;
  };
  using Place = char*;
  struct Pending {};

  inline static bool fails = false;
  static void may_fail() {
    if (fails) throw std::runtime_error("the device is lost");
  }

  Machine(std::uint32_t, const Options& given) : options(given) { may_fail(); }
  static std::uint32_t count() { return 1; }
  static std::string read_option(Options& options, std::string_view key, std::string_view) {
    (key == "lost" ? options.is_lost : options.is_apart) = true;
    return "";
  }
  [[nodiscard]] std::string name() const { return "test"; }
  [[nodiscard]] std::uint64_t limit_bytes() const { return sizeof memory; }
  [[nodiscard]] std::uint64_t free_bytes() const { return sizeof memory; }
  [[nodiscard]] bool shares_host_memory() const { return true; }
  [[nodiscard]] bool is_for_network() const { return false; }
  std::uint64_t allocate(std::uint64_t) { return reinterpret_cast<std::uint64_t>(memory); }
  bool release(std::uint64_t) { return true; }
  std::optional<Place> find(std::uint64_t at, std::uint64_t bytes) const {
    if (options.is_lost) throw std::runtime_error("the device is lost");
    const std::uint64_t offset = at - reinterpret_cast<std::uint64_t>(memory);
    if (offset > sizeof memory || bytes > sizeof memory - offset) return std::nullopt;
    return reinterpret_cast<char*>(at);
  }
  Stream* open_stream() { return &streams.emplace_back(); }
  Point* open_point() { return &streams.emplace_back(); }
  void close_stream(Stream*) {}
  void close_point(Point*) {}
  void record(Point&, Stream&) { may_fail(); }
  void wait(Stream&, Point&) { may_fail(); }
  Pending pending(Stream&) { return {}; }
  static bool is_done(const Pending&) { return true; }
  static void finish(const Pending&) { may_fail(); }
  void write(Stream&, Place, const void*, std::uint64_t) { may_fail(); }
  void read(Stream&, void*, Place, std::uint64_t) { may_fail(); }
  void copy(Stream&, Place, Place, std::uint64_t) { may_fail(); }
  bool copy_peer(Stream& stream, Place to, const Machine& other, Place from, std::uint64_t bytes) {
    if (other.options.is_apart) return false;
    stream.has_failed = fails;
    may_fail();
    std::memcpy(to, from, bytes);
    return true;
  }
  void fill(Stream& stream, Place, std::uint32_t, const double*, std::uint64_t) {
    stream.has_failed = fails;
    may_fail();
  }
  Plan* open_plan(const blockyard_operation&, Form) { return &plan; }
  void close_plan(Plan*) {}
  void run(Stream&, const Plan&, const blockyard_run&, const Places&) { may_fail(); }

  Options options;
  alignas(16) char memory[64] = {};
  std::list<Stream> streams;
  Plan plan;
};

TEST(Options, AValueThatIsNoNumberIsNoUnknownOption) {
  std::uint64_t bytes = 0;
  const auto take = [&](std::string_view key, std::string_view value) -> std::string {
    return key == "memory" ? read_number(value, bytes) : "there is memory=";
  };
  EXPECT_EQ(read_options("memory=400", take), "");
  EXPECT_EQ(read_options("memory=4G", take), "option 'memory=4G' wants a whole number");
  EXPECT_EQ(read_options("speed=4", take), "unknown option 'speed=4': there is memory=");
}

class EdgeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Machine::fails = false;
    ASSERT_EQ(table.open(0, "", &device), BLOCKYARD_OK);
    ASSERT_EQ(table.stream_open(device, &stream), BLOCKYARD_OK);
    ASSERT_EQ(table.event_open(device, &event), BLOCKYARD_OK);
    ASSERT_EQ(table.allocate(device, 64, &memory), BLOCKYARD_OK);
  }
  void TearDown() override { table.close(device); }
  blockyard_status fill() {
    const double zero[2] = {};
    return table.fill(device, stream, memory, BLOCKYARD_F64, zero, 8);
  }
  const blockyard_device_table& table = Edge<Machine>::table;
  blockyard_device* device = nullptr;
  blockyard_stream* stream = nullptr;
  blockyard_event* event = nullptr;
  blockyard_address memory = 0;
};

TEST_F(EdgeTest, FailuresAreStatusesWithTheirText) {
  Machine::fails = true;
  EXPECT_EQ(fill(), BLOCKYARD_FAILED);
  char text[64] = {};
  table.last_error(device, text, sizeof text);
  EXPECT_STREQ(text, "the device is lost");
  blockyard_device* none = nullptr;
  EXPECT_EQ(table.open(0, "", &none), BLOCKYARD_FAILED);
  table.close(none);
}

TEST_F(EdgeTest, WorkThatBeginsWithinAnElementOrHasNoEndIsRefused) {
  const double zero[2] = {};
  EXPECT_EQ(table.fill(device, stream, memory + 4, BLOCKYARD_F64, zero, 1), BLOCKYARD_BAD_ARGUMENT);
  EXPECT_EQ(table.fill(device, stream, memory + 4, BLOCKYARD_F32, zero, 1), BLOCKYARD_OK);
  EXPECT_EQ(table.fill(device, stream, memory, BLOCKYARD_F64, zero, (1ULL << 61) + 1),
            BLOCKYARD_BAD_ARGUMENT);
}

TEST_F(EdgeTest, WhatFollowsOnAFailedStreamIsSkipped) {
  Machine::fails = true;
  EXPECT_EQ(fill(), BLOCKYARD_FAILED);
  Machine::fails = false;
  EXPECT_EQ(fill(), BLOCKYARD_FAILED);
  EXPECT_EQ(table.stream_synchronise(device, stream), BLOCKYARD_FAILED);
}

TEST_F(EdgeTest, AFailedStreamTellsItsOwnFailureHoweverOftenItIsAsked) {
  const auto text = [this] {
    char told[256] = {};
    table.last_error(device, told, sizeof told);
    return std::string(told);
  };
  Machine::fails = true;
  EXPECT_EQ(fill(), BLOCKYARD_FAILED);
  Machine::fails = false;
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(table.host_unlock(device, 64), BLOCKYARD_BAD_ARGUMENT) << "another failure";
    EXPECT_EQ(table.stream_synchronise(device, stream), BLOCKYARD_FAILED);
    EXPECT_EQ(text(), "work on the stream failed: the device is lost");
  }
}

TEST_F(EdgeTest, AnEventThatWasNeverRecordedIsDone) {
  EXPECT_EQ(table.event_test(device, event, 0), BLOCKYARD_OK);
}

TEST_F(EdgeTest, AnEventOfAFailedStreamHasFailedAndPassesItOn) {
  Machine::fails = true;
  EXPECT_EQ(fill(), BLOCKYARD_FAILED);
  Machine::fails = false;
  EXPECT_EQ(table.event_record(device, event, stream), BLOCKYARD_FAILED);
  EXPECT_EQ(table.event_test(device, event, 1), BLOCKYARD_FAILED);
  blockyard_stream* other = nullptr;
  ASSERT_EQ(table.stream_open(device, &other), BLOCKYARD_OK);
  EXPECT_EQ(table.stream_wait(device, other, event), BLOCKYARD_FAILED);
  EXPECT_EQ(table.stream_synchronise(device, other), BLOCKYARD_FAILED);
}

TEST_F(EdgeTest, AnEventThatCouldNotBeRecordedHasFailed) {
  Machine::fails = true;
  EXPECT_EQ(table.event_record(device, event, stream), BLOCKYARD_FAILED);
  Machine::fails = false;
  EXPECT_EQ(table.event_test(device, event, 0), BLOCKYARD_FAILED);
  EXPECT_EQ(table.event_record(device, event, stream), BLOCKYARD_OK);
  EXPECT_EQ(table.event_test(device, event, 0), BLOCKYARD_OK);
}

static_assert(Edge<Machine>::copies_peers);

/// Another device, whose memory holds ones where that of the first holds zeros.
class EdgePeerTest : public EdgeTest {
 protected:
  void TearDown() override {
    table.close(other);
    EdgeTest::TearDown();
  }
  void open_other(const char* options) {
    ASSERT_EQ(table.open(0, options, &other), BLOCKYARD_OK);
    ASSERT_EQ(table.allocate(other, 64, &from), BLOCKYARD_OK);
    std::memset(reinterpret_cast<char*>(from), 1, 64);
  }
  blockyard_status copy(std::uint64_t skipped_here, std::uint64_t skipped_there,
                        std::uint64_t bytes) {
    return table.copy_peer(device, stream, memory + skipped_here, other, from + skipped_there,
                           bytes);
  }
  [[nodiscard]] std::string text() const {
    char text[64] = {};
    table.last_error(device, text, sizeof text);
    return text;
  }
  /// How many bytes came over.
  [[nodiscard]] std::int64_t copied() const {
    const char* const begin = reinterpret_cast<const char*>(memory);
    return std::count(begin, begin + 64, 1);
  }
  blockyard_device* other = nullptr;
  blockyard_address from = 0;
};

TEST_F(EdgePeerTest, CopiesComeFromThere) {
  open_other("");
  EXPECT_EQ(copy(8, 16, 48), BLOCKYARD_OK);
  EXPECT_EQ(copied(), 48);
}

TEST_F(EdgePeerTest, DevicesThatDoNotReachEachOtherAreNoFailure) {
  open_other("apart=1");
  EXPECT_EQ(copy(0, 0, 64), BLOCKYARD_UNSUPPORTED);
  EXPECT_EQ(fill(), BLOCKYARD_OK);
  EXPECT_EQ(copied(), 0);
}

TEST_F(EdgePeerTest, ThatTheOtherDeviceFailedIsNoFailureHere) {
  open_other("lost=1");
  EXPECT_EQ(copy(0, 0, 64), BLOCKYARD_UNSUPPORTED);
  EXPECT_EQ(text(), "the other device failed");
  EXPECT_EQ(fill(), BLOCKYARD_OK);
  EXPECT_EQ(copied(), 0);
}

TEST_F(EdgePeerTest, CopiesStayInsideOfTheMemoryOfBoth) {
  open_other("");
  EXPECT_EQ(copy(8, 0, 64), BLOCKYARD_BAD_ARGUMENT);
  EXPECT_EQ(copy(0, 8, 64), BLOCKYARD_BAD_ARGUMENT);
  EXPECT_EQ(copied(), 0);
}

TEST_F(EdgePeerTest, NothingIsCopiedFromAnywhere) {
  open_other("");
  EXPECT_EQ(table.copy_peer(device, stream, 0, other, 0, 0), BLOCKYARD_OK);
  EXPECT_EQ(table.copy(device, stream, BLOCKYARD_WITHIN_DEVICE, 0, 0, 0), BLOCKYARD_OK);
}

TEST_F(EdgePeerTest, OnAFailedStreamNothingIsCopied) {
  open_other("");
  Machine::fails = true;
  EXPECT_EQ(copy(0, 0, 64), BLOCKYARD_FAILED);
  EXPECT_EQ(text(), "the device is lost");
  Machine::fails = false;
  EXPECT_EQ(copy(0, 0, 64), BLOCKYARD_FAILED);
  EXPECT_EQ(copy(0, 0, 0), BLOCKYARD_FAILED);
  EXPECT_EQ(copied(), 0);
}

}  // namespace
}  // namespace blockyard::plugin
