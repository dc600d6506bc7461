// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/device.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "blockyard/base/error.h"
#include "blockyard/device/kernel.h"

namespace blockyard::device {
namespace {

using base::Errc;
using base::Error;

std::string last_error(const Table& table, blockyard_device* device) {
  std::array<char, 4096> text{};  // the messages of a compiler are long
  if (device != nullptr) table.last_error(device, text.data(), text.size());
  return text.data();
}

[[noreturn]] void throw_failure(const Table& table, blockyard_device* device,
                                std::string_view what) {
  throw Error(Errc::device, fmt::format("device: {} failed: {}", what, last_error(table, device)));
}

template <class T>
void check(blockyard_status status, const Opened<T>& opened, std::string_view what) {
  if (status != BLOCKYARD_OK) throw_failure(*opened.table, opened.device, what);
}

template <class T>
std::uint64_t as_number(const T* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

int device_count(const Table& table) {
  std::uint32_t devices = 0;
  if (table.count(&devices) != BLOCKYARD_OK)
    throw Error(Errc::device, "the device table cannot say how many devices there are");
  return static_cast<int>(devices);
}

Device::Device(const Table& table, int index, const std::string& options) {
  blockyard_device* device = nullptr;
  const auto status = table.open(static_cast<std::uint32_t>(index), options.c_str(), &device);
  if (device != nullptr) handle_ = base::Handle<Kind>({&table, device, nullptr});
  if (status != BLOCKYARD_OK)
    throw_failure(table, device, fmt::format("to open device {} with '{}'", index, options));
}

blockyard_description Device::describe() const {
  const auto raw = handle_.get();
  blockyard_description description{};
  description.size = sizeof description;
  check(raw.table->describe(raw.device, &description), raw, "describe");
  return description;
}

std::string Device::choices() const {
  constexpr std::size_t most_bytes = 1 << 16;
  std::string text(most_bytes, '\0');
  const auto raw = handle_.get();
  blockyard_kernel_description asked{};
  asked.description.size = sizeof asked;
  asked.choices = text.data();
  asked.choices_bytes = text.size();
  check(raw.table->describe(raw.device, &asked.description), raw, "describe");
  text.resize(std::strlen(text.c_str()));
  return text;
}

std::optional<Memory> Device::allocate(Extent bytes) {
  const auto raw = handle_.get();
  if (bytes < 0) throw Error(Errc::bad_input, "device: a negative number of bytes");
  Address address = 0;
  const auto status = raw.table->allocate(raw.device, static_cast<std::uint64_t>(bytes), &address);
  if (status == BLOCKYARD_NO_MEMORY) return std::nullopt;
  check(status, raw, "allocate");
  return Memory({raw.table, raw.device, address}, bytes);
}

Stream Device::open_stream() {
  const auto raw = handle_.get();
  blockyard_stream* stream = nullptr;
  check(raw.table->stream_open(raw.device, &stream), raw, "to open a stream");
  return Stream({raw.table, raw.device, stream});
}

Event Device::open_event() {
  const auto raw = handle_.get();
  blockyard_event* event = nullptr;
  check(raw.table->event_open(raw.device, &event), raw, "to open an event");
  return Event({raw.table, raw.device, event});
}

bool Device::lock_host(std::span<const std::byte> pages) {
  const auto raw = handle_.get();
  const auto status = raw.table->host_lock(raw.device, as_number(pages.data()), pages.size());
  if (status == BLOCKYARD_NO_MEMORY || status == BLOCKYARD_UNSUPPORTED) return false;
  check(status, raw, "to lock host memory");
  return true;
}

void Device::unlock_host(const std::byte* pages) {
  const auto raw = handle_.get();
  check(raw.table->host_unlock(raw.device, as_number(pages)), raw, "to unlock host memory");
}

const std::byte* Device::network_pointer(Address address, Extent bytes) {
  const auto raw = handle_.get();
  const void* pointer = nullptr;
  const auto status =
      raw.table->network_pointer(raw.device, address, static_cast<std::uint64_t>(bytes), &pointer);
  if (status == BLOCKYARD_UNSUPPORTED) return nullptr;
  check(status, raw, "to find memory for the network");
  return static_cast<const std::byte*>(pointer);
}

std::optional<Plan> Device::open_plan(const blockyard_operation& operation) {
  const auto raw = handle_.get();
  blockyard_plan* plan = nullptr;
  const auto status = raw.table->plan_open(raw.device, &operation, &plan);
  if (status == BLOCKYARD_UNSUPPORTED) return std::nullopt;
  check(status, raw, "to open a plan");
  std::uint64_t bytes = 0;
  check(raw.table->plan_workspace(raw.device, plan, &bytes), raw, "to size a plan");
  return Plan({raw.table, raw.device, plan}, static_cast<Extent>(bytes));
}

std::optional<Plan> Device::open_kernel(const Kernel& kernel) {
  const auto raw = handle_.get();
  const std::vector<blockyard_parameter> parameters = kernel.c_parameters();
  const blockyard_kernel described = kernel.described(parameters);
  blockyard_plan* plan = nullptr;
  const auto status = raw.table->plan_open(raw.device, &described.operation, &plan);
  if (status == BLOCKYARD_UNSUPPORTED) return std::nullopt;
  if (status == BLOCKYARD_BAD_ARGUMENT)
    throw Error(Errc::bad_input, fmt::format("kernel '{}' on device '{}': {}", kernel.entry,
                                             describe().name, last_error(*raw.table, raw.device)));
  check(status, raw, "to open a kernel");
  return Plan({raw.table, raw.device, plan}, 0);
}

bool Event::is_done() const {
  const auto raw = handle_.get();
  const auto status = raw.table->event_test(raw.device, raw.handle, 0);
  if (status == BLOCKYARD_NOT_READY) return false;
  check(status, raw, "an event");
  return true;
}

void Event::wait() const {
  const auto raw = handle_.get();
  check(raw.table->event_test(raw.device, raw.handle, 1), raw, "to wait for an event");
}

void Stream::copy_in(Address to, std::span<const std::byte> from) {
  const auto raw = handle_.get();
  check(raw.table->copy(raw.device, raw.handle, BLOCKYARD_TO_DEVICE, to, as_number(from.data()),
                        from.size()),
        raw, "a copy to the device");
}

void Stream::copy_out(std::span<std::byte> to, Address from) {
  const auto raw = handle_.get();
  check(raw.table->copy(raw.device, raw.handle, BLOCKYARD_TO_HOST, as_number(to.data()), from,
                        to.size()),
        raw, "a copy to the host");
}

void Stream::copy_within(Address to, Address from, Extent bytes) {
  const auto raw = handle_.get();
  check(raw.table->copy(raw.device, raw.handle, BLOCKYARD_WITHIN_DEVICE, to, from,
                        static_cast<std::uint64_t>(bytes)),
        raw, "a copy within the device");
}

bool Stream::copy_from(const Device& other, Address to, Address from, Extent bytes) {
  const auto raw = handle_.get();
  blockyard_device* const there = other.handle_.get().device;
  if (other.handle_.get().table != raw.table) return false;
  if (there == raw.device) {
    copy_within(to, from, bytes);
    return true;
  }
  const auto status = raw.table->copy_peer(raw.device, raw.handle, to, there, from,
                                           static_cast<std::uint64_t>(bytes));
  if (status == BLOCKYARD_UNSUPPORTED) return false;
  check(status, raw, "a copy from another device");
  return true;
}

void Stream::fill(Address to, blockyard_element element, std::complex<double> value, Extent count) {
  const auto raw = handle_.get();
  const double parts[2] = {value.real(), value.imag()};
  check(raw.table->fill(raw.device, raw.handle, to, element, parts,
                        static_cast<std::uint64_t>(count)),
        raw, "a fill");
}

void Stream::run(const Plan& plan, const Arguments& arguments) {
  const auto raw = handle_.get();
  const blockyard_run run = {sizeof(blockyard_run),
                             0,
                             {arguments.alpha.real(), arguments.alpha.imag()},
                             {arguments.beta.real(), arguments.beta.imag()},
                             arguments.result,
                             arguments.left,
                             arguments.right,
                             arguments.workspace};
  check(raw.table->plan_run(raw.device, plan.handle_.get().handle, raw.handle, &run), raw,
        "to run a plan");
}

void Stream::run(const Plan& plan, const KernelRun& run) {
  const auto raw = handle_.get();
  const blockyard_kernel_run described = run.described();
  const auto status =
      raw.table->plan_run(raw.device, plan.handle_.get().handle, raw.handle, &described.run);
  if (status == BLOCKYARD_BAD_ARGUMENT)
    throw Error(Errc::bad_input,
                fmt::format("to run a kernel: {}", last_error(*raw.table, raw.device)));
  check(status, raw, "to run a kernel");
}

void Stream::record(Event& event) {
  const auto raw = handle_.get();
  check(raw.table->event_record(raw.device, event.handle_.get().handle, raw.handle), raw,
        "to record an event");
}

void Stream::wait(const Event& event) {
  const auto raw = handle_.get();
  check(raw.table->stream_wait(raw.device, raw.handle, event.handle_.get().handle), raw,
        "to wait for an event on a stream");
}

void Stream::synchronise() {
  const auto raw = handle_.get();
  check(raw.table->stream_synchronise(raw.device, raw.handle), raw, "work on a stream");
}

}  // namespace blockyard::device
