// SPDX-License-Identifier: Apache-2.0
// Programs made by hand, on a worker over loopback, with a home of blocks that is a map.
#include "blockyard/worker/worker.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <thread>

#include "blockyard/base/error.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/wire/batch.h"

namespace blockyard::worker {
namespace {

using program::ArrayKind;
using program::Opcode;
using program::Program;

/// What a worker asked its home of blocks.
struct Asked {
  int put_messages = 0;
  std::vector<wire::ListBlocks> lists;
};

/// Answers the requests of one worker until Shutdown.
Asked serve(fabric::Fabric& fabric, base::BufferPool& pool) {
  Asked asked;
  std::map<std::uint64_t, fabric::Payload> blocks;
  std::vector<std::uint64_t> in_order;  // as the test puts them
  while (true) {
    auto message = fabric.poll(1.0);
    if (!message) continue;
    wire::Any any = wire::decode(message->head);
    if (std::holds_alternative<wire::Shutdown>(any)) return asked;
    if (const auto* get = std::get_if<wire::GetBlock>(&any)) {
      const auto found = blocks.find(get->block.number);
      const bool is_there = found != blocks.end();
      const wire::Any reply =
          is_there ? wire::Any(wire::BlockData{get->ticket})
                   : wire::Any(wire::Failed{get->ticket, wire::Failure::never_written, {}, "", ""});
      fabric.send(message->from, {-1, wire::encode(reply), is_there ? found->second : nullptr});
      continue;
    }
    if (const auto* list = std::get_if<wire::ListBlocks>(&any)) {
      asked.lists.push_back(*list);
      const auto known = static_cast<std::ptrdiff_t>(list->known);
      fabric.send(message->from,
                  {-1,
                   wire::encode(wire::BlockList{
                       list->ticket, true, {in_order.begin() + known, in_order.end()}, 1}),
                   nullptr});
      continue;
    }
    if (const auto* batch = std::get_if<wire::Batch>(&any)) {
      ++asked.put_messages;
      wire::DoneMany done;
      for (const wire::Part& part : wire::parts(*batch, message->payload->bytes())) {
        const auto& put = std::get<wire::PutBlock>(part.put);
        auto values = std::make_shared<base::Buffer>(pool.allocate(part.values.size()));
        std::memcpy(values->data(), part.values.data(), part.values.size());
        blocks[put.block.number] = std::move(values);
        in_order.push_back(put.block.number);
        done.tickets.push_back(put.ticket);
      }
      fabric.send(message->from, {-1, wire::encode(done), nullptr});
      continue;
    }
    if (const auto* put = std::get_if<wire::PutBlock>(&any)) {
      ++asked.put_messages;
      blocks[put->block.number] = message->payload;
    }
    const wire::Ticket ticket = std::visit(
        [](const auto& m) {
          if constexpr (requires { m.ticket; }) return m.ticket;
          return wire::Ticket{0};
        },
        any);
    fabric.send(message->from, {-1, wire::encode(wire::Done{ticket}), nullptr});
  }
}

/// One index i = 1:2 over mo segments of 2 and 3; arrays a (temp), l (local), d (distributed) of
/// it.
Program with_tables() {
  Program p;
  p.name = "made_by_hand";
  p.files = {"made.sial"};
  p.indexes = {{"i", array::IndexKind::mo, {false, 1}, {false, 2}, -1, {}}};
  for (const auto& [name, kind] :
       {std::pair{"a", ArrayKind::temp}, std::pair{"l", ArrayKind::local},
        std::pair{"d", ArrayKind::distributed}}) {
    program::ArrayDecl array;
    array.name = name;
    array.kind = kind;
    array.indexes = {0};
    p.arrays.push_back(array);
  }
  p.scalars = {{"x", false, 0.0, {}}};
  p.literals = {3.0};
  for (std::int32_t k = 0; k < 3; ++k)
    p.selectors.push_back({program::SelectorForm::block, k, {0}});
  p.products = {{{0, 0}}};
  return p;
}

void add(Program& p, Opcode opcode, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0) {
  p.code.push_back({opcode, a, b, c});
  p.lines.push_back({0, static_cast<std::uint32_t>(p.code.size())});
}

/// do i, what `body` adds, enddo i.
void loop(Program& p, const std::function<void()>& body) {
  const std::size_t begin = p.code.size();
  add(p, Opcode::do_begin);
  body();
  add(p, Opcode::do_next, 0, static_cast<std::int32_t>(begin) + 1);
  p.code[begin].b = static_cast<std::int32_t>(p.code.size());
}

/// a[i] = 3.0 and put d[i] = a[i]: three instructions.
void fill_and_put(Program& p) {
  add(p, Opcode::push_literal, 0);
  add(p, Opcode::block_fill, 0, 0);
  add(p, Opcode::put, 2, 0, 0);
}

/// x = x + a[i] * a[i]: two instructions.
void add_square(Program& p) {
  add(p, Opcode::push_product, 0);
  add(p, Opcode::store_scalar, 0, 1);
}

/// a[i] = 3.0; x = x + a[i] * a[i]: four instructions.
void fill_and_square(Program& p) {
  add(p, Opcode::push_literal, 0);
  add(p, Opcode::block_fill, 0, 0);
  add_square(p);
}

struct Result {
  Outcome outcome;
  std::string printed;
  std::string error;
  Asked asked;
};

Result run(const Program& program, std::int64_t budget_bytes = 1 << 20, bool check = false,
           PrefetchDepth prefetch = {}, std::vector<array::Extent> segments = {2, 3},
           DeviceSupply* devices = nullptr, int servers = 1) {
  base::BufferPool pool(1 << 22);
  fabric::LoopbackWorld world(1 + servers);
  Result result;
  std::vector<Asked> asked(static_cast<std::size_t>(servers));
  std::vector<std::thread> threads;
  for (int server = 0; server < servers; ++server)
    threads.emplace_back([&, server] {
      asked[static_cast<std::size_t>(server)] = serve(*world.endpoint(1 + server), pool);
    });
  {
    const auto fabric = world.endpoint(0);
    super::Table supers;
    Options options;
    options.servers = servers;
    options.budget_bytes = budget_bytes;
    options.check = check;
    options.prefetch = prefetch;
    options.devices = devices;
    Worker worker(*fabric, pool, supers, options,
                  [&](std::string_view text) { result.printed += text; });
    Environment environment;
    environment.segments.set(array::IndexKind::mo, segments);
    try {
      result.outcome = worker.run(program, environment);
    } catch (const base::Error& error) {
      result.error = error.what();
    }
    worker.shut_down_servers();
  }
  for (std::thread& thread : threads) thread.join();
  for (const Asked& one : asked) {
    result.asked.put_messages += one.put_messages;
    result.asked.lists.insert(result.asked.lists.end(), one.lists.begin(), one.lists.end());
  }
  return result;
}

TEST(Worker, runs_loops_and_contracts_blocks) {
  Program p = with_tables();
  add(p, Opcode::do_begin, 0, 7);
  fill_and_square(p);
  add(p, Opcode::print_index, 0, 0);
  add(p, Opcode::do_next, 0, 1);
  add(p, Opcode::halt);
  const Result result = run(p);
  EXPECT_EQ(result.error, "");
  EXPECT_DOUBLE_EQ(result.outcome.scalars.at("x"), 45.0);
  EXPECT_EQ(result.printed, "6:  i = 1\n6:  i = 2\n");
}

TEST(Worker, forgets_temps_at_the_end_of_an_iteration) {
  Program p = with_tables();
  loop(p, [&] {
    add(p, Opcode::push_literal, 0);
    add(p, Opcode::block_fill, 0, 1);  // += on a block that is not there
  });
  add(p, Opcode::halt);
  EXPECT_NE(run(p).error.find("made.sial:3: attempt to read block a[1]"), std::string::npos);
}

TEST(Worker, puts_and_gets_and_needs_a_get_before_it_reads) {
  Program p = with_tables();
  add(p, Opcode::do_begin, 0, 12);
  fill_and_put(p);
  add(p, Opcode::barrier);
  add(p, Opcode::get, 2);
  add(p, Opcode::push_literal, 0);
  add(p, Opcode::block_copy, 0, 2, program::flag_accumulate | program::flag_scaled);
  add_square(p);
  add(p, Opcode::jump, 11);
  add(p, Opcode::do_next, 0, 1);
  add(p, Opcode::halt);
  const Result result = run(p);
  ASSERT_EQ(result.error, "");
  EXPECT_DOUBLE_EQ(result.outcome.scalars.at("x"), 5 * 12.0 * 12.0);
  p.code[5] = {Opcode::jump, 6, 0, 0};
  EXPECT_NE(run(p).error.find("attempt to read block d[1]"), std::string::npos);
}

TEST(Worker, sends_small_puts_to_one_server_together) {
  Program p = with_tables();
  loop(p, [&] { fill_and_put(p); });
  add(p, Opcode::barrier);
  add(p, Opcode::halt);
  const Result small = run(p);
  EXPECT_EQ(small.error, "");
  EXPECT_EQ(small.asked.put_messages, 1);
  const Result large = run(p, 1 << 22, false, {}, {600, 700});
  EXPECT_EQ(large.error, "");
  EXPECT_EQ(large.asked.put_messages, 2);
}

/// Puts a block in each of two epochs and adds its square up if it exists.
Program asking_whether_blocks_exist() {
  Program p = with_tables();
  p.arrays[2].is_sparse = true;
  loop(p, [&] {
    fill_and_put(p);
    add(p, Opcode::barrier);
    add(p, Opcode::exists, 2);
    add(p, Opcode::exists, 2);  // asked in this epoch
    add(p, Opcode::and_);
    add(p, Opcode::jump_if_false, static_cast<std::int32_t>(p.code.size()) + 3);
    add_square(p);
  });
  add(p, Opcode::halt);
  return p;
}

TEST(Worker, asks_in_each_epoch_only_for_the_blocks_that_are_new) {
  const Result result = run(asking_whether_blocks_exist());
  EXPECT_EQ(result.error, "");
  EXPECT_DOUBLE_EQ(result.outcome.scalars.at("x"), 45.0);
  ASSERT_EQ(result.asked.lists.size(), 2U);
  EXPECT_EQ(result.asked.lists[0].known, 0U);
  EXPECT_EQ(result.asked.lists[1].known, 1U);
  EXPECT_EQ(result.asked.lists[1].generation, 1U);
}

TEST(Worker, asks_only_the_home_of_a_block_whether_it_exists) {
  const Result result = run(asking_whether_blocks_exist(), 1 << 20, false, {}, {2, 3}, nullptr, 3);
  EXPECT_EQ(result.error, "");
  EXPECT_DOUBLE_EQ(result.outcome.scalars.at("x"), 45.0);
  EXPECT_EQ(result.asked.lists.size(), 2U) << "one for each block, in its epoch";
}

TEST(Worker, does_with_prefetching_in_the_least_memory_what_it_does_without) {
  Program p = with_tables();
  loop(p, [&] { fill_and_put(p); });
  add(p, Opcode::barrier);
  for (int turn = 0; turn < 2; ++turn)
    loop(p, [&] {
      add(p, Opcode::get, 2);
      add(p, Opcode::block_copy, 0, 2);
      add_square(p);
    });
  add(p, Opcode::halt);
  for (std::int64_t budget = 64; budget <= 1024; budget += 64) {
    const Result without = run(p, budget, false, {false, 0});
    for (const PrefetchDepth depth : {PrefetchDepth{}, PrefetchDepth{false, 64}}) {
      const Result with = run(p, budget, false, depth);
      EXPECT_EQ(with.error, without.error) << budget;
      if (!with.error.empty()) continue;
      EXPECT_DOUBLE_EQ(with.outcome.scalars.at("x"), 2 * 45.0);
    }
  }
}

TEST(Worker, gets_what_it_put_in_the_same_epoch) {
  Program p = with_tables();
  loop(p, [&] {
    fill_and_put(p);
    add(p, Opcode::get, 2);
    add(p, Opcode::block_copy, 0, 2);
    add_square(p);
  });
  add(p, Opcode::halt);
  const Result result = run(p, 1 << 20, false, {false, 8});
  EXPECT_EQ(result.error, "");
  EXPECT_DOUBLE_EQ(result.outcome.scalars.at("x"), 45.0);
}

/// A device that is open after this many looks.
class LateDevice final : public DeviceSupply {
 public:
  /// fails_at: after this many looks it will never come.
  explicit LateDevice(int looks, int fails_at = 1000) : looks_left_(looks), lasts_for_(fails_at) {}
  const DeviceShare* share(int) noexcept override {
    --lasts_for_;
    return looks_left_-- > 0 ? nullptr : &share_;
  }
  void note_work(double seconds) noexcept override { noted_seconds += seconds; }
  const DeviceShare* open(int, const std::function<void()>&) override { return &share_; }
  [[nodiscard]] bool may_come() const noexcept override { return lasts_for_ > 0; }
  double noted_seconds = 0;

 private:
  int looks_left_;
  int lasts_for_;
  device::Device device_{device::sim::table(), 0, "seed=3"};
  DeviceShare share_{&device_, 0, 1 << 20, nullptr};
};

TEST(Worker, goes_on_with_a_device_that_is_opened_while_a_program_runs) {
  Program p = with_tables();
  loop(p, [&] { fill_and_square(p); });
  add(p, Opcode::halt);
  // It is looked for at the begin and at each product, of which there are two.
  const std::vector<std::uint64_t> runs = {4, 3, 1, 0};
  for (std::size_t looks = 0; looks < runs.size(); ++looks) {
    LateDevice late(static_cast<int>(looks));
    const Result result = run(p, 1 << 20, false, {}, {2, 3}, &late);
    EXPECT_EQ(result.error, "");
    EXPECT_DOUBLE_EQ(result.outcome.scalars.at("x"), 45.0);
    EXPECT_EQ(result.outcome.metrics.device.runs, runs[looks]) << looks;
    EXPECT_EQ(result.outcome.metrics.device_number, looks == 3 ? -1 : 0);
    EXPECT_EQ(late.noted_seconds > 0, looks >= 2) << "what the host did before it came";
  }
  LateDevice never(1000, 1);
  EXPECT_DOUBLE_EQ(run(p, 1 << 20, false, {}, {2, 3}, &never).outcome.scalars.at("x"), 45.0);
  EXPECT_EQ(never.noted_seconds, 0) << "no time is taken for a device that cannot come";
}

TEST(Worker, says_where_memory_ends) {
  Program p = with_tables();
  loop(p, [&] {
    add(p, Opcode::push_literal, 0);
    add(p, Opcode::block_fill, 1, 0);
  });
  add(p, Opcode::halt);
  EXPECT_EQ(run(p, 128).error, "");
  const std::string error = run(p, 64).error;
  EXPECT_NE(error.find("made.sial:3"), std::string::npos) << error;
  EXPECT_NE(error.find("--memory"), std::string::npos) << error;
}

TEST(Worker, reports_local_blocks_that_leak_in_the_checking_mode) {
  Program p = with_tables();
  loop(p, [&] {
    add(p, Opcode::push_literal, 0);
    add(p, Opcode::block_fill, 1, 0);
  });
  add(p, Opcode::halt);
  EXPECT_EQ(run(p, 1 << 20, true).outcome.warnings.size(), 2U);
}

}  // namespace
}  // namespace blockyard::worker
