// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/abi_table.h"
#include "plugins/common/edge_calls.h"
#include "plugins/common/kernel.h"
#include "plugins/common/operation.h"
#include "plugins/common/options.h"
#include "plugins/common/transform.h"
#include "plugins/common/whole.h"

namespace blockyard::plugin {

/// The C table over a class Machine, one open device, with:
/// - Stream, Point (a recorded event), Plan: what the handles stand for. The first two have
///   `has_failed`, a stream also the string `failure`, which is kept here; a plan has operation and
///   workspace_bytes
/// - Place: where an address is, in the words of the vendor; optional<Place> find(address, bytes)
/// - Pending: what can be waited for without the lock; pending(Stream&) and pending(Point&),
///   static is_done(Pending), static finish(Pending)
/// - Options, static read_option(Options&, key, value), static count(), Machine(index, Options)
/// - open_, close_ of streams, points, plans; wait, write, read, copy, fill, run; allocate,
///   release; lock_page_bytes, lock_host, unlock_host where it locks host memory; copy_peer where
///   there are copies between devices; name, limit_bytes, free_bytes, shares_host_memory;
///   works_in_place and host_place, as find but for memory of the host, where it can work there;
///   is_for_network: an address is a pointer that networks may read; open_kernel and run_kernel,
///   where it takes kernels: a plan then has an optional `kernel` with a KernelForm `form`;
///   choices: lines on what it has chosen by itself; open_transform where it takes transforms,
///   open_whole where it takes operations on whole matrices; both run as other plans do
/// Functions of a machine throw std::exception; those that enqueue have marked the stream then.
template <class Machine>
class Edge : EdgeCalls<Machine> {
  using Calls = EdgeCalls<Machine>;
  using Calls::finish, Calls::locked, Calls::noting_failure, Calls::of, Calls::on_stream;
  using typename Calls::Device, typename Calls::Pending, typename Calls::Place;
  using typename Calls::Stream;

 public:
  /// Whether the machine locks pages of host memory.
  static constexpr bool locks_host = requires { Machine::lock_page_bytes(); };
  /// Whether it copies from others.
  static constexpr bool copies_peers = requires(Machine machine, Stream stream, Place place) {
    { machine.copy_peer(stream, place, std::as_const(machine), place, 0) } -> std::same_as<bool>;
  };

  /// Whether it has kernels of the user's own.
  static constexpr bool takes_kernels = requires(Machine machine, const blockyard_kernel& kernel) {
    { machine.open_kernel(kernel) } -> std::same_as<typename Machine::Plan*>;
  };

  /// Whether it has Fourier transforms.
  static constexpr bool takes_transforms =
      requires(Machine machine, const blockyard_operation& operation, const Transform& transform) {
    { machine.open_transform(operation, transform) } -> std::same_as<typename Machine::Plan*>;
  };

  /// Whether it has operations on whole matrices.
  static constexpr bool takes_whole =
      requires(Machine machine, const blockyard_operation& operation, const Whole& whole) {
    { machine.open_whole(operation, whole) } -> std::same_as<typename Machine::Plan*>;
  };

  /// Whether it can say what it has chosen by itself.
  static constexpr bool has_choices = requires(Machine machine) {
    { machine.choices() } -> std::same_as<std::string>;
  };

  /// Whether it may work on memory of the host.
  static constexpr bool takes_host_places = requires(Machine machine) {
    { machine.host_place(0, 0) } -> std::same_as<std::optional<Place>>;
  };

 private:
  /// unit: the address is to be a multiple of it.
  static std::optional<Place> place(Machine& machine, std::uint64_t address, std::uint64_t bytes,
                                    std::uint64_t unit = 1) {
    std::optional<Place> found = machine.find(address, bytes);
    if (found && address % unit != 0) return std::nullopt;
    if constexpr (takes_host_places)
      if (!found) found = machine.host_place(address, bytes);
    return found;
  }

  static blockyard_status count(std::uint32_t* devices) {
    try {
      *devices = Machine::count();
      return BLOCKYARD_OK;
    } catch (...) {
      *devices = 0;
      return BLOCKYARD_FAILED;
    }
  }

  static blockyard_status open(std::uint32_t index, const char* text, blockyard_device** opened) {
    *opened = nullptr;
    try {
      auto device = std::make_unique<Device>();
      Device& made = *device;
      *opened = reinterpret_cast<blockyard_device*>(device.release());
      typename Machine::Options options;
      std::string wrong = read_options(text == nullptr ? "" : text,
                                       [&](std::string_view key, std::string_view value) {
                                         return Machine::read_option(options, key, value);
                                       });
      const std::uint32_t devices = Machine::count();
      if (wrong.empty() && index >= devices)
        wrong = "no device " + std::to_string(index) + "; there are " + std::to_string(devices) +
                ", from 0 on";
      if (!wrong.empty()) return made.fail(BLOCKYARD_BAD_ARGUMENT, std::move(wrong));
      try {
        made.machine.emplace(index, options);
      } catch (const std::exception& error) {
        return made.fail(BLOCKYARD_FAILED, error.what());
      }
      return BLOCKYARD_OK;
    } catch (...) {
      return BLOCKYARD_NO_MEMORY;
    }
  }

  static void close(blockyard_device* device) {
    if (device != nullptr) delete &of(device);
  }

  static blockyard_status describe(blockyard_device* handle, blockyard_description* asked) {
    return locked(handle, [&](Device&, Machine& machine) {
      blockyard_description all{};
      all.size = asked->size;
      all.shares_host_memory = machine.shares_host_memory() ? 1 : 0;
      all.memory_bytes = machine.limit_bytes();
      all.free_bytes = machine.free_bytes();
      machine.name().copy(all.name, sizeof all.name - 1);
      if constexpr (locks_host) all.lock_page_bytes = Machine::lock_page_bytes();
      if constexpr (takes_host_places) all.works_in_place = machine.works_in_place() ? 1 : 0;
      if constexpr (has_choices)
        if (asked->size >= sizeof(blockyard_kernel_description))
          tell_choices(machine, *reinterpret_cast<blockyard_kernel_description*>(asked));
      std::memcpy(asked, &all, std::min<std::size_t>(asked->size, sizeof all));
      return BLOCKYARD_OK;
    });
  }

  static void tell_choices(Machine& machine, const blockyard_kernel_description& asked) {
    if (asked.choices == nullptr || asked.choices_bytes == 0) return;
    asked.choices[machine.choices().copy(asked.choices, asked.choices_bytes - 1)] = '\0';
  }

  static constexpr auto last_error = device::tell_last_error<Device>;

  static blockyard_status allocate(blockyard_device* handle, std::uint64_t bytes,
                                   blockyard_address* address) {
    return locked(handle, [&](Device&, Machine& machine) {
      *address = machine.allocate(bytes);
      return *address == 0 ? BLOCKYARD_NO_MEMORY : BLOCKYARD_OK;
    });
  }

  static blockyard_status release(blockyard_device* handle, blockyard_address address) {
    return locked(handle, [&](Device& device, Machine& machine) {
      if (address == 0 || machine.release(address)) return BLOCKYARD_OK;
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "the address was not allocated");
    });
  }

  static blockyard_status stream_open(blockyard_device* handle, blockyard_stream** stream) {
    return locked(handle, [&](Device&, Machine& machine) {
      *stream = reinterpret_cast<blockyard_stream*>(machine.open_stream());
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status stream_close(blockyard_device* handle, blockyard_stream* stream) {
    return locked(handle, [&](Device&, Machine& machine) {
      if (stream != nullptr) machine.close_stream(&of(stream));
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status stream_synchronise(blockyard_device* handle, blockyard_stream* stream) {
    std::optional<Pending> pending;
    const blockyard_status status = on_stream(handle, stream, [&](Device&, Machine& machine) {
      pending = machine.pending(of(stream));
      return BLOCKYARD_OK;
    });
    return status == BLOCKYARD_OK ? finish(handle, *pending) : status;
  }

  static blockyard_status stream_wait(blockyard_device* handle, blockyard_stream* stream,
                                      blockyard_event* event) {
    return on_stream(handle, stream, [&](Device& device, Machine& machine) {
      if (of(event).has_failed) {
        of(stream).has_failed = true;
        return device.fail(BLOCKYARD_FAILED, "work before the event that is waited for failed");
      }
      machine.wait(of(stream), of(event));
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status event_open(blockyard_device* handle, blockyard_event** event) {
    return locked(handle, [&](Device&, Machine& machine) {
      *event = reinterpret_cast<blockyard_event*>(machine.open_point());
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status event_close(blockyard_device* handle, blockyard_event* event) {
    return locked(handle, [&](Device&, Machine& machine) {
      if (event != nullptr) machine.close_point(&of(event));
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status event_record(blockyard_device* handle, blockyard_event* event,
                                       blockyard_stream* stream) {
    return locked(handle, [&](Device& device, Machine& machine) {
      return noting_failure(device, of(stream), [&] {
        of(event).has_failed = true;  // unless it is recorded
        machine.record(of(event), of(stream));
        of(event).has_failed = of(stream).has_failed;
        return of(stream).has_failed ? device.fail(BLOCKYARD_FAILED, "work on the stream failed")
                                     : BLOCKYARD_OK;
      });
    });
  }

  static blockyard_status event_test(blockyard_device* handle, blockyard_event* event,
                                     std::uint32_t wait) {
    std::optional<Pending> pending;
    const blockyard_status status = locked(handle, [&](Device& device, Machine& machine) {
      if (of(event).has_failed)
        return device.fail(BLOCKYARD_FAILED, "work before the event failed");
      pending = machine.pending(of(event));
      return wait == 0 && !Machine::is_done(*pending) ? BLOCKYARD_NOT_READY : BLOCKYARD_OK;
    });
    return status == BLOCKYARD_OK ? finish(handle, *pending) : status;
  }

  static blockyard_status copy(blockyard_device* handle, blockyard_stream* stream,
                               blockyard_direction direction, std::uint64_t to, std::uint64_t from,
                               std::uint64_t bytes) {
    return on_stream(handle, stream, [&](Device& device, Machine& machine) {
      if (bytes == 0) return BLOCKYARD_OK;
      std::optional<Place> target, source;
      if (direction != BLOCKYARD_TO_HOST) target = place(machine, to, bytes);
      if (direction != BLOCKYARD_TO_DEVICE) source = place(machine, from, bytes);
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

  static blockyard_status fill(blockyard_device* handle, blockyard_stream* stream,
                               blockyard_address to, blockyard_element element,
                               const double value[2], std::uint64_t elements) {
    return on_stream(handle, stream, [&](Device& device, Machine& machine) {
      if (element > BLOCKYARD_C128)
        return device.fail(BLOCKYARD_BAD_ARGUMENT, "an unknown element type");
      const std::uint64_t size = element_bytes(element);
      if (elements > UINT64_MAX / size)
        return device.fail(BLOCKYARD_BAD_ARGUMENT, "a fill leaves the allocated memory");
      const auto target = place(machine, to, elements * size, size);
      if (!target)
        return device.fail(BLOCKYARD_BAD_ARGUMENT,
                           "a fill leaves the allocated memory, or begins within an element");
      if (elements > 0) machine.fill(of(stream), *target, element, value, elements);
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status plan_open(blockyard_device* handle, const blockyard_operation* operation,
                                    blockyard_plan** plan) {
    return locked(handle, [&](Device& device, Machine& machine) {
      if constexpr (takes_kernels)
        if (blockyard_is_kernel(operation)) {
          const auto& kernel = *reinterpret_cast<const blockyard_kernel*>(operation);
          if (const char* fault = blockyard_kernel_fault(&kernel))
            return device.fail(BLOCKYARD_BAD_ARGUMENT, fault);
          *plan = reinterpret_cast<blockyard_plan*>(machine.open_kernel(kernel));
          if (*plan != nullptr) return BLOCKYARD_OK;
          return device.fail(BLOCKYARD_UNSUPPORTED, "the kernel has no form for this device");
        }
      const char* why = nullptr;
      if constexpr (takes_transforms)
        if (operation->kind == BLOCKYARD_FFT) {
          Transform transform;
          const blockyard_status status = analyse(*operation, transform, &why);
          if (status != BLOCKYARD_OK) return device.fail(status, why);
          *plan = reinterpret_cast<blockyard_plan*>(machine.open_transform(*operation, transform));
          if (*plan != nullptr) return BLOCKYARD_OK;
          return device.fail(BLOCKYARD_UNSUPPORTED, "this device does not know the transform");
        }
      if constexpr (takes_whole)
        if (is_whole(operation->kind)) {
          Whole whole;
          const blockyard_status status = analyse(*operation, whole, &why);
          if (status != BLOCKYARD_OK) return device.fail(status, why);
          *plan = reinterpret_cast<blockyard_plan*>(machine.open_whole(*operation, whole));
          if (*plan != nullptr) return BLOCKYARD_OK;
          return device.fail(BLOCKYARD_UNSUPPORTED, "this device does not know the operation");
        }
      Form form;
      const blockyard_status status = analyse(*operation, form, &why);
      if (status != BLOCKYARD_OK) return device.fail(status, why);
      *plan = reinterpret_cast<blockyard_plan*>(machine.open_plan(*operation, std::move(form)));
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status plan_workspace(blockyard_device*, blockyard_plan* plan,
                                         std::uint64_t* bytes) {
    *bytes = of(plan).workspace_bytes;
    return BLOCKYARD_OK;
  }

  /// Blocks, or numbers next to a result.
  static bool takes_right(const blockyard_operation& operation) {
    return has_right(operation) || (is_whole(operation.kind) && operation.kind != BLOCKYARD_SOLVE);
  }

  static blockyard_status plan_run(blockyard_device* handle, blockyard_plan* plan,
                                   blockyard_stream* stream, const blockyard_run* run) {
    return on_stream(handle, stream, [&](Device& device, Machine& machine) {
      if constexpr (takes_kernels)
        if (of(plan).kernel)
          return run_kernel(device, machine, stream, of(plan),
                            *reinterpret_cast<const blockyard_kernel_run*>(run));
      const blockyard_operation& operation = of(plan).operation;
      const std::uint64_t size = element_bytes(operation.element);
      const auto find = [&](blockyard_address address, const blockyard_operand& operand) {
        return place(machine, address, element_count(operand) * size, size);
      };
      const std::uint64_t workspace_bytes = of(plan).workspace_bytes;
      const auto result = find(run->result, operation.result);
      const auto left = find(run->left, operation.left);
      const auto right = takes_right(operation) ? find(run->right, operation.right) : Place{};
      const auto workspace =
          workspace_bytes > 0 ? machine.find(run->workspace, workspace_bytes) : Place{};
      if (!result || !left || !right || !workspace)
        return device.fail(BLOCKYARD_BAD_ARGUMENT,
                           "a block leaves the allocated memory, or begins within an element");
      machine.run(of(stream), of(plan), *run, {*result, *left, *right, *workspace});
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status run_kernel(Device& device, Machine& machine, blockyard_stream* stream,
                                     const typename Calls::Plan& plan,
                                     const blockyard_kernel_run& run) {
    const KernelForm& form = plan.kernel->form;
    if (const char* fault = form.fault(run)) return device.fail(BLOCKYARD_BAD_ARGUMENT, fault);
    std::array<Place, blockyard_max_parameters> places{};
    for (std::size_t n = 0; n < form.parameters.size(); ++n) {
      const blockyard_argument& one = run.arguments[n];
      if (form.parameters[n].kind != BLOCKYARD_MEMORY || one.bytes == 0) continue;
      const auto found = place(machine, one.address, one.bytes);
      if (!found)
        return device.fail(BLOCKYARD_BAD_ARGUMENT, "an argument leaves the allocated memory");
      places[n] = *found;
    }
    if (blockyard_grid_elements(form.order, &run) > 0)
      machine.run_kernel(of(stream), plan, run, places.data());
    return BLOCKYARD_OK;
  }

  static blockyard_status plan_close(blockyard_device* handle, blockyard_plan* plan) {
    return locked(handle, [&](Device&, Machine& machine) {
      if (plan != nullptr) machine.close_plan(&of(plan));
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status host_lock(blockyard_device* handle, std::uint64_t host,
                                    std::uint64_t bytes) {
    return locked(handle, [&](Device& device, [[maybe_unused]] Machine& machine) {
      if constexpr (locks_host) {
        const std::uint64_t page = Machine::lock_page_bytes();
        if (host == 0 || bytes == 0 || host % page != 0 || bytes % page != 0)
          return device.fail(BLOCKYARD_BAD_ARGUMENT, "only whole pages of the host are locked");
        return machine.lock_host(reinterpret_cast<void*>(host), bytes) ? BLOCKYARD_OK
                                                                       : BLOCKYARD_NO_MEMORY;
      } else {
        return device.fail(BLOCKYARD_UNSUPPORTED, "no pages are locked here");
      }
    });
  }

  static blockyard_status host_unlock(blockyard_device* handle, std::uint64_t host) {
    return locked(handle, [&](Device& device, [[maybe_unused]] Machine& machine) {
      if (host == 0) return BLOCKYARD_OK;
      if constexpr (locks_host)
        if (machine.unlock_host(reinterpret_cast<void*>(host))) return BLOCKYARD_OK;
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "no locked pages begin there");
    });
  }

  static blockyard_status network_pointer(blockyard_device* handle, blockyard_address address,
                                          std::uint64_t bytes, const void** pointer) {
    return locked(handle, [&](Device& device, Machine& machine) {
      if (!machine.is_for_network())
        return device.fail(BLOCKYARD_UNSUPPORTED, "networks cannot read the memory of this device");
      if (!machine.find(address, bytes))
        return device.fail(BLOCKYARD_BAD_ARGUMENT, "what is sent leaves the allocated memory");
      *pointer = reinterpret_cast<const void*>(address);
      return BLOCKYARD_OK;
    });
  }

  static blockyard_status copy_peer(blockyard_device* handle, blockyard_stream* stream,
                                    blockyard_address to, blockyard_device* other,
                                    blockyard_address from, std::uint64_t bytes) {
    std::optional<Place> source;
    const Machine* there = nullptr;
    const blockyard_status found = locked(other, [&](Device&, Machine& machine) {
      source = machine.find(from, bytes);
      there = &machine;
      return BLOCKYARD_OK;
    });
    return on_stream(handle, stream, [&](Device& device, [[maybe_unused]] Machine& machine) {
      if constexpr (copies_peers) {
        if (bytes == 0) return BLOCKYARD_OK;
        if (found != BLOCKYARD_OK)
          return device.fail(BLOCKYARD_UNSUPPORTED, "the other device failed");
        const auto target = machine.find(to, bytes);
        if (!target || !source)
          return device.fail(BLOCKYARD_BAD_ARGUMENT, "a copy leaves the allocated memory");
        if (machine.copy_peer(of(stream), *target, *there, *source, bytes)) return BLOCKYARD_OK;
      }
      return device.fail(BLOCKYARD_UNSUPPORTED, "no copies between these devices");
    });
  }

 public:
  static constexpr blockyard_device_table table = BLOCKYARD_TABLE_BY_NAMES;
};

}  // namespace blockyard::plugin
