// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/measure.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/blas/router/parts.h"

namespace blockyard::blas {

namespace {

constexpr double enough_seconds = 0.05;  // for a time to mean something
constexpr int round_trips = 20;
constexpr std::int64_t least_bytes = std::int64_t{1} << 20, most_bytes = std::int64_t{64} << 20;
constexpr std::int64_t least_order = 128, most_order = 2048;
constexpr double unsupported_rate = 1;  // flops a second: never worth it

template <class Work>
double seconds_of(Work work) {
  const double began = base::now_seconds();
  work();
  return base::now_seconds() - began;
}

device::Memory allocate(device::Device& device, std::int64_t bytes) {
  auto memory = device.allocate(bytes);
  if (!memory)
    throw base::Error(base::Errc::no_memory,
                      "the device has not the memory that measuring it takes");
  return std::move(*memory);
}

double latency_of(device::Device& device) {
  device::Stream stream = device.open_stream();
  const device::Memory memory = allocate(device, sizeof(double));
  const std::vector<std::byte> number(sizeof(double));
  double best = std::numeric_limits<double>::max();
  for (int k = 0; k < round_trips; ++k)
    best = std::min(best, seconds_of([&] {
                      stream.copy_in(memory.address(), number);
                      stream.synchronise();
                    }));
  return std::max(best, 1e-9);
}

/// Bytes a second of copies into the device, or out of it.
double copy_rate(device::Device& device, bool is_out, double latency) {
  device::Stream stream = device.open_stream();
  for (std::int64_t bytes = least_bytes;; bytes *= 4) {
    const device::Memory memory = allocate(device, bytes);
    std::vector<std::byte> here(static_cast<std::size_t>(bytes), std::byte{1});
    double best = std::numeric_limits<double>::max();
    for (int k = 0; k < 2; ++k)
      best = std::min(best, seconds_of([&] {
                        if (is_out)
                          stream.copy_out(here, memory.address());
                        else
                          stream.copy_in(memory.address(), here);
                        stream.synchronise();
                      }));
    if (best > enough_seconds || bytes >= most_bytes)
      return static_cast<double>(bytes) / std::max(best - latency, best / 2);
  }
}

/// Flops a second of square products.
template <class T>
double product_rate(device::Device& device, double latency) {
  device::Stream stream = device.open_stream();
  for (std::int64_t order = least_order;; order *= 2) {
    Call<T> call{.m = order, .n = order, .k = order, .alpha = T(1), .lda = order};
    call.ldb = call.ldc = order;
    const auto plan = device.open_plan(part_of(call, 0, order).steps.front().operation);
    if (!plan) return unsupported_rate;
    const std::int64_t bytes = order * order * static_cast<std::int64_t>(sizeof(T));
    const device::Memory a = allocate(device, bytes), b = allocate(device, bytes),
                         c = allocate(device, bytes),
                         workspace =
                             allocate(device, std::max<std::int64_t>(plan->workspace_bytes(), 1));
    for (const device::Memory* operand : {&a, &b})
      stream.fill(operand->address(), static_cast<blockyard_element>(element<T>), 1, order * order);
    stream.synchronise();
    double best = std::numeric_limits<double>::max();
    for (int k = 0; k < 2; ++k)
      best = std::min(best, seconds_of([&] {
                        stream.run(*plan, {.alpha = 1,
                                           .result = c.address(),
                                           .left = a.address(),
                                           .right = b.address(),
                                           .workspace = workspace.address()});
                        stream.synchronise();
                      }));
    const bool has_room = 4 * bytes <= most_bytes;
    if (best > enough_seconds || order >= most_order || !has_room)
      return flops_of(call) / std::max(best - latency, best / 2);
  }
}

}  // namespace

Calibration measure(device::Device& there, device::Device& here) {
  Calibration found;
  found.latency_seconds = latency_of(there);
  found.up_rate = copy_rate(there, false, found.latency_seconds);
  found.down_rate = copy_rate(there, true, found.latency_seconds);
  const double latency = found.latency_seconds;
  found.device_rate = {product_rate<float>(there, latency), product_rate<double>(there, latency),
                       product_rate<c64>(there, latency), product_rate<c128>(there, latency)};
  found.local_rate = {product_rate<float>(here, 0), product_rate<double>(here, 0),
                      product_rate<c64>(here, 0), product_rate<c128>(here, 0)};
  return found;
}

}  // namespace blockyard::blas
