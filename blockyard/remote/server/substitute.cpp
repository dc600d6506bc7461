// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/substitute.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/device/abi_kinds.h"
#include "blockyard/remote/extents.h"

namespace blockyard::remote {

namespace {

constexpr std::size_t alignment = 64;  // of device memory, also of the host's

/// A block in memory of the host.
struct Staged {
  explicit Staged(std::uint64_t count) : bytes(count), memory(count + alignment) {}
  [[nodiscard]] std::uint64_t address() const {
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    return (at + alignment - 1) / alignment * alignment;
  }
  std::uint64_t bytes;
  std::vector<std::byte> memory;
};

}  // namespace

HostDevice::HostDevice(const blockyard_device_table& table) : table_(table) {
  const blockyard_status status = table_.open(0, "", &device_);
  if (status == BLOCKYARD_OK) return;
  table_.close(device_);
  throw base::Error(base::Errc::device, "the host of the server cannot be opened as a device");
}

HostDevice::~HostDevice() { table_.close(device_); }

void HostDevice::check(blockyard_status status) const {
  if (status == BLOCKYARD_OK) return;
  std::array<char, 1024> text{};
  table_.last_error(device_, text.data(), text.size());
  throw base::Error(base::Errc::device, text.data());
}

std::unique_ptr<Substitute> Substitute::plan(const HostDevice& host,
                                             const blockyard_operation& operation) {
  if (operation.kind < BLOCKYARD_SOLVE || operation.kind > BLOCKYARD_FFT) return nullptr;
  std::unique_ptr<Substitute> made(new Substitute(host, operation));
  const bool is_known =
      host.table().plan_open(host.device(), &operation, &made->plan_) == BLOCKYARD_OK &&
      host.table().stream_open(host.device(), &made->stream_) == BLOCKYARD_OK;
  return is_known ? std::move(made) : nullptr;
}

Substitute::~Substitute() {
  static_cast<void>(host_.table().stream_close(host_.device(), stream_));
  static_cast<void>(host_.table().plan_close(host_.device(), plan_));
}

blockyard_status Substitute::run(const blockyard_device_table& table, blockyard_device* device,
                                 blockyard_stream* stream, const blockyard_run& run) {
  const std::lock_guard lock(mutex_);
  const auto bytes_of = [&](const blockyard_operand& operand) {
    return *block_bytes(operand, operation_.element);
  };
  // In place either may be the longer one.
  const bool is_in_place = run.left == run.result;
  const auto left_bytes = bytes_of(operation_.left), result_bytes = bytes_of(operation_.result);
  const Staged result(is_in_place ? std::max(left_bytes, result_bytes) : result_bytes);
  const Staged left(is_in_place ? 0 : left_bytes);
  const Staged right(has_right(operation_) ? bytes_of(operation_.right) : 0);
  std::uint64_t workspace_bytes = 0;
  host_.check(host_.table().plan_workspace(host_.device(), plan_, &workspace_bytes));
  const Staged workspace(workspace_bytes);
  const std::array<std::pair<const Staged*, blockyard_address>, 3> blocks = {
      {{&result, run.result}, {&left, run.left}, {&right, run.right}}};
  const auto copy_all = [&](blockyard_direction direction) {
    blockyard_status status = BLOCKYARD_OK;
    for (const auto& [block, address] : blocks) {
      if (block->bytes == 0 || status != BLOCKYARD_OK) continue;
      const bool is_in = direction == BLOCKYARD_TO_DEVICE;
      status = table.copy(device, stream, direction, is_in ? address : block->address(),
                          is_in ? block->address() : address, block->bytes);
    }
    // Also after a failure nothing may still reach memory that ends here.
    const blockyard_status end = table.stream_synchronise(device, stream);
    return status == BLOCKYARD_OK ? end : status;
  };
  if (const blockyard_status status = copy_all(BLOCKYARD_TO_HOST); status != BLOCKYARD_OK)
    return status;
  blockyard_run work = run;
  work.result = result.address();
  work.left = is_in_place ? result.address() : left.address();
  work.right = right.bytes > 0 ? right.address() : 0;
  work.workspace = workspace_bytes > 0 ? workspace.address() : 0;
  host_.check(host_.table().plan_run(host_.device(), plan_, stream_, &work));
  host_.check(host_.table().stream_synchronise(host_.device(), stream_));
  return copy_all(BLOCKYARD_TO_DEVICE);
}

}  // namespace blockyard::remote
