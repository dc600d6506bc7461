// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "blockyard/device/abi.h"

/// The C edge of a plug-in: statuses outside, exceptions inside.
namespace blockyard::plugin {

/// An invalid request: the caller's fault, not the device's.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One call of the table over a class Machine (edge.h): the objects that handles refer to, the
/// lock, and exceptions turned into statuses.
template <class Machine>
class EdgeCalls {
 protected:
  /// The object that a blockyard_device refers to. `mutex` guards all the rest.
  struct Device {
    std::mutex mutex;
    std::string last_error;
    std::optional<Machine> machine;  ///< none if it could not be opened

    blockyard_status fail(blockyard_status status, std::string text) {
      last_error = std::move(text);
      return status;
    }
  };
  using Stream = typename Machine::Stream;
  using Point = typename Machine::Point;
  using Plan = typename Machine::Plan;
  using Place = typename Machine::Place;
  using Pending = typename Machine::Pending;

  // The types of the ABI are opaque: they stand for the classes here.
  static Device& of(blockyard_device* device) { return *reinterpret_cast<Device*>(device); }
  static Stream& of(blockyard_stream* stream) { return *reinterpret_cast<Stream*>(stream); }
  static Point& of(blockyard_event* event) { return *reinterpret_cast<Point*>(event); }
  static Plan& of(blockyard_plan* plan) { return *reinterpret_cast<Plan*>(plan); }

  /// Runs body(device, machine) under the lock and lets no exception out.
  template <class Body>
  static blockyard_status locked(blockyard_device* handle, const Body& body) noexcept {
    Device& device = of(handle);
    try {
      const std::lock_guard lock(device.mutex);
      try {
        return body(device, *device.machine);
      } catch (const std::bad_alloc&) {
        return device.fail(BLOCKYARD_NO_MEMORY, "the host has no more memory");
      } catch (const Refusal& refusal) {
        return device.fail(BLOCKYARD_BAD_ARGUMENT, refusal.what());
      } catch (const std::exception& error) {
        return device.fail(BLOCKYARD_FAILED, error.what());
      }
    } catch (...) {
      return BLOCKYARD_FAILED;
    }
  }

  /// The same for work on a stream that has not failed.
  template <class Body>
  static blockyard_status on_stream(blockyard_device* handle, blockyard_stream* stream,
                                    const Body& body) {
    return locked(handle, [&](Device& device, Machine& machine) {
      if (of(stream).has_failed)
        return device.fail(BLOCKYARD_FAILED, "work on the stream failed: " + of(stream).failure);
      return noting_failure(device, of(stream), [&] { return body(device, machine); });
    });
  }

  /// Runs body() and keeps, where the stream fails in it, the text for all that follows there.
  template <class Body>
  static blockyard_status noting_failure(Device& device, Stream& stream, const Body& body) {
    try {
      const blockyard_status status = body();
      if (stream.has_failed && stream.failure.empty()) stream.failure = device.last_error;
      return status;
    } catch (const std::exception& error) {
      if (stream.has_failed && stream.failure.empty()) stream.failure = error.what();
      throw;
    }
  }

  /// Waits without the lock.
  static blockyard_status finish(blockyard_device* handle, const Pending& pending) noexcept {
    try {
      Machine::finish(pending);
      return BLOCKYARD_OK;
    } catch (const std::exception& error) {
      return locked(handle, [&](Device& device, Machine&) {
        return device.fail(BLOCKYARD_FAILED, error.what());
      });
    }
  }
};

}  // namespace blockyard::plugin
