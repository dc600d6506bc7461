// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/host/host.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "blockyard/base/current_error.h"
#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/text.h"
#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/abi_table.h"
#include "blockyard/device/host/plan.h"
#include "blockyard/device/host/slack.h"

namespace blockyard::device::host {
namespace {

using base::Errc;
using base::Error;

constexpr std::align_val_t alignment{64};

struct AlignedDelete {
  void operator()(std::byte* bytes) const noexcept { ::operator delete[](bytes, alignment); }
};
struct Allocation {
  std::unique_ptr<std::byte[], AlignedDelete> memory;
  std::uint64_t bytes;
};

/// The host opened as a device. `mutex` guards all the rest.
struct Device {
  std::mutex mutex;
  std::uint64_t limit_bytes = 0;  // 0: none
  std::uint64_t used_bytes = 0;
  std::map<blockyard_address, Allocation> allocations;
  std::map<const Plan*, std::unique_ptr<const Plan>> plans;
  std::string last_error;
  Pool pool{base::usable_cores()};  // has a lock of its own
};

// The types of the ABI are opaque: they stand for the classes below. Streams and events hold
// nothing, for all work is done at once; they are any number but 0.
Device& of(blockyard_device* device) { return *reinterpret_cast<Device*>(device); }
const Plan* of(blockyard_plan* plan) { return reinterpret_cast<const Plan*>(plan); }

blockyard_status remember(Device& device, blockyard_status status, std::string text) {
  const std::lock_guard lock(device.mutex);
  device.last_error = std::move(text);
  return status;
}

blockyard_status status_of(Errc code) noexcept {
  if (code == Errc::bad_input) return BLOCKYARD_BAD_ARGUMENT;
  return code == Errc::no_memory ? BLOCKYARD_NO_MEMORY : BLOCKYARD_FAILED;
}

/// Runs `body(device)`, makes a status of an exception and remembers its text.
template <class Body>
blockyard_status guarded(blockyard_device* handle, Body body) noexcept {
  Device& device = of(handle);
  try {
    try {
      return body(device);
    } catch (...) {
      const Error error = base::current_error();
      return remember(device, status_of(error.code()), error.what());
    }
  } catch (...) {
    return BLOCKYARD_NO_MEMORY;  // not even for the text
  }
}

void read_options(std::string_view text, Device& device) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    constexpr std::string_view memory = "memory=";
    if (word == "network=1") continue;  // it always is
    if (word.starts_with(memory))
      device.limit_bytes = static_cast<std::uint64_t>(
          base::parse_bytes(word.substr(memory.size()), "device option memory"));
    else if (!word.empty())
      throw Error(Errc::bad_input,
                  "unknown option '" + std::string(word) + "'; the host device knows memory=");
  }
}

blockyard_status count(std::uint32_t* devices) {
  *devices = 1;
  return BLOCKYARD_OK;
}

blockyard_status open(std::uint32_t index, const char* options, blockyard_device** opened) {
  *opened = reinterpret_cast<blockyard_device*>(new (std::nothrow) Device);
  if (*opened == nullptr) return BLOCKYARD_NO_MEMORY;
  return guarded(*opened, [&](Device& device) {
    if (index != 0) throw Error(Errc::bad_input, "there is one host device, number 0");
    read_options(options == nullptr ? "" : options, device);
    return BLOCKYARD_OK;
  });
}

void close(blockyard_device* device) {
  if (device != nullptr) delete &of(device);
}

blockyard_status describe(blockyard_device* handle, blockyard_description* asked) {
  return guarded(handle, [&](Device& device) {
    const std::lock_guard lock(device.mutex);
    blockyard_description all{};
    all.size = asked->size;
    all.shares_host_memory = 1;
    all.works_in_place = 1;
    all.memory_bytes = device.limit_bytes;
    if (device.limit_bytes != 0) all.free_bytes = device.limit_bytes - device.used_bytes;
    std::strcpy(all.name, "host");
    std::memcpy(asked, &all, std::min<std::size_t>(asked->size, sizeof all));
    return BLOCKYARD_OK;
  });
}

constexpr auto last_error = tell_last_error<Device>;

blockyard_status allocate(blockyard_device* handle, std::uint64_t bytes,
                          blockyard_address* address) {
  return guarded(handle, [&](Device& device) {
    const std::lock_guard lock(device.mutex);
    *address = 0;
    if (device.limit_bytes != 0 && bytes > device.limit_bytes - device.used_bytes)
      return BLOCKYARD_NO_MEMORY;
    if (bytes > std::numeric_limits<std::int64_t>::max()) return BLOCKYARD_NO_MEMORY;
    auto* raw = static_cast<std::byte*>(
        ::operator new[](bytes + slack_bytes(bytes), alignment, std::nothrow));
    if (raw == nullptr) return BLOCKYARD_NO_MEMORY;
    Allocation made{std::unique_ptr<std::byte[], AlignedDelete>(raw), bytes};
    *address = reinterpret_cast<std::uintptr_t>(raw);
    device.allocations.emplace(*address, std::move(made));
    device.used_bytes += bytes;
    return BLOCKYARD_OK;
  });
}

blockyard_status release(blockyard_device* handle, blockyard_address address) {
  return guarded(handle, [&](Device& device) {
    if (address == 0) return BLOCKYARD_OK;
    const std::lock_guard lock(device.mutex);
    const auto found = device.allocations.find(address);
    if (found == device.allocations.end()) {
      device.last_error = "the address was not allocated";
      return BLOCKYARD_BAD_ARGUMENT;
    }
    device.used_bytes -= found->second.bytes;
    device.allocations.erase(found);
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_open(blockyard_device*, blockyard_stream** stream) {
  *stream = reinterpret_cast<blockyard_stream*>(std::uintptr_t{1});
  return BLOCKYARD_OK;
}
blockyard_status stream_close(blockyard_device*, blockyard_stream*) { return BLOCKYARD_OK; }
blockyard_status stream_synchronise(blockyard_device*, blockyard_stream*) { return BLOCKYARD_OK; }
blockyard_status stream_wait(blockyard_device*, blockyard_stream*, blockyard_event*) {
  return BLOCKYARD_OK;
}

blockyard_status event_open(blockyard_device*, blockyard_event** event) {
  *event = reinterpret_cast<blockyard_event*>(std::uintptr_t{1});
  return BLOCKYARD_OK;
}
blockyard_status event_close(blockyard_device*, blockyard_event*) { return BLOCKYARD_OK; }
blockyard_status event_record(blockyard_device*, blockyard_event*, blockyard_stream*) {
  return BLOCKYARD_OK;
}
blockyard_status event_test(blockyard_device*, blockyard_event*, std::uint32_t) {
  return BLOCKYARD_OK;
}

blockyard_status copy(blockyard_device*, blockyard_stream*, blockyard_direction, std::uint64_t to,
                      std::uint64_t from, std::uint64_t bytes) {
  if (bytes > 0)
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return BLOCKYARD_OK;
}

blockyard_status copy_peer(blockyard_device* handle, blockyard_stream* stream, blockyard_address to,
                           blockyard_device*, blockyard_address from, std::uint64_t bytes) {
  return copy(handle, stream, BLOCKYARD_WITHIN_DEVICE, to, from, bytes);
}

template <class T>
void fill_as(blockyard_address to, T value, std::uint64_t elements) {
  std::fill_n(reinterpret_cast<T*>(to), elements, value);
}

blockyard_status fill(blockyard_device* handle, blockyard_stream*, blockyard_address to,
                      blockyard_element element, const double value[2], std::uint64_t elements) {
  const auto re = static_cast<float>(value[0]), im = static_cast<float>(value[1]);
  switch (element) {
    case BLOCKYARD_F32:
      fill_as(to, re, elements);
      return BLOCKYARD_OK;
    case BLOCKYARD_F64:
      fill_as(to, value[0], elements);
      return BLOCKYARD_OK;
    case BLOCKYARD_C64:
      fill_as(to, tensor::c64(re, im), elements);
      return BLOCKYARD_OK;
    case BLOCKYARD_C128:
      fill_as(to, tensor::c128(value[0], value[1]), elements);
      return BLOCKYARD_OK;
  }
  return guarded(handle, [](Device&) -> blockyard_status {
    throw Error(Errc::bad_input, "an unknown element type");
  });
}

blockyard_status plan_open(blockyard_device* handle, const blockyard_operation* operation,
                           blockyard_plan** opened) {
  return guarded(handle, [&](Device& device) {
    if (!is_supported(*operation))
      return remember(device, BLOCKYARD_UNSUPPORTED, "the host does not know the operation");
    auto plan = std::make_unique<const Plan>(*operation);
    if (!plan->is_usable())
      return remember(device, BLOCKYARD_UNSUPPORTED,
                      "the host has no library for the operation at these extents, or no form");
    const Plan* const key = plan.get();
    const std::lock_guard lock(device.mutex);
    device.plans.emplace(key, std::move(plan));
    *opened = reinterpret_cast<blockyard_plan*>(const_cast<Plan*>(key));
    return BLOCKYARD_OK;
  });
}

blockyard_status plan_workspace(blockyard_device*, blockyard_plan* plan, std::uint64_t* bytes) {
  *bytes = of(plan)->workspace_bytes();
  return BLOCKYARD_OK;
}

blockyard_status plan_run(blockyard_device* handle, blockyard_plan* plan, blockyard_stream*,
                          const blockyard_run* run) {
  return guarded(handle, [&](Device& device) {
    of(plan)->run(*run, device.pool);
    return BLOCKYARD_OK;
  });
}

blockyard_status plan_close(blockyard_device* handle, blockyard_plan* plan) {
  return guarded(handle, [&](Device& device) {
    const std::lock_guard lock(device.mutex);
    device.plans.erase(of(plan));
    return BLOCKYARD_OK;
  });
}

blockyard_status host_lock(blockyard_device* handle, std::uint64_t, std::uint64_t) {
  return remember(of(handle), BLOCKYARD_UNSUPPORTED, "no pages are locked here");
}

blockyard_status host_unlock(blockyard_device* handle, std::uint64_t host) {
  if (host == 0) return BLOCKYARD_OK;
  return remember(of(handle), BLOCKYARD_BAD_ARGUMENT, "no locked pages begin there");
}

blockyard_status network_pointer(blockyard_device* handle, blockyard_address address,
                                 std::uint64_t bytes, const void** pointer) {
  return guarded(handle, [&](Device& device) {
    const std::lock_guard lock(device.mutex);
    const auto after = device.allocations.upper_bound(address);
    if (after == device.allocations.begin() || bytes > std::prev(after)->second.bytes ||
        address - std::prev(after)->first > std::prev(after)->second.bytes - bytes) {
      device.last_error = "what is sent leaves the allocated memory";
      return BLOCKYARD_BAD_ARGUMENT;
    }
    *pointer = reinterpret_cast<const void*>(address);
    return BLOCKYARD_OK;
  });
}

constexpr blockyard_device_table functions = BLOCKYARD_TABLE_BY_NAMES;

}  // namespace

const blockyard_device_table& table() noexcept { return functions; }

}  // namespace blockyard::device::host
