// SPDX-License-Identifier: Apache-2.0
// See README.md: what does a transfer between two processes cost?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/fabric/measure.h"
#include "bench/fabric/plain_mpi.h"
#include "bench/reported.h"
#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/mpi_world.h"

namespace blockyard::bench {
namespace {

using fabric::Fabric;

struct OurTimes {
  double get = 0;
  double put = 0;
  double accumulate = 0;
  double message = 0;
  double message_copied = 0;
};

std::vector<double> measure_memcpy() {
  std::vector<std::byte> from(sizes().back(), std::byte{1});
  std::vector<std::byte> to(from.size());
  std::vector<double> times;
  for (const std::size_t bytes : sizes())
    times.push_back(time_of([&] {
      std::memcpy(to.data(), from.data(), bytes);
      // The compiler must not leave out an unread copy.
      asm volatile("" : : "r"(to.data()) : "memory");
    }));
  return times;
}

void wait_for(Fabric& fabric, fabric::Ticket ticket) {
  while (!fabric.done(ticket)) {
  }
}

fabric::Message receive(Fabric& fabric) {
  for (;;)
    if (auto message = fabric.poll(1.0)) return std::move(*message);
}

/// Rank 0: what it costs to reach the window of rank 1, and to ask it for a payload.
std::vector<OurTimes> ask(Fabric& fabric, int window) {
  std::vector<double> values(sizes().back() / sizeof(double), 1.0);
  std::vector<OurTimes> times;
  for (const std::size_t bytes : sizes()) {
    OurTimes& time = times.emplace_back();
    const std::span<double> part(values.data(), bytes / sizeof(double));
    const auto raw = std::as_writable_bytes(part);
    time.get = time_of([&] { wait_for(fabric, fabric.get(window, 1, 0, raw)); });
    time.put = time_of([&] { wait_for(fabric, fabric.put(window, 1, 0, raw)); });
    time.accumulate = time_of([&] { wait_for(fabric, fabric.accumulate(window, 1, 0, part)); });
    const auto ask_for_payload = [&] {
      fabric.send(1, {-1, std::vector<std::byte>(64), nullptr});
      return receive(fabric).payload;
    };
    time.message = time_of([&] { (void)ask_for_payload(); });
    time.message_copied = time_of(
        [&] { std::memcpy(raw.data(), ask_for_payload()->data(), std::min(bytes, raw.size())); });
    fabric.send(1, {});  // on to the next size
  }
  return times;
}

/// Rank 1: answers.
void serve(Fabric& fabric, base::BufferPool& pool) {
  for (const std::size_t bytes : sizes()) {
    const auto payload = std::make_shared<base::Buffer>(pool.allocate(bytes));
    std::memset(payload->data(), 0, bytes);
    while (!receive(fabric).head.empty()) fabric.send(0, {-1, std::vector<std::byte>(16), payload});
  }
}

std::vector<OurTimes> measure_ours(const fabric::MpiSession& session, bool is_alone) {
  base::BufferPool pool(std::size_t{1} << 30);
  fabric::MpiOptions options;
  options.is_alone = is_alone;
  fabric::MpiWorld world(session, pool, {0, 1}, options);
  const auto fabric = world.endpoint(session.process());
  std::vector<OurTimes> times;
  std::atomic<bool> is_over = false;
  {
    const std::jthread rank([&] {
      const int window = fabric->window(sizes().back());
      if (session.process() == 0)
        times = ask(*fabric, window);
      else
        serve(*fabric, pool);
      fabric->barrier();
      is_over = true;
      world.wake();
    });
    while (!is_over) world.progress(1.0);
  }
  base::require(world.end(60), "both processes come to the end");
  return times;
}

/// One line, with the ratio to each peer that is given.
void print(const std::string& name, std::size_t bytes, double seconds,
           const std::vector<std::pair<std::string, double>>& peers) {
  nlohmann::ordered_json line{{"bench", "fabric"},
                              {"case", fmt::format("{} {}", name, bytes)},
                              {"microseconds", seconds * 1e6},
                              {"gigabytes_per_second", static_cast<double>(bytes) / seconds / 1e9}};
  for (const auto& [peer, peer_seconds] : peers) line["ratio_to_" + peer] = peer_seconds / seconds;
  std::cout << line.dump() << std::endl;
}

void run() {
  const fabric::MpiSession session;
  if (session.processes() != 2)
    throw base::Error(base::Errc::bad_input, "run it as: mpirun -n 2 fabric_bench");
  const auto plain = measure_plain_mpi();
  const auto near = measure_ours(session, false);
  const auto apart = measure_ours(session, true);
  if (session.process() != 0) return;
  const auto copies = measure_memcpy();
  for (std::size_t k = 0; k < sizes().size(); ++k) {
    const std::size_t bytes = sizes()[k];
    const double copy = copies[k];
    print("memcpy", bytes, copy, {});
    print("mpi_ping_pong", bytes, plain[k].ping_pong, {{"memcpy", copy}});
    print("mpi_get", bytes, plain[k].get, {{"memcpy", copy}});
    print("mpi_put", bytes, plain[k].put, {{"memcpy", copy}});
    print("mpi_accumulate", bytes, plain[k].accumulate, {{"memcpy", copy}});
    for (const bool is_apart : {false, true}) {
      const OurTimes& ours = is_apart ? apart[k] : near[k];
      const std::string end = is_apart ? "_apart" : "";
      const std::pair<std::string, double> ping{"mpi_ping_pong", plain[k].ping_pong};
      print("get" + end, bytes, ours.get, {{"memcpy", copy}, {"mpi_get", plain[k].get}, ping});
      print("put" + end, bytes, ours.put, {{"memcpy", copy}, {"mpi_put", plain[k].put}, ping});
      print("accumulate" + end, bytes, ours.accumulate, {{"mpi_accumulate", plain[k].accumulate}});
      print("message" + end, bytes, ours.message, {{"memcpy", copy}, ping});
      print("message_copied" + end, bytes, ours.message_copied, {{"memcpy", copy}, ping});
    }
  }
}

}  // namespace
}  // namespace blockyard::bench

int main(int argc, char** argv) {
  CLI::App app("What does a transfer between two processes cost?");
  CLI11_PARSE(app, argc, argv);
  return blockyard::bench::reported(blockyard::bench::run);
}
