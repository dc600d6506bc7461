// SPDX-License-Identifier: Apache-2.0
// What the C interface prints.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ga_calls.h>

#include <algorithm>
#include <complex>
#include <cstdio>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"

namespace blockyard::ga::calls {

namespace {

Array& made(int handle) { return runtime().made_array(handle); }

std::string text_of(const Array& array, const std::byte* value) {
  if (!array.kind.element) {
    std::string text;
    for (std::size_t i = 0; i < array.kind.bytes; ++i)
      text += fmt::format("{:02x}", std::to_integer<int>(value[i]));
    return text;
  }
  return fabric::with_type(*array.kind.element, [&](auto type) {
    using T = decltype(type);
    const T number = *reinterpret_cast<const T*>(value);
    if constexpr (std::is_integral_v<T>)
      return fmt::format("{:>10}", number);
    else if constexpr (std::is_floating_point_v<T>)
      return fmt::format("{:>11.5f}", number);
    else
      return fmt::format("({:>11.5f},{:>11.5f})", number.real(), number.imag());
  });
}

/// Rows and columns are the first and the last of two axes, as the caller counts them.
std::string table_of(const Array& array, const Box& box, const std::vector<std::byte>& values) {
  constexpr Extent columns_at_once = 6;
  std::string text;
  for (Extent first = box.first[0]; first < box.end[0]; first += columns_at_once) {
    const Extent end = std::min(first + columns_at_once, box.end[0]);
    text += "\n        ";
    for (Extent j = first; j < end; ++j) text += fmt::format("{:>12}", j);
    text += '\n';
    for (Extent i = box.first[1]; i < box.end[1]; ++i) {
      text += fmt::format("{:>7} ", i);
      for (Extent j = first; j < end; ++j)
        text += " " + text_of(array, values.data() + static_cast<std::size_t>((i - box.first[1]) *
                                                                                  box.extent(0) +
                                                                              j - box.first[0]) *
                                                         array.kind.bytes);
      text += '\n';
    }
  }
  return text;
}

std::string list_of(const Array& array, const Box& box, const std::vector<std::byte>& values) {
  std::string text;
  std::size_t number = 0;
  array::for_each_index(box, [&](const Indexes& at) {
    std::vector<Extent> subscripts(box.axes);
    for (std::size_t d = 0; d < box.axes; ++d) subscripts[tongue().axis(d, box.axes)] = at[d];
    text += fmt::format("[{}] {}\n", fmt::join(subscripts, ","),
                        text_of(array, values.data() + number++ * array.kind.bytes));
  });
  return text;
}

void print_box(std::FILE* file, const Array& array, const Box& box) {
  together(array, [&] {
    if (array.me != 0) return;
    std::vector<std::byte> values(static_cast<std::size_t>(box.element_count()) * array.kind.bytes);
    garray::get(runtime(), array, box, {values.data(), array::dense_strides(box)});
    const std::string body =
        box.axes == 2 ? table_of(array, box, values) : list_of(array, box, values);
    std::fputs(
        fmt::format("\nglobal array {}: {}\n{}\n", array.name, describe(tongue(), array), body)
            .c_str(),
        file);
    std::fflush(file);
  });
}

}  // namespace

void print(int g_a) { print_box(stdout, made(g_a), made(g_a).whole()); }
void print_file(FILE* file, int g_a) { print_box(file, made(g_a), made(g_a).whole()); }
void print_patch(int g_a, Ints lo, Ints hi, int /*pretty*/) {
  print_box(stdout, made(g_a), box_of(tongue(), made(g_a), lo, hi));
}
void print_patch_2d(int g_a, int ilo, int ihi, int jlo, int jhi, int pretty) {
  require_flat(made(g_a));
  int lo[] = {ilo, jlo}, hi[] = {ihi, jhi};
  print_patch(g_a, lo, hi, pretty);
}

void print_distribution(int g_a) {
  const Array& array = made(g_a);
  together(array, [&] {
    if (array.me != 0) return;
    std::string text =
        fmt::format("\narray {} ({}): {}\n", array.name, g_a, describe(tongue(), array));
    for (Extent block = 0; block < array.distribution.block_count(); ++block) {
      const Box box = array.distribution.box_of(block);
      std::vector<std::string> ranges(box.axes);
      for (std::size_t d = 0; d < box.axes; ++d)
        ranges[tongue().axis(d, box.axes)] = fmt::format("{}:{}", box.first[d], box.end[d] - 1);
      text += fmt::format("process {}: [{}]\n", array.distribution.rank_of(block),
                          fmt::join(ranges, ", "));
    }
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  });
}

void print_stats() {
  std::fputs(
      fmt::format("\nprocess {}: {} arrays, {} bytes of them here\n", runtime().memory().rank(),
                  runtime().live_arrays().size(), runtime().held_bytes())
          .c_str(),
      stdout);
  std::fflush(stdout);
}

void summarize(int verbose) {
  std::string text = fmt::format("\n{} live arrays\n", runtime().live_arrays().size());
  for (const Array* array : runtime().live_arrays()) {
    text += fmt::format("{} ({}): {}\n", array->name, array->handle,
                        array->is_made ? describe(tongue(), *array) : "no memory yet");
    if (verbose != 0 && array->is_made)
      text +=
          fmt::format("  group {}, {} blocks\n", array->group, array->distribution.block_count());
  }
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace blockyard::ga::calls
