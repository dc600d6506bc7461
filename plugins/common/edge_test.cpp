// SPDX-License-Identifier: Apache-2.0
// What the C edge makes of a machine whose calls fail.
#include "plugins/common/edge.h"

#include <gtest/gtest.h>

#include <list>
#include <stdexcept>

namespace blockyard::plugin {
namespace {

/// A device in the memory of the host, whose calls fail where the test says so.
struct Machine {
  struct Options {};
  struct Stream {
    bool has_failed = false;
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

  Machine(std::uint32_t, const Options&) { may_fail(); }
  static std::uint32_t count() { return 1; }
  static std::string read_option(Options&, std::string_view, std::string_view) { return "none"; }
  [[nodiscard]] std::string name() const { return "test"; }
  [[nodiscard]] std::uint64_t limit_bytes() const { return sizeof memory; }
  [[nodiscard]] std::uint64_t free_bytes() const { return sizeof memory; }
  [[nodiscard]] bool shares_host_memory() const { return true; }
  [[nodiscard]] bool is_for_network() const { return false; }
  std::uint64_t allocate(std::uint64_t) { return reinterpret_cast<std::uint64_t>(memory); }
  bool release(std::uint64_t) { return true; }
  std::optional<Place> find(std::uint64_t at, std::uint64_t) const {
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
  void fill(Stream& stream, Place, std::uint32_t, const double*, std::uint64_t) {
    stream.has_failed = fails;
    may_fail();
  }
  Plan* open_plan(const blockyard_operation&, Form) { return &plan; }
  void close_plan(Plan*) {}
  void run(Stream&, const Plan&, const blockyard_run&, const Places&) { may_fail(); }

  char memory[64] = {};
  std::list<Stream> streams;
  Plan plan;
};

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

TEST_F(EdgeTest, WhatFollowsOnAFailedStreamIsSkipped) {
  Machine::fails = true;
  EXPECT_EQ(fill(), BLOCKYARD_FAILED);
  Machine::fails = false;
  EXPECT_EQ(fill(), BLOCKYARD_FAILED);
  EXPECT_EQ(table.stream_synchronise(device, stream), BLOCKYARD_FAILED);
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

}  // namespace
}  // namespace blockyard::plugin
