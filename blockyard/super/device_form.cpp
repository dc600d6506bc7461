// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/device_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/super/detail/words.h"

namespace blockyard::super {

using base::Errc;
using base::Error;
using detail::words_of;

namespace {

/// Of a kernel (device/abi_kernel.h).
constexpr std::size_t most_parameters = 24;

bool is_written(const Operand& operand) noexcept { return operand.access != Access::read; }

}  // namespace

Extent element_count(const Operand& operand) noexcept {
  Extent count = 1;
  for (const Extent extent : operand.extents) count *= extent;
  return count;
}

double work_of(std::span<const Operand> operands) noexcept {
  double elements = 0;
  for (const Operand& operand : operands)
    if (is_written(operand)) elements += static_cast<double>(element_count(operand));
  return elements;
}

void DeviceForm::set_texts(const std::string& text) {
  const std::string begin = fmt::format("#line 1 \"{}\"\n", entry);
  opencl = "#define FUNCTION\n#define GLOBAL global\n#define INT long\n" + begin + text;
  cuda = "#define FUNCTION __device__\n#define GLOBAL\n#define INT long long\n" + begin + text;
}

array::ElementType DeviceForm::type_of(std::size_t k) const {
  // Asked for at each execute: without a list of the words.
  std::string_view word;
  std::string_view rest = types;
  for (std::size_t n = 0; n <= k; ++n) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) break;  // the one word is for all
    word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
  }
  if (word.empty()) return array::ElementType::f64;
  const auto found = std::ranges::find(array::element_names, word);
  if (found == array::element_names.end())
    throw Error(Errc::bad_input,
                fmt::format("'{}' is not an element type: use f64, f32, c128 or c64", word));
  return static_cast<array::ElementType>(found - array::element_names.begin());
}

void DeviceForm::check(std::string_view signature) const {
  const auto refuse_unless = [](bool holds, const std::string& what) {
    if (!holds) throw Error(Errc::bad_input, what);
  };
  const std::size_t words = words_of(types).size();
  refuse_unless(words <= 1 || words == signature.size(),
                fmt::format("its types \"{}\" are for {} operands, but it has {}", types, words,
                            signature.size()));
  for (std::size_t k = 0; k < signature.size(); ++k) static_cast<void>(type_of(k));
  refuse_unless(signature.find_first_of("wu") != std::string_view::npos, "it writes no operand");
  refuse_unless(!entry.empty(), "it names no entry");
  refuse_unless(order >= 1 && order <= 3, "a grid has one, two or three extents");
  for (const Value& value : values) {
    refuse_unless(!value.type.empty(), "a value without a type");
    refuse_unless(value.bytes > 0 && value.bytes <= DeviceCall::most_value_bytes,
                  "a value has 1 to 64 bytes");
  }
  refuse_unless(signature.size() + values.size() <= most_parameters,
                "operands and values together are more than 24");
}

std::optional<DeviceCall> prepared(const Entry& entry, std::span<const Operand> operands,
                                   const Context& context) {
  const DeviceForm& form = *entry.device;
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (operands[k].type != form.type_of(k) ||
        (operands[k].extents.empty() && is_written(operands[k])))
      return std::nullopt;
  const auto result = std::ranges::find_if(operands, is_written);
  if (result == operands.end()) return std::nullopt;
  DeviceCall call;
  call.extents[0] = element_count(*result);
  call.values.resize(form.values.size());
  if (form.prepare && !form.prepare(operands, context, call)) return std::nullopt;
  return call;
}

}  // namespace blockyard::super
