// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blockyard/blas/product.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// Bytes that a product moves to a device and back.
template <class T>
[[nodiscard]] double moved_bytes(const Product<T>& p) noexcept {
  const double c = static_cast<double>(p.m) * static_cast<double>(p.n);
  const double operands = static_cast<double>(p.k) * static_cast<double>(p.m + p.n);
  return sizeof(T) * (operands + (p.beta == T{} ? c : 2 * c));
}

/// Matrix products on one device: a result is parts, panels of columns, of which one is sent while
/// another is computed and a third comes back. One thread.
class DeviceProducts {
 public:
  /// Throws Error.
  DeviceProducts(const device::Table& table, const std::string& options);
  DeviceProducts(const DeviceProducts&) = delete;
  DeviceProducts& operator=(const DeviceProducts&) = delete;

  /// Writes columns of c, from the first one on, each when it has arrived whole. `complete` says
  /// how many, also when Error is thrown: the rest is as it was. Less than all without an
  /// exception: the device has no room, or cannot.
  template <class T>
  void compute(const Product<T>& product, std::int64_t& complete);

 private:
  static constexpr std::size_t slots = 2;
  struct Slot {
    std::optional<device::Memory> right, result;
    device::Event sent, computed, returned;
    std::vector<std::byte> packed_right, packed_result, arrived;
    std::int64_t from = 0, to = 0;  ///< columns on their way; equal: none
  };
  template <class T>
  struct Call;

  [[nodiscard]] bool reserve(std::optional<device::Memory>& memory, std::int64_t bytes);
  void send(device::Address to, const std::byte* from, std::int64_t column_bytes,
            std::int64_t columns, std::int64_t stride_bytes, std::vector<std::byte>& packed);
  template <class T>
  [[nodiscard]] bool start(const Call<T>& call, Slot& slot);
  template <class T>
  void finish(const Call<T>& call, Slot& slot, std::int64_t& complete);
  void drain() noexcept;

  device::Device device_;
  device::Stream in_, work_, out_;
  std::optional<device::Memory> left_, workspace_;
  std::vector<std::byte> packed_left_;
  std::array<Slot, slots> slots_;
};

}  // namespace blockyard::blas
