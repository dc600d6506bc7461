// SPDX-License-Identifier: Apache-2.0
// Sparse data on arrays of one axis, ghost cells and mirrored arrays.
#include <fmt/format.h>
#include <ga_calls.h>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/reach.h"
#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/ghosts.h"
#include "blockyard/garray/line.h"
#include "blockyard/garray/mirror.h"

namespace blockyard::ga::calls {

namespace {

using garray::Range;
using garray::refuse;

Array& made(int handle) { return runtime().made_array(handle); }

void note_update(const Array& array) {
  if (edge().checks) edge().checks->ghosts_updated(array);
}

/// Of the caller's ends, both of which belong to it.
Range range(std::int64_t lo, std::int64_t hi) {
  return {lo - tongue().first(), hi - tongue().first() + 1};
}

}  // namespace

void patch_enum(int g_a, std::int64_t lo, std::int64_t hi, void* start, void* inc) {
  together(made(g_a), [&] { garray::enumerate(made(g_a), range(lo, hi), start, inc); });
}
void scan_copy(int g_a, int g_b, int g_sbit, std::int64_t lo, std::int64_t hi) {
  together(made(g_b), [&] {
    garray::scan_copy(runtime(), made(g_a), made(g_b), made(g_sbit), range(lo, hi));
  });
}
void scan_add(int g_a, int g_b, int g_sbit, std::int64_t lo, std::int64_t hi, int excl) {
  together(made(g_b), [&] {
    garray::scan_add(runtime(), made(g_a), made(g_b), made(g_sbit), range(lo, hi), excl != 0);
  });
}
void pack(int g_src, int g_dest, int g_mask, std::int64_t lo, std::int64_t hi, Ints icount) {
  icount.set(0, together(made(g_dest), [&] {
               return garray::pack(runtime(), made(g_src), made(g_dest), made(g_mask),
                                   range(lo, hi));
             }));
}
void unpack(int g_src, int g_dest, int g_mask, std::int64_t lo, std::int64_t hi, Ints icount) {
  icount.set(0, together(made(g_dest), [&] {
               return garray::unpack(runtime(), made(g_src), made(g_dest), made(g_mask),
                                     range(lo, hi));
             }));
}

void set_ghost_corner_flag(int g_a, int flag) { runtime().array(g_a).keeps_corners = flag == 0; }
void update_ghosts(int g_a) {
  together(made(g_a), [&] {
    garray::update_ghosts(runtime(), made(g_a));
    note_update(made(g_a));
  });
}
int update_ghost_dir(int g_a, int dimension, int idir, int flag) {
  const Array& array = made(g_a);
  // Unlike other calls, this one counts from the last axis in C.
  const Extent first = tongue().first(), last = first + static_cast<Extent>(array.axes()) - 1;
  if (dimension < first || dimension > last)
    refuse(array, fmt::format("dimension = {} is outside {}..{}", dimension, first, last));
  together(array, [&] {
    garray::update_ghosts(runtime(), array, static_cast<std::size_t>(dimension - first),
                          idir < 0 ? -1 : 1, flag != 0);
    note_update(array);
  });
  return 1;
}
void update_ghosts_nb(int g_a, Ints nbhandle) {
  garray::Pending pending;
  garray::update_ghosts(runtime(), made(g_a), &pending);
  note_update(made(g_a));
  nbhandle.set(0, keep_pending(std::move(pending)));
}
void nbget_ghost_dir(int g_a, Ints mask, Ints handle) {
  const Array& array = made(g_a);
  garray::Side side{};
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const std::size_t axis = tongue().axis(d, array.axes());
    if (mask[axis] < -1 || mask[axis] > 1)
      refuse(array,
             fmt::format("{} = {} is not -1, 0 or 1", tongue().element("mask", axis), mask[axis]));
    side[d] = static_cast<int>(mask[axis]);
  }
  garray::Pending pending;
  garray::update_side(runtime(), array, side, &pending);
  note_update(array);
  handle.set(0, keep_pending(std::move(pending)));
}
void get_ghost_block(int g_a, Ints lo, Ints hi, void* buf, Ints ld) {
  const Array& array = made(g_a);
  const Box box = wide_box_of(tongue(), array, lo, hi);
  if (edge().checks) edge().checks->ghosts_read(array);
  garray::get_padded(runtime(), array, box, local_of(tongue(), array, box, buf, ld));
}

void merge_mirrored(int g_a) {
  const Array& array = made(g_a);
  if (array.group != garray::mirror_group) refuse(array, "is not a mirrored array");
  runtime().collective(garray::world_group, Met().meeting(),
                       [&] { garray::merge(runtime(), array); });
}
void merge_distr_patch(int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi) {
  const Array &a = made(g_a), &b = made(g_b);
  const garray::Patch from{a, box_of(tongue(), a, alo, ahi, "alo", "ahi")};
  const garray::Patch to{b, box_of(tongue(), b, blo, bhi, "blo", "bhi")};
  together(b, [&] { garray::merge(runtime(), from, to); });
}

}  // namespace blockyard::ga::calls
