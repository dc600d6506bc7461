// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench/device/host_pages.h"
#include "bench/device/subject.h"
#include "blockyard/base/buffer.h"
#include "blockyard/block/device_pool.h"

namespace blockyard::bench {
namespace {

/// Seconds of one allocation and release.
double plain_host(const Subject& subject, std::size_t bytes) {
  return best_of(subject, [&] { HostPages(bytes).touch(); });
}

double locked_host(const Subject& subject, std::size_t bytes, std::size_t page) {
  return best_of(subject, [&] {
    HostPages pages(bytes, page);
    const Locked locked(subject.device, pages);
    pages.touch();
  });
}

double pooled_host(const Subject& subject, std::size_t bytes) {
  base::BufferPool pool(2 * base::BufferPool::charge(bytes));
  return best_of(subject, [&] { static_cast<void>(pool.allocate(bytes)); });
}

double plain_device(const Subject& subject, std::size_t bytes) {
  const auto count = static_cast<base::Extent>(bytes);
  return best_of(subject, [&] { static_cast<void>(subject.device.allocate(count)); });
}

double pooled_device(const Subject& subject, std::size_t bytes) {
  const auto budget = static_cast<std::int64_t>(base::BufferPool::charge(bytes));
  block::DevicePool pool(subject.device, budget);
  return best_of(subject, [&] {
    if (auto piece = pool.allocate(bytes)) pool.recycle(std::move(*piece));
  });
}

}  // namespace

void measure_allocations(const Subject& subject) {
  const std::size_t page = lock_page_bytes(subject.device);
  for (const std::size_t extent : {8, 16, 32, 64}) {
    const std::size_t bytes = extent * extent * extent * extent * sizeof(double);
    if (!subject.device.allocate(static_cast<base::Extent>(bytes))) {
      fmt::print(stderr, "{:8} allocation of {} bytes left out: no room\n", subject.name, bytes);
      return;
    }
    nlohmann::ordered_json figures = {{"bytes", bytes},
                                      {"host_seconds", plain_host(subject, bytes)}};
    if (page != 0) figures["locked_host_seconds"] = locked_host(subject, bytes, page);
    figures["pooled_host_seconds"] = pooled_host(subject, bytes);
    figures["device_seconds"] = plain_device(subject, bytes);
    figures["pooled_device_seconds"] = pooled_device(subject, bytes);
    fmt::print(stderr, "{:8} allocate {:9} bytes, microseconds:", subject.name, bytes);
    for (const auto& [key, value] : figures.items())
      if (key != "bytes")
        fmt::print(stderr, " {} {:.2f}", key.substr(0, key.rfind('_')), 1e6 * value.get<double>());
    fmt::print(stderr, "\n");
    print(subject, fmt::format("allocate {}", bytes), figures);
  }
}

}  // namespace blockyard::bench
