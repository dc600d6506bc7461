// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/device/device.h"
#include "blockyard/tensor/shape.h"

/// The suite runs over every device table there is: the host, the simulated device with several
/// seeds, and the simulated device loaded as a plug-in.
namespace blockyard::device::contract {

using base::Extent;

struct Backend {
  std::string name;
  const Table* table;
  std::string options;
};
void PrintTo(const Backend& backend, std::ostream* out);

[[nodiscard]] std::vector<Backend> backends();
[[nodiscard]] std::string name_of(const ::testing::TestParamInfo<Backend>& tested);

class DeviceContract : public ::testing::TestWithParam<Backend> {
 protected:
  [[nodiscard]] static Device open(const std::string& more_options = {}) {
    return Device(*GetParam().table, 0, GetParam().options + " " + more_options);
  }
  /// Memory that must be there.
  [[nodiscard]] static Memory allocate(Device& device, Extent bytes) {
    auto memory = device.allocate(bytes);
    if (!memory) throw base::Error(base::Errc::no_memory, "the device of the test is full");
    return std::move(*memory);
  }
  /// Device memory that will hold `values`, which must live until the stream is synchronised.
  template <class T>
  [[nodiscard]] static Memory send(Device& device, Stream& stream, const std::vector<T>& values) {
    Memory memory = allocate(device, static_cast<Extent>(values.size() * sizeof(T)));
    stream.copy_in(memory.address(), std::as_bytes(std::span(values)));
    return memory;
  }
  /// The values would be gone before the copy happens.
  template <class T>
  static Memory send(Device& device, Stream& stream, const std::vector<T>&& values) = delete;
  /// The values in device memory after all that was enqueued.
  template <class T>
  [[nodiscard]] static std::vector<T> receive(Stream& stream, const Memory& memory) {
    std::vector<T> values(static_cast<std::size_t>(memory.bytes()) / sizeof(T));
    stream.copy_out(std::as_writable_bytes(std::span(values)), memory.address());
    stream.synchronise();
    return values;
  }
};

/// 1, 2, 3, ... as T; imaginary parts are the negative of that.
template <class T>
[[nodiscard]] std::vector<T> counted(Extent count) {
  std::vector<T> values;
  for (Extent i = 1; i <= count; ++i) {
    if constexpr (std::is_floating_point_v<T>)
      values.push_back(static_cast<T>(i));
    else
      values.emplace_back(static_cast<typename T::value_type>(i),
                          static_cast<typename T::value_type>(-i));
  }
  return values;
}

}  // namespace blockyard::device::contract
