// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace blockyard::worker::detail {

namespace {
/// Longer blocks are cut: more is not readable.
constexpr Extent most_elements = 1'000'000;
constexpr std::string_view decimals = "{:.14f}";
constexpr std::string_view digits = "{:.14g}";
}  // namespace

std::string text_of(Number value, bool is_complex, std::string_view format) {
  const auto part = [format](double number) { return fmt::format(fmt::runtime(format), number); };
  if (!is_complex) return part(value.real());
  return fmt::format("({},{})", part(value.real()), part(value.imag()));
}

void Printer::write(std::string text, std::int32_t newlines) {
  text.append(static_cast<std::size_t>(std::clamp(newlines, 0, 16)) + 1, '\n');
  out_(text);
}

std::string Printer::line() const {
  return fmt::format("{}:  ", naming_.program.lines[static_cast<std::size_t>(blocks_.pc())].line);
}

void Printer::text(std::string_view text, std::int32_t newlines) {
  if (is_on_) write(std::string(text), newlines);
}

void Printer::named(std::string_view name, std::int64_t value, std::int32_t newlines) {
  if (is_on_) write(fmt::format("{}{} = {}", line(), name, value), newlines);
}

void Printer::named(std::string_view name, Number value, bool is_complex, std::int32_t newlines) {
  if (is_on_)
    write(fmt::format("{}{} = {}", line(), name, text_of(value, is_complex, decimals)), newlines);
}

void Printer::value(std::int64_t value, std::int32_t newlines) {
  if (is_on_) write(fmt::format("{}", value), newlines);
}

void Printer::value(Number value, bool is_complex, std::int32_t newlines) {
  if (is_on_) write(text_of(value, is_complex, decimals), newlines);
}

std::string Printer::name_of(std::int32_t selector) const {
  const auto& selected = naming_.program.selectors[static_cast<std::size_t>(selector)];
  std::string text = naming_.array(selected.array) + "[";
  const auto& bounds = blocks_.regions().bounds(selector);
  for (std::size_t k = 0; k < selected.indexes.size(); ++k) {
    if (k > 0) text += ",";
    if (selected.form != program::SelectorForm::region)
      text += fmt::format("{}", blocks_.value_of(selected.indexes[k]));
    else if (bounds[2 * k] == bounds[2 * k + 1])
      text += fmt::format("{}", bounds[2 * k]);
    else
      text += fmt::format("{}:{}", bounds[2 * k], bounds[2 * k + 1]);
  }
  return text + "]";
}

void Printer::block(std::int32_t selector, std::int32_t newlines) {
  View view = blocks_.read(selector);  // on every worker: a missing block is an error everywhere
  if (!is_on_) return;
  const std::string name = name_of(selector);
  Number zero = 0;  // of any type
  if (view.data == nullptr) view.data = reinterpret_cast<std::byte*>(&zero), view.strides = {};
  const bool is_complex = array::is_complex(view.type);
  const auto& grid = naming_.tables.grids[static_cast<std::size_t>(
      naming_.program.selectors[static_cast<std::size_t>(selector)].array)];
  bool is_scalar = true;
  for (std::size_t k = 0; k < grid.order(); ++k)
    is_scalar = is_scalar && grid.axis(k).kind() == array::IndexKind::simple;
  if (is_scalar) {  // a block of simple indexes prints as a scalar expression does
    value(element_of(view, 0), is_complex, newlines);
    return;
  }
  if (view.shape.element_count() == 1) {
    named(name, element_of(view, 0), is_complex, newlines);
    return;
  }
  elements("block", name, view, newlines);
}

void Printer::array(std::int32_t array, std::int32_t newlines) {
  if (!is_on_) return;
  if (naming_.tables.grids[static_cast<std::size_t>(array)].element_count() == 0)
    write(fmt::format("{}printing 0 of 0 elements of contiguous array {}", line(),
                      naming_.array(array)),
          newlines);
  else
    elements("contiguous array", naming_.array(array), blocks_.whole(array), newlines);
}

void Printer::elements(std::string_view what, std::string_view name, View view,
                       std::int32_t newlines) {
  const Extent all = view.shape.element_count();
  const Extent shown = std::min(all, most_elements);
  std::string text =
      fmt::format("{}printing {} of {} elements of {} {} in the order stored in memory", line(),
                  shown, all, what, name);
  for (Extent n = 0; n < shown; ++n) {
    text += n % view.shape[0] == 0 ? '\n' : ' ';
    text += text_of(element_of(view, n), array::is_complex(view.type), digits);
  }
  write(std::move(text), newlines);
}

}  // namespace blockyard::worker::detail
