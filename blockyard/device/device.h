// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "blockyard/base/handle.h"
#include "blockyard/base/integer.h"
#include "blockyard/device/abi.h"

/// Owners over the C table of abi.h. Thread-safe; threads that share
/// a stream order their work themselves. A status that is a failure becomes Error{device} with
/// the device's text; out of memory and unsupported are answers (an empty optional).
/// A Device outlives what was opened from it, a table (loader.h) its devices.
namespace blockyard::device {

using Table = blockyard_device_table;
using Address = blockyard_address;
using base::Extent;

class Device;
struct Kernel;
class KernelRun;

/// A handle of the table together with what its release needs.
template <class T>
struct Opened {
  const Table* table = nullptr;
  blockyard_device* device = nullptr;
  T handle{};
  friend bool operator==(const Opened&, const Opened&) = default;
};

/// base::Handle kind of an object that the table's function `release_function` releases.
template <class T, auto release_function>
struct OpenedKind {
  using Raw = Opened<T>;
  static Raw null() noexcept { return {}; }
  static void release(Raw raw) noexcept {
    static_cast<void>((raw.table->*release_function)(raw.device, raw.handle));
  }
};

/// Memory of a device, released by the destructor, after the work that uses it.
class Memory {
 public:
  Memory() = default;
  [[nodiscard]] Address address() const noexcept { return handle_.get().handle; }
  [[nodiscard]] Extent bytes() const noexcept { return bytes_; }

 private:
  friend class Device;
  Memory(const Opened<Address>& opened, Extent bytes) noexcept : handle_(opened), bytes_(bytes) {}
  base::Handle<OpenedKind<Address, &Table::release>> handle_;
  Extent bytes_ = 0;
};

/// A point in a stream.
class Event {
 public:
  /// True if all that the stream held at the last record is done.
  [[nodiscard]] bool is_done() const;
  /// Returns when it is done.
  void wait() const;

 private:
  friend class Device;
  friend class Stream;
  explicit Event(const Opened<blockyard_event*>& opened) noexcept : handle_(opened) {}
  base::Handle<OpenedKind<blockyard_event*, &Table::event_close>> handle_;
};

/// A prepared operation.
class Plan {
 public:
  [[nodiscard]] Extent workspace_bytes() const noexcept { return workspace_bytes_; }

 private:
  friend class Device;
  friend class Stream;
  Plan(const Opened<blockyard_plan*>& opened, Extent workspace_bytes) noexcept
      : handle_(opened), workspace_bytes_(workspace_bytes) {}
  base::Handle<OpenedKind<blockyard_plan*, &Table::plan_close>> handle_;
  Extent workspace_bytes_ = 0;
};

/// The blocks and factors of one run of a plan; see blockyard_run.
struct Arguments {
  std::complex<double> alpha = 1;
  std::complex<double> beta = 0;
  Address result = 0;
  Address left = 0;
  Address right = 0;
  Address workspace = 0;
};

/// Operations in order. Every function but synchronise only enqueues: the caller keeps host memory
/// as it is until the stream is synchronised or an event recorded later is done.
class Stream {
 public:
  void copy_in(Address to, std::span<const std::byte> from);
  void copy_out(std::span<std::byte> to, Address from);
  void copy_within(Address to, Address from, Extent bytes);
  /// From this or another device: see copy_peer in abi.h. False: unsupported, or another table.
  [[nodiscard]] bool copy_from(const Device& other, Address to, Address from, Extent bytes);
  void fill(Address to, blockyard_element element, std::complex<double> value, Extent count);
  void run(const Plan& plan, const Arguments& arguments);
  /// Runs a kernel (kernel.h). Throws Error{bad_input} if the arguments do not fit it.
  void run(const Plan& plan, const KernelRun& run);
  void record(Event& event);
  void wait(const Event& event);
  /// Returns when all is done. Throws Error{device} if something that was enqueued failed.
  void synchronise();

 private:
  friend class Device;
  explicit Stream(const Opened<blockyard_stream*>& opened) noexcept : handle_(opened) {}
  base::Handle<OpenedKind<blockyard_stream*, &Table::stream_close>> handle_;
};

/// One device of a table, opened.
class Device {
 public:
  /// options: see the table's documentation. Throws Error{device} if it cannot be opened.
  Device(const Table& table, int index, const std::string& options = {});

  [[nodiscard]] blockyard_description describe() const;
  /// Lines for a person on what the device has chosen by itself, and why: shapes of launches.
  [[nodiscard]] std::string choices() const;
  /// Nothing if the device has no room.
  [[nodiscard]] std::optional<Memory> allocate(Extent bytes);
  [[nodiscard]] Stream open_stream();
  [[nodiscard]] Event open_event();
  /// Locks whole pages of host memory (blockyard_description::lock_page_bytes): see abi.h. False
  /// if the device cannot, or the system locks no more.
  [[nodiscard]] bool lock_host(std::span<const std::byte> pages);
  void unlock_host(const std::byte* pages);
  /// Where a network library that reads devices finds an address: see abi.h. Null:
  /// unsupported.
  [[nodiscard]] const std::byte* network_pointer(Address address, Extent bytes);
  /// Nothing if the device cannot do it: then the host does.
  [[nodiscard]] std::optional<Plan> open_plan(const blockyard_operation& operation);
  /// Nothing if the device cannot use any form. Throws Error{bad_input} with the text of its
  /// compiler if a form is wrong.
  [[nodiscard]] std::optional<Plan> open_kernel(const Kernel& kernel);

 private:
  friend class Stream;
  struct Kind {
    using Raw = Opened<std::nullptr_t>;
    static Raw null() noexcept { return {}; }
    static void release(Raw raw) noexcept { raw.table->close(raw.device); }
  };
  base::Handle<Kind> handle_;
};

/// How many devices a table has. Throws Error{device} if it cannot say.
[[nodiscard]] int device_count(const Table& table);

}  // namespace blockyard::device
