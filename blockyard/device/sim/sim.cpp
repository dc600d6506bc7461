// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/sim.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/abi_kernel_check.h"
#include "blockyard/device/abi_kinds.h"
#include "blockyard/device/abi_table.h"
#include "blockyard/device/sim/address_space.h"
#include "blockyard/device/sim/fft.h"
#include "blockyard/device/sim/kernel.h"
#include "blockyard/device/sim/locked_pages.h"
#include "blockyard/device/sim/machine.h"
#include "blockyard/device/sim/operation.h"
#include "blockyard/device/sim/options.h"

namespace blockyard::device::sim {
namespace {

struct Plan {
  blockyard_operation operation;
  std::optional<Kernel> kernel;  ///< of BLOCKYARD_KERNEL
};

/// One simulated device. `mutex` guards all the rest.
struct Device {
  Device(std::uint32_t index, const Options& options)
      : given(options),
        memory(options.memory),
        machine(options.seed, options.fail_after,
                std::chrono::microseconds(index == 1 ? options.slow : 0)) {}
  std::mutex mutex;
  Options given;
  std::uint64_t calls = 0;
  AddressSpace memory;
  LockedPages locked;
  Machine machine;
  std::unordered_map<const Event*, std::unique_ptr<Event>> events;  ///< many: one for each copy
  std::list<Plan> plans;
  std::string last_error;

  blockyard_status fail(blockyard_status status, std::string text) {
    last_error = std::move(text);
    return status;
  }
  /// Counts the calls of the table; some fail and do nothing.
  bool next_call_fails() {
    ++calls;
    if (calls == given.lose_call) machine.drop_all();
    return calls == given.fail_call || calls >= given.lose_call;
  }
  /// Numbers of its own memory are no pointers.
  [[nodiscard]] std::byte* find(blockyard_address address, std::uint64_t bytes) const noexcept {
    if (given.in_place != 0 && address >> 56 == 0) return reinterpret_cast<std::byte*>(address);
    return memory.find(address, bytes);
  }
  blockyard_status state(const Stream& stream) {
    return stream.has_failed ? fail(BLOCKYARD_FAILED, "work on the stream failed (simulated)")
                             : BLOCKYARD_OK;
  }
};

/// Real additions and multiplications, roughly: two for each setting of all indexes.
double flops_of(const blockyard_operation& operation) {
  if (operation.kind == BLOCKYARD_FFT) return fft_flops(operation);
  const auto all = [](const blockyard_operand& operand) {
    return static_cast<double>(element_count(operand));
  };
  double count = std::max(all(operation.result), all(operation.left));
  if (operation.kind == BLOCKYARD_CONTRACT)  // each index is in two of the three, or in all
    count = std::sqrt(all(operation.result) * all(operation.left) * all(operation.right));
  if (operation.kind >= BLOCKYARD_SOLVE && operation.kind <= BLOCKYARD_SPECTRUM)
    count *= static_cast<double>(operation.left.extent[0]);
  const bool is_complex = operation.element >= BLOCKYARD_C64;
  return (is_complex ? 8 : 2) * count;
}

constexpr std::uint32_t device_count = 2;

// The types of the ABI are opaque: they stand for the classes below.
Device& of(blockyard_device* device) { return *reinterpret_cast<Device*>(device); }
Stream* of(blockyard_stream* stream) { return reinterpret_cast<Stream*>(stream); }
Event* of(blockyard_event* event) { return reinterpret_cast<Event*>(event); }
Plan* of(blockyard_plan* plan) { return reinterpret_cast<Plan*>(plan); }

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Until what is modelled is done. No lock is held meanwhile.
void sleep_until(double due) {
  const double left = due - now_seconds();
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

/// Runs `body(device)` under its lock and lets no exception out.
template <class Body>
blockyard_status locked(blockyard_device* handle, Body body) noexcept {
  Device& device = of(handle);
  try {
    const std::lock_guard lock(device.mutex);
    if (device.next_call_fails())
      return device.fail(BLOCKYARD_FAILED,
                         "call " + std::to_string(device.calls) + " failed (simulated)");
    device.machine.drift();
    return body(device);
  } catch (const std::bad_alloc&) {
    return BLOCKYARD_NO_MEMORY;
  } catch (...) {
    return BLOCKYARD_FAILED;
  }
}

blockyard_status count(std::uint32_t* devices) {
  *devices = device_count;
  return BLOCKYARD_OK;
}

blockyard_status open(std::uint32_t index, const char* text, blockyard_device** opened) {
  *opened = nullptr;
  try {
    Options options;
    std::string fault = read(text == nullptr ? "" : text, options);
    while (options.hang_open != 0) std::this_thread::sleep_for(std::chrono::hours(1));
    if (index >= device_count) fault = "there are two simulated devices, 0 and 1";
    auto device = std::make_unique<Device>(index, options);
    device->last_error = fault;
    *opened = reinterpret_cast<blockyard_device*>(device.release());
    return fault.empty() ? BLOCKYARD_OK : BLOCKYARD_BAD_ARGUMENT;
  } catch (...) {
    return BLOCKYARD_NO_MEMORY;
  }
}

void close(blockyard_device* device) {
  if (device == nullptr) return;
  of(device).machine.finish_all();
  delete &of(device);
}

blockyard_status describe(blockyard_device* handle, blockyard_description* asked) {
  return locked(handle, [&](Device& device) {
    blockyard_description all{};
    all.size = asked->size;
    all.memory_bytes = device.memory.limit_bytes();
    all.free_bytes = device.memory.free_bytes();
    all.lock_page_bytes = device.given.page;
    all.works_in_place = device.given.in_place != 0 ? 1 : 0;
    std::strcpy(all.name, device.calls > device.given.fail_call
                              ? "simulated device that failed a call"
                              : "simulated device");
    std::memcpy(asked, &all, std::min<std::size_t>(asked->size, sizeof all));
    return BLOCKYARD_OK;
  });
}

constexpr auto last_error = tell_last_error<Device>;

blockyard_status allocate(blockyard_device* handle, std::uint64_t bytes,
                          blockyard_address* address) {
  return locked(handle, [&](Device& device) {
    *address = device.memory.allocate(bytes);
    return *address == 0 ? BLOCKYARD_NO_MEMORY : BLOCKYARD_OK;
  });
}

blockyard_status release(blockyard_device* handle, blockyard_address address) {
  return locked(handle, [&](Device& device) {
    if (address == 0) return BLOCKYARD_OK;
    device.machine.finish_all();
    if (device.memory.release(address)) return BLOCKYARD_OK;
    return device.fail(BLOCKYARD_BAD_ARGUMENT, "the address was not allocated");
  });
}

blockyard_status stream_open(blockyard_device* handle, blockyard_stream** stream) {
  return locked(handle, [&](Device& device) {
    *stream = reinterpret_cast<blockyard_stream*>(device.machine.open_stream());
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_close(blockyard_device* handle, blockyard_stream* stream) {
  return locked(handle, [&](Device& device) {
    if (stream != nullptr) device.machine.close_stream(of(stream));
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_synchronise(blockyard_device* handle, blockyard_stream* stream) {
  double due = 0;
  const blockyard_status status = locked(handle, [&](Device& device) {
    device.machine.finish(*of(stream));
    due = of(stream)->due;
    return device.state(*of(stream));
  });
  sleep_until(due);
  return status;
}

/// Puts a task at the end of a stream, unless that has failed.
blockyard_status enqueue(Device& device, blockyard_stream* stream, Task task) {
  if (task.seconds > 0) task.enqueued = now_seconds();
  of(stream)->tasks.push_back(std::move(task));
  return device.state(*of(stream));
}

blockyard_status stream_wait(blockyard_device* handle, blockyard_stream* stream,
                             blockyard_event* event) {
  return locked(handle, [&](Device& device) {
    return enqueue(device, stream, {nullptr, of(event)->last, nullptr});
  });
}

blockyard_status event_open(blockyard_device* handle, blockyard_event** event) {
  return locked(handle, [&](Device& device) {
    auto made = std::make_unique<Event>();
    *event = reinterpret_cast<blockyard_event*>(made.get());
    device.events.emplace(of(*event), std::move(made));
    return BLOCKYARD_OK;
  });
}

blockyard_status event_close(blockyard_device* handle, blockyard_event* event) {
  return locked(handle, [&](Device& device) {
    device.events.erase(of(event));
    return BLOCKYARD_OK;
  });
}

blockyard_status event_record(blockyard_device* handle, blockyard_event* event,
                              blockyard_stream* stream) {
  return locked(handle, [&](Device& device) {
    of(event)->last = std::make_shared<Point>();
    return enqueue(device, stream, {nullptr, nullptr, of(event)->last});
  });
}

blockyard_status event_test(blockyard_device* handle, blockyard_event* event, std::uint32_t wait) {
  double due = 0;
  const blockyard_status status = locked(handle, [&](Device& device) {
    const std::shared_ptr<Point> point = of(event)->last;
    if (point == nullptr) return BLOCKYARD_OK;
    if (wait != 0)
      device.machine.finish(*point);
    else if (!point->is_done)
      device.machine.step();  // polling often enough gets an answer
    if (!point->is_done) return BLOCKYARD_NOT_READY;
    due = point->due;
    if (wait == 0 && due > now_seconds()) return BLOCKYARD_NOT_READY;
    if (!point->has_failed) return BLOCKYARD_OK;
    return device.fail(BLOCKYARD_FAILED, "work before the event failed (simulated)");
  });
  if (wait != 0) sleep_until(due);
  return status;
}

/// What so much seems to take at a rate; 0: no time of its own.
double seconds_at(std::uint64_t rate, double amount) {
  return rate == 0 ? 0 : amount / static_cast<double>(rate);
}

blockyard_status move(Device& device, blockyard_stream* stream, std::byte* target,
                      const std::byte* source, std::uint64_t bytes,
                      Engine engine = Engine::copies_in) {
  if (bytes == 0) return device.state(*of(stream));
  if (target == nullptr || source == nullptr)
    return device.fail(BLOCKYARD_BAD_ARGUMENT, "a copy leaves the allocated memory");
  const auto work = [=] { std::memmove(target, source, bytes); };
  const double seconds = seconds_at(device.given.copy_rate, static_cast<double>(bytes));
  return enqueue(device, stream, {work, nullptr, nullptr, seconds, engine});
}

blockyard_status copy(blockyard_device* handle, blockyard_stream* stream,
                      blockyard_direction direction, std::uint64_t to, std::uint64_t from,
                      std::uint64_t bytes) {
  return locked(handle, [&](Device& device) {
    const auto place = [&](std::uint64_t number, bool on_host) {
      return on_host ? reinterpret_cast<std::byte*>(number) : device.find(number, bytes);
    };
    return move(device, stream, place(to, direction == BLOCKYARD_TO_HOST),
                place(from, direction == BLOCKYARD_TO_DEVICE), bytes,
                direction == BLOCKYARD_TO_HOST ? Engine::copies_out : Engine::copies_in);
  });
}

/// A call of both devices: one that fails there is none here.
blockyard_status copy_peer(blockyard_device* handle, blockyard_stream* stream, std::uint64_t to,
                           blockyard_device* from_handle, std::uint64_t from, std::uint64_t bytes) {
  const std::byte* source = nullptr;
  const blockyard_status other = locked(from_handle, [&](Device& device) {
    source = device.memory.find(from, bytes);
    return BLOCKYARD_OK;
  });
  return locked(handle, [&](Device& device) {
    if (other != BLOCKYARD_OK)
      return device.fail(BLOCKYARD_UNSUPPORTED, "the other device failed (simulated)");
    return move(device, stream, device.find(to, bytes), source, bytes);
  });
}

blockyard_status fill(blockyard_device* handle, blockyard_stream* stream, blockyard_address to,
                      blockyard_element element, const double value[2], std::uint64_t elements) {
  return locked(handle, [&](Device& device) {
    if (element > BLOCKYARD_C128)
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "an unknown element type");
    std::byte* target = device.find(to, elements * element_bytes(element));
    if (target == nullptr)
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "a fill leaves the allocated memory");
    const std::array<double, 2> parts = {value[0], value[1]};
    const auto work = [=] { sim::fill(target, element, parts.data(), elements); };
    return enqueue(device, stream, {work, nullptr, nullptr});
  });
}

blockyard_status plan_open(blockyard_device* handle, const blockyard_operation* operation,
                           blockyard_plan** plan) {
  double due = 0;
  const blockyard_status opened = locked(handle, [&](Device& device) {
    const char* why = nullptr;
    const blockyard_status status = check(*operation, &why);
    if (status != BLOCKYARD_OK) return device.fail(status, why);
    Plan& made = device.plans.emplace_back(Plan{*operation, {}});
    if (operation->kind == BLOCKYARD_KERNEL)
      made.kernel.emplace(*reinterpret_cast<const blockyard_kernel*>(operation));
    *plan = reinterpret_cast<blockyard_plan*>(&made);
    if (device.given.plan_time > 0)
      due = now_seconds() + 1e-6 * static_cast<double>(device.given.plan_time);
    return BLOCKYARD_OK;
  });
  sleep_until(due);
  return opened;
}

blockyard_status plan_workspace(blockyard_device*, blockyard_plan*, std::uint64_t* bytes) {
  *bytes = 0;
  return BLOCKYARD_OK;
}

blockyard_status run_kernel(Device& device, const Kernel& kernel, blockyard_stream* stream,
                            const blockyard_kernel_run& run) {
  if (const char* why = kernel.fault(run)) return device.fail(BLOCKYARD_BAD_ARGUMENT, why);
  const auto find = [&](const blockyard_argument& argument) {
    return device.find(argument.address, argument.bytes);
  };
  const std::uint64_t seed = device.given.seed == 0 ? 0 : (device.given.seed << 32) + device.calls;
  const std::optional<KernelCall> call = kernel.call(run, find, seed);
  if (!call) return device.fail(BLOCKYARD_BAD_ARGUMENT, "an argument leaves the allocated memory");
  const auto work = [&kernel, call = *call] { kernel.run(call); };
  return enqueue(device, stream, {work, nullptr, nullptr});
}

blockyard_status plan_run(blockyard_device* handle, blockyard_plan* plan, blockyard_stream* stream,
                          const blockyard_run* given) {
  return locked(handle, [&](Device& device) {
    if (of(plan)->kernel)
      return run_kernel(device, *of(plan)->kernel, stream,
                        *reinterpret_cast<const blockyard_kernel_run*>(given));
    const blockyard_operation& operation = of(plan)->operation;
    const auto find = [&](blockyard_address address, const blockyard_operand& operand) {
      const std::uint64_t bytes = element_count(operand) * element_bytes(operation.element);
      return device.find(address, bytes);
    };
    const bool has_right = sim::has_right(operation);
    const Blocks blocks = {find(given->result, operation.result), find(given->left, operation.left),
                           has_right ? find(given->right, operation.right) : nullptr};
    if (blocks.result == nullptr || blocks.left == nullptr ||
        (has_right && blocks.right == nullptr))
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "a block leaves the allocated memory");
    const auto work = [&operation, blocks, run = *given, computes = device.given.compute != 0] {
      if (computes) sim::run(operation, run.alpha, run.beta, blocks);
    };
    const double seconds = seconds_at(device.given.rate, flops_of(operation));
    return enqueue(device, stream, {work, nullptr, nullptr, seconds});
  });
}

blockyard_status plan_close(blockyard_device* handle, blockyard_plan* plan) {
  return locked(handle, [&](Device& device) {
    device.machine.finish_all();
    device.plans.remove_if([plan](const Plan& one) { return &one == of(plan); });
    return BLOCKYARD_OK;
  });
}

blockyard_status host_lock(blockyard_device* handle, std::uint64_t host, std::uint64_t bytes) {
  return locked(handle, [&](Device& device) {
    const std::uint64_t page = device.given.page;
    if (page == 0) return device.fail(BLOCKYARD_UNSUPPORTED, "no pages are locked here");
    if (host == 0 || bytes == 0 || host % page != 0 || bytes % page != 0)
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "only whole pages of the host are locked");
    if (device.locked.touches(host, bytes))
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "some of the pages are locked already");
    if (bytes > device.given.host_locks - device.locked.bytes()) return BLOCKYARD_NO_MEMORY;
    device.locked.add(host, bytes);
    return BLOCKYARD_OK;
  });
}

blockyard_status host_unlock(blockyard_device* handle, std::uint64_t host) {
  return locked(handle, [&](Device& device) {
    if (host == 0) return BLOCKYARD_OK;
    device.machine.finish_all();
    if (device.locked.remove(host)) return BLOCKYARD_OK;
    return device.fail(BLOCKYARD_BAD_ARGUMENT, "no locked pages begin there");
  });
}

blockyard_status network_pointer(blockyard_device* handle, blockyard_address address,
                                 std::uint64_t bytes, const void** pointer) {
  return locked(handle, [&](Device& device) {
    if (device.given.network == 0)
      return device.fail(BLOCKYARD_UNSUPPORTED, "the device was opened without network=1");
    *pointer = device.memory.find(address, bytes);
    return *pointer != nullptr
               ? BLOCKYARD_OK
               : device.fail(BLOCKYARD_BAD_ARGUMENT, "what is sent leaves the allocated memory");
  });
}

constexpr blockyard_device_table functions = BLOCKYARD_TABLE_BY_NAMES;

}  // namespace

const blockyard_device_table& table() noexcept { return functions; }

}  // namespace blockyard::device::sim
