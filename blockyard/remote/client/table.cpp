// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/device/abi_cpp.h"
#include "blockyard/device/abi_table.h"
#include "blockyard/remote/client/client.h"
#include "blockyard/remote/client/remote_device.h"
#include "blockyard/remote/extents.h"

namespace blockyard::remote {
namespace {

// The types of the ABI are opaque: they stand for the classes here.
RemoteDevice& of(blockyard_device* device) { return *reinterpret_cast<RemoteDevice*>(device); }
RemoteStream& of(blockyard_stream* stream) { return *reinterpret_cast<RemoteStream*>(stream); }
RemoteEvent& of(blockyard_event* event) { return *reinterpret_cast<RemoteEvent*>(event); }
RemotePlan& of(blockyard_plan* plan) { return *reinterpret_cast<RemotePlan*>(plan); }

/// Runs `body(device)` and lets no exception out.
template <class Body>
blockyard_status guarded(blockyard_device* handle, Body body) noexcept {
  try {
    return body(of(handle));
  } catch (const std::bad_alloc&) {
    return BLOCKYARD_NO_MEMORY;
  } catch (...) {
    return BLOCKYARD_FAILED;
  }
}
/// The same under the lock of the device.
template <class Body>
blockyard_status locked(blockyard_device* handle, Body body) noexcept {
  return guarded(handle, [&](RemoteDevice& device) {
    const std::lock_guard lock(device.mutex);
    return body(device);
  });
}

blockyard_status take(RemoteDevice& device, const Answer& answer) {
  if (answer.status == BLOCKYARD_OK) return BLOCKYARD_OK;
  const std::lock_guard lock(device.mutex);
  return device.fail(static_cast<blockyard_status>(answer.status), answer.text);
}

/// FAILED if the stream has; under the lock.
blockyard_status state(RemoteDevice& device, const RemoteStream& stream) {
  const Progress now = device.link->progress(stream.key);
  return now.failed_from == Progress::never ? BLOCKYARD_OK
                                            : device.fail(BLOCKYARD_FAILED, now.text);
}

Place place_of(const RemoteStream& stream) {
  return {stream.key.device, stream.key.stream, stream.last};
}

/// Gives a stream new work, the frame that `make` returns for its place. Without memory for that
/// the stream has failed: the server would wait for the number.
template <class Make>
void post(RemoteDevice& device, RemoteStream& stream, Make make) {
  ++stream.last;
  const Place place = place_of(stream);
  try {
    device.link->post_work(stream.key, place.sequence, make(place));
  } catch (...) {
    device.link->fail(stream.key, place.sequence, "no memory");
    throw;
  }
}

/// Has the server say when all that the stream was given is done. Under the lock.
void ask_for_end(RemoteDevice& device, RemoteStream& stream) {
  const Progress now = device.link->progress(stream.key);
  const std::uint64_t end = std::min(stream.last, now.failed_from - 1);
  if (end <= std::max(stream.asked, now.done)) return;
  device.link->post(frame_of(Kind::record, Place{stream.key.device, stream.key.stream, end}));
  stream.asked = end;
}

/// Waits without the lock. FAILED if it did.
blockyard_status finish(RemoteDevice& device, RemoteStream& stream) {
  std::uint64_t last = 0;
  try {
    const std::lock_guard lock(device.mutex);
    last = stream.last;
    ask_for_end(device, stream);
  } catch (const std::bad_alloc&) {  // the server will not say when it is done
    device.link->cut("no memory");
  }
  device.link->wait(stream.key, last);
  const std::lock_guard lock(device.mutex);
  return state(device, stream);
}

blockyard_status count(std::uint32_t* devices) {
  *devices = 1;
  return BLOCKYARD_OK;
}

blockyard_status open(std::uint32_t index, const char* text, blockyard_device** opened) {
  *opened = nullptr;
  try {
    auto device = std::make_unique<RemoteDevice>();
    blockyard_status status = BLOCKYARD_FAILED;
    try {
      const ServerOptions options = read_options(text == nullptr ? "" : text);
      device->link = link_to(options);
      device->number = device->link->next_number();
      const Open asked{device->number, index, options.rest};
      status = take(*device, device->link->ask(Kind::open, encode(asked)));
    } catch (const base::Error& error) {
      device->last_error = error.what();
    }
    if (status != BLOCKYARD_OK) device->link.reset();
    *opened = reinterpret_cast<blockyard_device*>(device.release());
    return status;
  } catch (...) {
    return BLOCKYARD_NO_MEMORY;
  }
}

void close(blockyard_device* handle) {
  if (handle == nullptr) return;
  static_cast<void>(guarded(handle, [](RemoteDevice& device) {
    if (!device.link) return BLOCKYARD_OK;
    for (RemoteStream& stream : device.streams) {
      static_cast<void>(finish(device, stream));
      device.link->forget(stream.key);
    }
    static_cast<void>(device.link->ask(Kind::close, encode(Number{device.number, 0})));
    return BLOCKYARD_OK;
  }));
  delete &of(handle);
}

blockyard_status describe(blockyard_device* handle, blockyard_description* asked) {
  return guarded(handle, [&](RemoteDevice& device) {
    const Answer answer = device.link->ask(Kind::describe, encode(Number{device.number, 0}));
    if (answer.status != BLOCKYARD_OK) return take(device, answer);
    blockyard_description all = answer.description;
    all.size = asked->size;
    all.shares_host_memory = all.works_in_place = 0;  // there, not here
    all.lock_page_bytes = 0;
    all.name[sizeof all.name - 1] = '\0';
    std::memcpy(asked, &all, std::min<std::size_t>(asked->size, sizeof all));
    return BLOCKYARD_OK;
  });
}

constexpr auto last_error = device::tell_last_error<RemoteDevice>;

blockyard_status allocate(blockyard_device* handle, std::uint64_t bytes,
                          blockyard_address* address) {
  *address = 0;
  return guarded(handle, [&](RemoteDevice& device) {
    const Answer answer = device.link->ask(Kind::allocate, encode(Memory{device.number, 0, bytes}));
    if (answer.status != BLOCKYARD_OK) return take(device, answer);
    *address = answer.value;
    const std::lock_guard lock(device.mutex);
    device.allocations[answer.value] = bytes;
    return BLOCKYARD_OK;
  });
}

blockyard_status release(blockyard_device* handle, blockyard_address address) {
  return locked(handle, [&](RemoteDevice& device) {
    if (address == 0) return BLOCKYARD_OK;
    if (device.allocations.erase(address) == 0)
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "the address was not allocated");
    device.link->post(frame_of(Kind::release, Memory{device.number, address, 0}));
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_open(blockyard_device* handle, blockyard_stream** opened) {
  return locked(handle, [&](RemoteDevice& device) {
    RemoteStream& stream = device.streams.emplace_back();
    stream.key = {device.number, device.link->next_number()};
    device.link->post(frame_of(Kind::stream, place_of(stream)));
    *opened = reinterpret_cast<blockyard_stream*>(&stream);
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_close(blockyard_device* handle, blockyard_stream* closed) {
  return guarded(handle, [&](RemoteDevice& device) {
    if (closed == nullptr) return BLOCKYARD_OK;
    static_cast<void>(finish(device, of(closed)));
    const std::lock_guard lock(device.mutex);
    device.link->post(frame_of(Kind::end_stream, place_of(of(closed))));
    // Events that were recorded there are done, or have failed with it.
    const StreamKey key = of(closed).key;
    const bool has_failed = device.link->progress(key).failed_from != Progress::never;
    for (RemoteEvent& event : device.events)
      if (event.key == key && !has_failed) event.sequence = 0;
    if (!has_failed) device.link->forget(key);
    device.streams.remove_if([&](const RemoteStream& one) { return &one == &of(closed); });
    return BLOCKYARD_OK;
  });
}

blockyard_status stream_synchronise(blockyard_device* handle, blockyard_stream* stream) {
  return guarded(handle, [&](RemoteDevice& device) { return finish(device, of(stream)); });
}

blockyard_status stream_wait(blockyard_device* handle, blockyard_stream* waiting,
                             blockyard_event* event) {
  return locked(handle, [&](RemoteDevice& device) {
    RemoteStream& stream = of(waiting);
    const RemoteEvent& point = of(event);
    if (point.sequence == 0 || point.key == stream.key) return state(device, stream);
    const Progress there = device.link->progress(point.key);
    if (there.done >= point.sequence) return state(device, stream);
    if (there.failed_from <= point.sequence) {
      device.link->fail(stream.key, stream.last + 1, there.text);
      ++stream.last;
      return BLOCKYARD_OK;
    }
    if (const blockyard_status status = state(device, stream); status != BLOCKYARD_OK)
      return status;  // the server would miss the numbers between
    post(device, stream, [&](const Place& place) {
      return frame_of(Kind::wait, Wait{place, point.key.stream, point.sequence});
    });
    return state(device, stream);
  });
}

blockyard_status event_open(blockyard_device* handle, blockyard_event** event) {
  return locked(handle, [&](RemoteDevice& device) {
    *event = reinterpret_cast<blockyard_event*>(&device.events.emplace_back());
    return BLOCKYARD_OK;
  });
}

blockyard_status event_close(blockyard_device* handle, blockyard_event* event) {
  return locked(handle, [&](RemoteDevice& device) {
    device.events.remove_if([&](const RemoteEvent& one) { return &one == &of(event); });
    return BLOCKYARD_OK;
  });
}

blockyard_status event_record(blockyard_device* handle, blockyard_event* event,
                              blockyard_stream* recorded) {
  return locked(handle, [&](RemoteDevice& device) {
    RemoteStream& stream = of(recorded);
    ask_for_end(device, stream);
    of(event) = {stream.key, stream.last};
    return state(device, stream);
  });
}

blockyard_status event_test(blockyard_device* handle, blockyard_event* event, std::uint32_t wait) {
  return guarded(handle, [&](RemoteDevice& device) {
    RemoteEvent point;
    {
      const std::lock_guard lock(device.mutex);
      point = of(event);
    }
    if (point.sequence == 0) return BLOCKYARD_OK;
    if (wait != 0)
      device.link->wait(point.key, point.sequence);
    else if (!device.link->is_over(point.key, point.sequence))
      return BLOCKYARD_NOT_READY;
    const Progress now = device.link->progress(point.key);
    if (now.done >= point.sequence) return BLOCKYARD_OK;
    const std::lock_guard lock(device.mutex);
    return device.fail(BLOCKYARD_FAILED, now.text);
  });
}

/// Pieces of a copy into the device, straight from the caller's memory.
void send_pieces(RemoteDevice& device, RemoteStream& stream, std::uint64_t to, std::uint64_t from,
                 std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += piece_bytes) {
    const std::uint64_t length = std::min<std::uint64_t>(piece_bytes, bytes - at);
    const rpc::Bytes payload(reinterpret_cast<const std::byte*>(from + at), length);
    post(device, stream, [&](const Place& place) {
      return frame_of(Kind::copy_in, Copy{place, to + at, 0, length, 0}, 0, payload);
    });
  }
}

blockyard_status copy(blockyard_device* handle, blockyard_stream* enqueued,
                      blockyard_direction direction, std::uint64_t to, std::uint64_t from,
                      std::uint64_t bytes) {
  return locked(handle, [&](RemoteDevice& device) {
    RemoteStream& stream = of(enqueued);
    if (const blockyard_status status = state(device, stream); status != BLOCKYARD_OK || bytes == 0)
      return status;
    const bool is_right = (direction == BLOCKYARD_TO_HOST || device.holds(to, bytes)) &&
                          (direction == BLOCKYARD_TO_DEVICE || device.holds(from, bytes));
    if (!is_right) return device.fail(BLOCKYARD_BAD_ARGUMENT, "a copy leaves the allocated memory");
    if (direction == BLOCKYARD_TO_DEVICE) {
      send_pieces(device, stream, to, from, bytes);
      return BLOCKYARD_OK;
    }
    const bool is_out = direction == BLOCKYARD_TO_HOST;
    post(device, stream, [&](const Place& place) {
      if (is_out)
        device.link->expect(stream.key, place.sequence, {reinterpret_cast<std::byte*>(to), bytes});
      return frame_of(is_out ? Kind::copy_out : Kind::copy_within,
                      Copy{place, is_out ? 0 : to, from, bytes, 0});
    });
    return BLOCKYARD_OK;
  });
}

blockyard_status copy_peer(blockyard_device* handle, blockyard_stream* enqueued,
                           blockyard_address to, blockyard_device* from_handle,
                           blockyard_address from, std::uint64_t bytes) {
  if (of(handle).link != of(from_handle).link)
    return locked(handle, [](RemoteDevice& device) {
      return device.fail(BLOCKYARD_UNSUPPORTED, "the devices belong to different servers");
    });
  bool is_there = false;
  static_cast<void>(locked(from_handle, [&](RemoteDevice& device) {
    is_there = device.holds(from, bytes);
    return BLOCKYARD_OK;
  }));
  return locked(handle, [&](RemoteDevice& device) {
    RemoteStream& stream = of(enqueued);
    if (const blockyard_status status = state(device, stream); status != BLOCKYARD_OK || bytes == 0)
      return status;
    if (!is_there || !device.holds(to, bytes))
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "a copy leaves the allocated memory");
    post(device, stream, [&](const Place& place) {
      return frame_of(Kind::copy_peer, Copy{place, to, from, bytes, of(from_handle).number});
    });
    return BLOCKYARD_OK;
  });
}

blockyard_status fill(blockyard_device* handle, blockyard_stream* enqueued, blockyard_address to,
                      blockyard_element element, const double value[2], std::uint64_t elements) {
  return locked(handle, [&](RemoteDevice& device) {
    RemoteStream& stream = of(enqueued);
    const std::uint64_t each = element_bytes(element);
    if (each == 0) return device.fail(BLOCKYARD_BAD_ARGUMENT, "an unknown element type");
    if (const blockyard_status status = state(device, stream); status != BLOCKYARD_OK)
      return status;
    if (elements > std::numeric_limits<std::uint64_t>::max() / each ||
        !device.holds(to, elements * each))
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "a fill leaves the allocated memory");
    const auto type = static_cast<std::uint32_t>(element);
    post(device, stream, [&](const Place& place) {
      return frame_of(Kind::fill, Fill{place, to, type, {value[0], value[1]}, elements});
    });
    return BLOCKYARD_OK;
  });
}

blockyard_status plan_open(blockyard_device* handle, const blockyard_operation* operation,
                           blockyard_plan** opened) {
  return guarded(handle, [&](RemoteDevice& device) {
    const bool is_ahead = (operation->flags & plan_ahead) != 0;
    RemotePlan& plan = is_ahead ? device.plan_ahead(*operation) : device.open_plan(*operation);
    const std::lock_guard lock(device.mutex);
    if (plan.status != BLOCKYARD_OK) return device.fail(plan.status, plan.text);
    *opened = reinterpret_cast<blockyard_plan*>(&plan);
    return BLOCKYARD_OK;
  });
}

blockyard_status plan_workspace(blockyard_device*, blockyard_plan* plan, std::uint64_t* bytes) {
  *bytes = of(plan).workspace_bytes;
  return BLOCKYARD_OK;
}

blockyard_status plan_run(blockyard_device* handle, blockyard_plan* planned,
                          blockyard_stream* enqueued, const blockyard_run* run) {
  return locked(handle, [&](RemoteDevice& device) {
    RemoteStream& stream = of(enqueued);
    const RemotePlan& plan = of(planned);
    const blockyard_operation& operation = plan.operation;
    if (const blockyard_status status = state(device, stream); status != BLOCKYARD_OK)
      return status;
    const auto is_held = [&](blockyard_address address, const blockyard_operand& operand) {
      const auto bytes = block_bytes(operand, operation.element);
      return bytes && device.holds(address, *bytes);
    };
    if (!is_held(run->result, operation.result) || !is_held(run->left, operation.left) ||
        (has_right(operation) && !is_held(run->right, operation.right)) ||
        (plan.workspace_bytes > 0 && !device.holds(run->workspace, plan.workspace_bytes)))
      return device.fail(BLOCKYARD_BAD_ARGUMENT, "a block leaves the allocated memory");
    post(device, stream, [&](const Place& place) {
      return frame_of(Kind::run, Run{place,
                                     plan.number,
                                     {run->alpha[0], run->alpha[1]},
                                     {run->beta[0], run->beta[1]},
                                     run->result,
                                     run->left,
                                     run->right,
                                     run->workspace});
    });
    return BLOCKYARD_OK;
  });
}

/// It stays for a while: the next one to ask for the same has it without a round trip.
blockyard_status plan_close(blockyard_device* handle, blockyard_plan* plan) {
  return locked(handle, [&](RemoteDevice&) {
    if (plan != nullptr) --of(plan).uses;
    return BLOCKYARD_OK;
  });
}

blockyard_status host_lock(blockyard_device* handle, std::uint64_t, std::uint64_t) {
  return locked(handle, [](RemoteDevice& device) {
    return device.fail(BLOCKYARD_UNSUPPORTED, "no pages are locked here");
  });
}

blockyard_status host_unlock(blockyard_device* handle, std::uint64_t host) {
  if (host == 0) return BLOCKYARD_OK;
  return locked(handle, [](RemoteDevice& device) {
    return device.fail(BLOCKYARD_BAD_ARGUMENT, "no locked pages begin there");
  });
}

blockyard_status network_pointer(blockyard_device* handle, blockyard_address, std::uint64_t,
                                 const void**) {
  return locked(handle, [](RemoteDevice& device) {
    return device.fail(BLOCKYARD_UNSUPPORTED, "the memory is in another process");
  });
}

constexpr blockyard_device_table functions = BLOCKYARD_TABLE_BY_NAMES;

}  // namespace

const blockyard_device_table& table() noexcept { return functions; }

}  // namespace blockyard::remote
