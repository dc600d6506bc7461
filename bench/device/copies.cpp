// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench/device/host_pages.h"
#include "bench/device/subject.h"

namespace blockyard::bench {
namespace {

void measure(const Subject& subject, const char* kind, HostPages& host,
             const device::Memory& memory) {
  device::Stream stream = subject.device.open_stream();
  const double in = best_of(subject, [&] {
    stream.copy_in(memory.address(), host.bytes());
    stream.synchronise();
  });
  const double out = best_of(subject, [&] {
    stream.copy_out(host.bytes(), memory.address());
    stream.synchronise();
  });
  const std::size_t bytes = host.bytes().size();
  const double gigabytes = 1e-9 * static_cast<double>(bytes);
  fmt::print(stderr, "{:8} copy {:8} {:9} bytes: in {:7.2f} GB/s, out {:7.2f} GB/s\n", subject.name,
             kind, bytes, gigabytes / in, gigabytes / out);
  print(subject, fmt::format("copy {} {}", kind, bytes),
        {{"bytes", bytes},
         {"in_gigabytes_per_second", gigabytes / in},
         {"out_gigabytes_per_second", gigabytes / out}});
}

}  // namespace

void measure_copies(const Subject& subject) {
  constexpr std::size_t smallest = std::size_t{1} << 10, largest = std::size_t{1} << 28;
  const std::size_t page = lock_page_bytes(subject.device);
  if (page == 0) fmt::print(stderr, "{:8} copy locked: this device locks nothing\n", subject.name);
  for (std::size_t bytes = smallest; bytes <= largest; bytes *= 8) {
    const auto memory = subject.device.allocate(static_cast<base::Extent>(bytes));
    if (!memory) {
      fmt::print(stderr, "{:8} copy of {} bytes left out: no room\n", subject.name, bytes);
      return;
    }
    HostPages pageable(bytes);
    pageable.touch();
    measure(subject, "pageable", pageable, *memory);
    if (page == 0) continue;
    HostPages pages(bytes, page);
    pages.touch();
    const Locked locked(subject.device, pages);
    measure(subject, "locked", pages, *memory);
  }
}

}  // namespace blockyard::bench
