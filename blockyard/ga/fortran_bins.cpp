// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "blockyard/ga/create.h"
#include "blockyard/ga/fortran.h"
#include "blockyard/garray/elementwise.h"

namespace blockyard::ga::fortran {

namespace {

using Values = std::vector<std::int64_t>;

const Array& line(int handle) {
  const Array& array = runtime().made_array(handle);
  if (array.axes() != 1) garray::refuse(array, "has more than 1 axis; bins are in arrays of 1");
  if (array.kind.element != fabric::Element::i32 && array.kind.element != fabric::Element::i64)
    garray::refuse(array, "has elements that are no integers; bins are of integers");
  return array;
}

Values values_of(const Array& array, Extent first, Extent end) {
  Values values(static_cast<std::size_t>(std::max<Extent>(0, end - first)));
  if (values.empty()) return values;
  Box box{.axes = 1};
  box.first[0] = first;
  box.end[0] = end;
  if (array.kind.bytes == sizeof(std::int64_t)) {
    garray::get(runtime(), array, box, {values.data(), {1}});
    return values;
  }
  std::vector<std::int32_t> narrow(values.size());
  garray::get(runtime(), array, box, {narrow.data(), {1}});
  std::copy(narrow.begin(), narrow.end(), values.begin());
  return values;
}

void put_values(const Array& array, Extent first, const Values& values) {
  if (values.empty()) return;
  Box box{.axes = 1};
  box.first[0] = first;
  box.end[0] = first + static_cast<Extent>(values.size());
  if (first < 0 || box.end[0] > array.extents[0])
    garray::refuse(array, "has no room for all values of a bin");
  std::vector<std::int32_t> narrow(values.begin(), values.end());
  const bool is_wide = array.kind.bytes == sizeof(std::int64_t);
  const void* from = is_wide ? static_cast<const void*>(values.data()) : narrow.data();
  garray::put(runtime(), array, box, {const_cast<void*>(from), {1}});
}

/// A counter of zeros for each bin.
class Counters {
 public:
  explicit Counters(const Array& like)
      : array_(runtime().array(duplicate_array(like, "bin counters"))) {
    together(array_, [&] { garray::zero(garray::whole(array_)); });
  }
  ~Counters() { destroy_array(array_); }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  [[nodiscard]] Extent add(Extent bin, Extent count) const {
    return garray::read_and_add(runtime(), array_, {bin}, count);
  }

 private:
  Array& array_;
};

/// The blocks of a line that this process holds, or process `rank`.
Box held(const Array& array, int rank) {
  const auto box = box_held(array, rank);
  return box ? *box : Box{.axes = 1};
}

}  // namespace

void bin_index(int g_bin, int g_cnt, int g_off, Ints values, Ints bins, std::int64_t count,
               int must_sort) {
  const Array &bin = line(g_bin), &offsets = line(g_off);
  std::vector<Values> mine(static_cast<std::size_t>(offsets.extents[0]));
  for (std::size_t i = 0; static_cast<std::int64_t>(i) < count; ++i) {
    if (bins[i] < 1 || bins[i] > offsets.extents[0])
      garray::refuse(offsets, "has fewer bins than the largest number of a bin");
    mine[static_cast<std::size_t>(bins[i] - 1)].push_back(values[i]);
  }
  {
    const Counters taken(offsets);
    for (std::size_t b = 0; b < mine.size(); ++b) {
      if (mine[b].empty()) continue;
      const auto at = static_cast<Extent>(b);
      const Extent first = values_of(offsets, at, at + 1).front() +
                           taken.add(at, static_cast<Extent>(mine[b].size()));
      put_values(bin, first, mine[b]);
    }
    runtime().sync(bin.group, Met(&bin).meeting());
  }
  if (must_sort != 0) bin_sorter(g_bin, g_cnt, g_off);
}

void bin_sorter(int g_bin, int g_cnt, int g_off) {
  const Array &bin = line(g_bin), &counts = line(g_cnt), &offsets = line(g_off);
  together(bin, [&] {
    // The bins that this process holds the offsets of.
    const Box own = held(offsets, offsets.me);
    const Values first = values_of(offsets, own.first[0], own.end[0]);
    const Values count = values_of(counts, own.first[0], own.end[0]);
    for (std::size_t b = 0; b < first.size(); ++b) {
      Values values = values_of(bin, first[b], first[b] + count[b]);
      std::sort(values.begin(), values.end());
      put_values(bin, first[b], values);
    }
  });
}

int create_bin_range(int g_bin, int g_cnt, int g_off) {
  const Array &bin = line(g_bin), &counts = line(g_cnt), &offsets = line(g_off);
  std::int64_t dims[] = {2, static_cast<std::int64_t>(bin.bases.size())}, chunk[] = {2, 1};
  char name[] = "bin range";
  const int handle = calls::create(1010, 2, dims, name, chunk);
  if (handle == 0) return 0;
  const Array& range = runtime().made_array(handle);
  together(range, [&] {
    const Box own = held(bin, bin.me);
    const Values first = values_of(offsets, 0, offsets.extents[0]);
    const Values count = values_of(counts, 0, counts.extents[0]);
    std::int64_t least = -1, most = -1;
    for (std::size_t b = 0; b < first.size(); ++b) {
      if (count[b] == 0 || first[b] >= own.end[0] || first[b] + count[b] <= own.first[0]) continue;
      if (least < 0) least = static_cast<std::int64_t>(b) + 1;
      most = static_cast<std::int64_t>(b) + 1;
    }
    const bool is_wide = range.kind.bytes == sizeof(std::int64_t);
    std::int64_t wide[] = {least, most};
    std::int32_t narrow[] = {static_cast<std::int32_t>(least), static_cast<std::int32_t>(most)};
    Box box{.axes = 2};
    box.end[0] = 2;
    box.first[1] = range.me;
    box.end[1] = range.me + 1;
    garray::put(runtime(), range, box,
                {is_wide ? static_cast<void*>(wide) : static_cast<void*>(narrow), {1, 2}});
  });
  return handle;
}

}  // namespace blockyard::ga::fortran
