// SPDX-License-Identifier: Apache-2.0
// The C edge: statuses outside, exceptions inside.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "plugins/common/options.h"
#include "plugins/device_opencl/machine.h"

namespace blockyard::opencl {
namespace {

/// What stands behind a blockyard_device. `mutex` guards all the rest.
struct Device {
  std::mutex mutex;
  std::string last_error;
  std::optional<Machine> machine;  ///< none if it could not be opened

  blockyard_status fail(blockyard_status status, std::string text) {
    last_error = std::move(text);
    return status;
  }
};

// The types of the ABI are names without content: behind them stand ours.
Device& of(blockyard_device* device) { return *reinterpret_cast<Device*>(device); }
Stream& of(blockyard_stream* stream) { return *reinterpret_cast<Stream*>(stream); }
Point& of(blockyard_event* event) { return *reinterpret_cast<Point*>(event); }
Plan& of(blockyard_plan* plan) { return *reinterpret_cast<Plan*>(plan); }

/// Runs body(device, machine) under the lock and lets no exception out.
template <class Body>
blockyard_status locked(blockyard_device* handle, const Body& body) noexcept {
  Device& device = of(handle);
  try {
    const std::lock_guard lock(device.mutex);
    try {
      return body(device, *device.machine);
    } catch (const std::bad_alloc&) {
      return device.fail(BLOCKYARD_NO_MEMORY, "the host has no more memory");
    } catch (const std::exception& error) {
      return device.fail(BLOCKYARD_FAILED, error.what());
    }
  } catch (...) {
    return BLOCKYARD_FAILED;
  }
}

/// The same for work on a stream that has not failed.
template <class Body>
blockyard_status on_stream(blockyard_device* handle, blockyard_stream* stream, const Body& body) {
  return locked(handle, [&](Device& device, Machine& machine) {
    if (of(stream).has_failed)
      return device.fail(BLOCKYARD_FAILED, "work on the stream failed: " + device.last_error);
    return body(device, machine);
  });
}

/// Waits for a command without the lock. Nothing to wait for is done.
blockyard_status wait_for(blockyard_device* handle, const Event& last) {
  if (!last) return BLOCKYARD_OK;
  const cl_event event = last.get();
  const cl_int code = clWaitForEvents(1, &event);
  if (code == CL_SUCCESS) return BLOCKYARD_OK;
  return locked(handle, [&](Device& device, Machine&) {
    return device.fail(BLOCKYARD_FAILED, Failure("work on a stream", code).what());
  });
}

std::string default_cache() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0')
    return std::string(folder) + "/blockyard/opencl";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/blockyard/opencl";
  return {};
}

std::string read(std::string_view text, Options& options) {
  options.cache = default_cache();
  return plugin::read_options(text, [&](std::string_view key, std::string_view value) {
    if (key == "memory") return plugin::read_number(value, options.memory_bytes);
    if (key == "units") return plugin::read_number(value, options.units);
    if (key != "cache") return std::string("this device knows memory=, units= and cache=");
    options.cache = value == "none" ? "" : value;
    return std::string();
  });
}

blockyard_status count(std::uint32_t* devices) {
  try {
    *devices = static_cast<std::uint32_t>(find_devices().size());
    return BLOCKYARD_OK;
  } catch (...) {
    *devices = 0;
    return BLOCKYARD_FAILED;
  }
}

blockyard_status open(std::uint32_t index, const char* text, blockyard_device** opened) {
  *opened = nullptr;
  try {
    auto device = std::make_unique<Device>();
    Device& made = *device;
    *opened = reinterpret_cast<blockyard_device*>(device.release());
    Options options;
    if (std::string wrong = read(text == nullptr ? "" : text, options); !wrong.empty())
      return made.fail(BLOCKYARD_BAD_ARGUMENT, std::move(wrong));
    const auto found = find_devices();
    if (index >= found.size())
      return made.fail(BLOCKYARD_BAD_ARGUMENT, "there is no OpenCL device " +
                                                   std::to_string(index) +
                                                   " that computes in "
                                                   "f64; there are " +
                                                   std::to_string(found.size()) + ", from 0 on");
    try {
      made.machine.emplace(found[index], options);
    } catch (const std::exception& error) {
      return made.fail(BLOCKYARD_FAILED, error.what());
    }
    return BLOCKYARD_OK;
  } catch (...) {
    return BLOCKYARD_NO_MEMORY;
  }
}

void close(blockyard_device* device) {
  if (device != nullptr) delete &of(device);
}

blockyard_status describe(blockyard_device* handle, blockyard_description* asked) {
  return locked(handle, [&](Device&, Machine& machine) {
    blockyard_description all{};
    all.size = asked->size;
    all.shares_host_memory = machine.memory().is_host_memory() ? 1 : 0;
    all.memory_bytes = machine.memory().limit_bytes();
    all.free_bytes = machine.memory().free_bytes();
    machine.name().copy(all.name, sizeof all.name - 1);
    std::memcpy(asked, &all, std::min<std::size_t>(asked->size, sizeof all));
    return BLOCKYARD_OK;
  });
}

void last_error(blockyard_device* handle, char* text, std::uint64_t bytes) {
  if (handle == nullptr || bytes == 0) return;
  const std::lock_guard lock(of(handle).mutex);
  text[of(handle).last_error.copy(text, bytes - 1)] = '\0';
}

blockyard_status allocate(blockyard_device* handle, std::uint64_t bytes,
                          blockyard_address* address) {
  return locked(handle, [&](Device&, Machine& machine) {
    *address = machine.memory().allocate(bytes);
    return *address == 0 ? BLOCKYARD_NO_MEMORY : BLOCKYARD_OK;
  });
}

blockyard_status release(blockyard_device* handle, blockyard_address address) {
  return locked(handle, [&](Device& device, Machine& machine) {
    if (address == 0) return BLOCKYARD_OK;
    machine.finish_all();
    if (machine.memory().release(address)) return BLOCKYARD_OK;
    return device.fail(BLOCKYARD_BAD_ARGUMENT, "the address was not allocated");
  });
}

blockyard_status stream_open(blockyard_device* handle, blockyard_stream** stream) {
  return locked(handle, [&](Device&, Machine& machine) {
    *stream = reinterpret_cast<blockyard_stream*>(machine.open_stream());
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_close(blockyard_device* handle, blockyard_stream* stream) {
  return locked(handle, [&](Device&, Machine& machine) {
    if (stream != nullptr) machine.close_stream(&of(stream));
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_synchronise(blockyard_device* handle, blockyard_stream* stream) {
  Event last;
  const blockyard_status status = on_stream(handle, stream, [&](Device&, Machine&) {
    clFlush(of(stream).queue.get());
    last = of(stream).last;
    return BLOCKYARD_OK;
  });
  return status == BLOCKYARD_OK ? wait_for(handle, last) : status;
}

blockyard_status stream_wait(blockyard_device* handle, blockyard_stream* stream,
                             blockyard_event* event) {
  return on_stream(handle, stream, [&](Device&, Machine& machine) {
    machine.wait(of(stream), of(event));
    return BLOCKYARD_OK;
  });
}

blockyard_status event_open(blockyard_device* handle, blockyard_event** event) {
  return locked(handle, [&](Device&, Machine& machine) {
    *event = reinterpret_cast<blockyard_event*>(machine.open_point());
    return BLOCKYARD_OK;
  });
}

blockyard_status event_close(blockyard_device* handle, blockyard_event* event) {
  return locked(handle, [&](Device&, Machine& machine) {
    if (event != nullptr) machine.close_point(&of(event));
    return BLOCKYARD_OK;
  });
}

blockyard_status event_record(blockyard_device* handle, blockyard_event* event,
                              blockyard_stream* stream) {
  return locked(handle, [&](Device& device, Machine&) {
    clFlush(of(stream).queue.get());  // who waits in another queue must see it begin
    of(event) = {of(stream).last, of(stream).has_failed};
    return of(stream).has_failed ? device.fail(BLOCKYARD_FAILED, "work on the stream failed")
                                 : BLOCKYARD_OK;
  });
}

blockyard_status event_test(blockyard_device* handle, blockyard_event* event, std::uint32_t wait) {
  Event last;
  const blockyard_status status = locked(handle, [&](Device& device, Machine&) {
    if (of(event).has_failed) return device.fail(BLOCKYARD_FAILED, "work before the event failed");
    last = of(event).last;
    return BLOCKYARD_OK;
  });
  if (status != BLOCKYARD_OK || !last) return status;
  if (wait == 0) {
    cl_int state = CL_COMPLETE;
    if (clGetEventInfo(last.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                       nullptr) == CL_SUCCESS &&
        state > CL_COMPLETE)
      return BLOCKYARD_NOT_READY;
  }
  return wait_for(handle, last);
}

blockyard_status copy(blockyard_device* handle, blockyard_stream* stream,
                      blockyard_direction direction, std::uint64_t to, std::uint64_t from,
                      std::uint64_t bytes) {
  return on_stream(handle, stream, [&](Device& device, Machine& machine) {
    if (bytes == 0) return BLOCKYARD_OK;
    const auto target = machine.memory().find(to, bytes);
    const auto source = machine.memory().find(from, bytes);
    if ((direction != BLOCKYARD_TO_HOST && !target) ||
        (direction != BLOCKYARD_TO_DEVICE && !source))
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "a copy leaves the allocated memory");
    if (direction == BLOCKYARD_TO_DEVICE)
      machine.write(of(stream), *target, reinterpret_cast<const void*>(from), bytes);
    else if (direction == BLOCKYARD_TO_HOST)
      machine.read(of(stream), reinterpret_cast<void*>(to), *source, bytes);
    else
      machine.copy(of(stream), *target, *source, bytes);
    return BLOCKYARD_OK;
  });
}

blockyard_status fill(blockyard_device* handle, blockyard_stream* stream, blockyard_address to,
                      blockyard_element element, const double value[2], std::uint64_t elements) {
  return on_stream(handle, stream, [&](Device& device, Machine& machine) {
    if (element > BLOCKYARD_C128)
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "an unknown element type");
    const auto target = machine.memory().find(to, elements * plugin::element_bytes(element));
    if (!target) return device.fail(BLOCKYARD_BAD_ARGUMENT, "a fill leaves the allocated memory");
    if (elements > 0) machine.fill(of(stream), *target, element, value, elements);
    return BLOCKYARD_OK;
  });
}

blockyard_status plan_open(blockyard_device* handle, const blockyard_operation* operation,
                           blockyard_plan** plan) {
  return locked(handle, [&](Device& device, Machine& machine) {
    plugin::Form form;
    const char* why = nullptr;
    const blockyard_status status = plugin::analyse(*operation, form, &why);
    if (status != BLOCKYARD_OK) return device.fail(status, why);
    *plan = reinterpret_cast<blockyard_plan*>(machine.open_plan(*operation, std::move(form)));
    return BLOCKYARD_OK;
  });
}

blockyard_status plan_workspace(blockyard_device*, blockyard_plan* plan, std::uint64_t* bytes) {
  *bytes = of(plan).workspace_bytes;
  return BLOCKYARD_OK;
}

blockyard_status plan_run(blockyard_device* handle, blockyard_plan* plan, blockyard_stream* stream,
                          const blockyard_run* run) {
  return on_stream(handle, stream, [&](Device& device, Machine& machine) {
    const blockyard_operation& operation = of(plan).operation;
    const std::uint64_t size = plugin::element_bytes(operation.element);
    const auto find = [&](blockyard_address address, const blockyard_operand& operand) {
      return machine.memory().find(address, plugin::element_count(operand) * size);
    };
    const bool has_right = plugin::has_right(operation);
    const auto result = find(run->result, operation.result), left = find(run->left, operation.left);
    const auto right = has_right ? find(run->right, operation.right) : Memory::Place{};
    const std::uint64_t workspace_bytes = of(plan).workspace_bytes;
    const auto workspace = workspace_bytes > 0
                               ? machine.memory().find(run->workspace, workspace_bytes)
                               : Memory::Place{};
    if (!result || !left || !right || !workspace)
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "a block leaves the allocated memory");
    machine.run(of(stream), of(plan), *run, {*result, *left, *right, *workspace});
    return BLOCKYARD_OK;
  });
}

blockyard_status plan_close(blockyard_device* handle, blockyard_plan* plan) {
  return locked(handle, [&](Device&, Machine& machine) {
    if (plan == nullptr) return BLOCKYARD_OK;
    machine.finish_all();
    machine.close_plan(&of(plan));
    return BLOCKYARD_OK;
  });
}

constexpr blockyard_device_table functions = {
    blockyard_device_version,
    sizeof(blockyard_device_table),
    count,
    open,
    close,
    describe,
    last_error,
    allocate,
    release,
    stream_open,
    stream_close,
    stream_synchronise,
    stream_wait,
    event_open,
    event_close,
    event_record,
    event_test,
    copy,
    fill,
    plan_open,
    plan_workspace,
    plan_run,
    plan_close,
};

}  // namespace
}  // namespace blockyard::opencl

const blockyard_device_table* blockyard_device_plugin(void) {
  return &blockyard::opencl::functions;
}
