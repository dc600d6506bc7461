// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/form_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "blockyard/base/error.h"
#include "blockyard/tensor/element.h"

namespace blockyard::super {

namespace {

/// Two texts of one formula may round differently, and add in another order.
template <class T>
constexpr double tolerance = sizeof(tensor::Real<T>) == sizeof(double) ? 1e-9 : 1e-3;
/// What is so much smaller than the largest element may be what is left of a difference.
constexpr double small_share = 1e-4;

template <class T>
bool is_nan(T value) {
  return value != value;
}

template <class T>
bool is_same(T one, T other, double largest) {
  if (one == other || (is_nan(one) && is_nan(other))) return true;
  const double size = std::max<double>(std::abs(one), std::abs(other));
  return static_cast<double>(std::abs(one - other)) <=
         tolerance<T> * std::max(size, small_share * largest);
}

template <class T>
std::string text_of(T value) {
  if constexpr (requires { value.imag(); })
    return fmt::format("({}, {})", value.real(), value.imag());
  else
    return fmt::format("{}", value);
}

/// "(2,1)", from 1, of the element at `position` in memory.
std::string place_of(std::size_t position, std::span<const base::Extent> extents) {
  std::string text;
  for (const base::Extent extent : extents) {
    const auto length = static_cast<std::size_t>(extent);
    text += fmt::format("{}{}", text.empty() ? "" : ",", position % length + 1);
    position /= length;
  }
  return fmt::format("({})", text);
}

/// Where two results differ first; empty: nowhere.
template <class T>
std::string difference(const Operand& operand, std::span<const std::byte> found) {
  const std::span<const T> expected = operand.as<T>();
  const auto* const other = reinterpret_cast<const T*>(found.data());
  double largest = 0;
  for (const T& value : expected)
    if (std::isfinite(std::abs(value))) largest = std::max<double>(largest, std::abs(value));
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (!is_same(other[k], expected[k], largest))
      return fmt::format("element {} is {} on the device and {} on the host",
                         place_of(k, operand.extents), text_of(other[k]), text_of(expected[k]));
  return "";
}

}  // namespace

void FormCheck::run(const Entry& entry, std::size_t statement, std::span<const Operand> operands,
                    const Context& context) {
  results_.clear();
  if (++uses_[statement] > uses_compared) return;
  device::Device* const device = device_();
  const auto call = device == nullptr ? std::nullopt : prepared(entry, operands, context);
  if (!call) return;
  const auto& plan = plans_.of(*device, entry, operands);
  if (!plan) return;
  std::vector<device::Memory> memory;
  std::vector<device::Address> addresses;
  device::Stream stream = device->open_stream();
  for (const Operand& operand : operands) {
    const std::span<const std::byte> bytes = operand.bytes();
    auto copy = device->allocate(static_cast<base::Extent>(bytes.size()));
    if (!copy) return;  // no room
    stream.copy_in(copy->address(), bytes);
    addresses.push_back(copy->address());
    memory.push_back(std::move(*copy));
  }
  device::KernelRun kernel(call->extents);
  add_arguments(kernel, entry, operands, addresses, *call);
  stream.run(*plan, kernel);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    results_.emplace_back(operands[k].bytes().size());
    stream.copy_out(results_.back(), addresses[k]);
  }
  stream.synchronise();
}

void FormCheck::compare(const Entry& entry, std::span<const Operand> operands) {
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const Operand& operand = operands[k];
    const std::string found = array::with_type(
        operand.type, [&]<class T>() { return difference<T>(operand, results_[k]); });
    if (found.empty()) continue;
    const bool is_read = operand.access == Access::read;
    throw base::Error(base::Errc::bad_input,
                      fmt::format("super instruction '{}': its device form {} argument {} ('{}'): "
                                  "{}",
                                  entry.name,
                                  is_read ? "changes what it may only read,"
                                          : "gives another result than the host form in",
                                  k + 1, operand.name, found));
  }
}

}  // namespace blockyard::super
