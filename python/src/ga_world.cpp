// SPDX-License-Identifier: Apache-2.0
// Ranks of global arrays: groups, collectives, locks, and how arrays begin and end.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "blockyard/base/error.h"
#include "blockyard/base/memory_left.h"
#include "blockyard/fabric/loopback/loopback_memory.h"
#include "blockyard/fabric/mpi/memory_of_processes.h"
#include "python/src/ga.h"

namespace blockyard::python {

using fabric::Element;
using fabric::Reduction;

garray::Array* GaWorld::collect(int group,
                                const std::function<bool(const garray::Array&)>& is_wanted) {
  auto& all = arrays_[group];
  std::vector<std::int32_t> is_gone(all.size() + 1);
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < all.size(); ++i)
      is_gone[i + 1] = buried_.contains(all[i]->handle) ? 1 : 0;
  }
  // First whether every member has something at all: mostly not.
  is_gone[0] = std::find(is_gone.begin() + 1, is_gone.end(), 1) != is_gone.end() ? 1 : 0;
  const fabric::Group members = runtime.team(group).group;
  runtime.memory().reduce(members, Element::i32, Reduction::min, is_gone.data(), 1);
  if (is_gone[0] == 0) return nullptr;
  runtime.memory().reduce(members, Element::i32, Reduction::min, is_gone.data() + 1, all.size());
  std::vector<garray::Array*> left;
  garray::Array* kept = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_gone[i + 1] == 0) {
      left.push_back(all[i]);
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      buried_.erase(all[i]->handle);
    }
    if (kept == nullptr && is_wanted && is_wanted(*all[i])) {
      kept = all[i];
      continue;
    }
    runtime.deallocate(*all[i]);
    runtime.forget(*all[i]);
  }
  all = std::move(left);
  return kept;
}

namespace {

std::vector<std::shared_ptr<GaWorld>> alone(int ranks) {
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t all_addresses = std::size_t{1} << 46;
  std::vector<std::shared_ptr<GaWorld>> worlds;
  for (auto& memory : fabric::loopback_memories(
           ranks, std::min(machine, all_addresses / static_cast<std::size_t>(ranks))))
    worlds.push_back(std::make_shared<GaWorld>(std::move(memory)));
  return worlds;
}

/// communicator: the address of an MPI_Comm; 0: all processes. nodes: of each host, for tests.
std::shared_ptr<GaWorld> join(std::uintptr_t communicator, int nodes) {
  const nb::gil_scoped_release release;
  return std::make_shared<GaWorld>(
      fabric::memory_of_processes(reinterpret_cast<const void*>(communicator), nodes));
}

/// How Python wishes an array to lie; axes as in Python.
struct Wish {
  std::string form;
  Extents edges;
  std::vector<Extents> begins;
  Extents grid;
  Extents widths;
  std::vector<int> holders;
};

template <class List>
List in_order(List list, bool is_reversed) {
  if (is_reversed) std::reverse(list.begin(), list.end());
  return list;
}

garray::Layout layout_of(const Wish& wish, bool is_reversed) {
  using Form = garray::Layout::Form;
  constexpr std::array<std::pair<std::string_view, Form>, 6> forms = {
      {{"regular", Form::regular},
       {"irregular", Form::irregular},
       {"cyclic", Form::cyclic},
       {"scalapack", Form::matrix},
       {"tiled", Form::tiled},
       {"tiled_irregular", Form::tiled_irregular}}};
  garray::Layout layout;
  const auto* found = std::find_if(forms.begin(), forms.end(),
                                   [&](const auto& form) { return form.first == wish.form; });
  base::require(found != forms.end(), "the layout is known");
  layout.form = found->second;
  layout.edges = in_order(wish.edges, is_reversed);
  layout.begins = in_order(wish.begins, is_reversed);
  layout.grid = in_order(wish.grid, is_reversed);
  layout.widths = in_order(wish.widths, is_reversed);
  layout.holders = wish.holders;
  return layout;
}

garray::Kind kind_of(int element, std::size_t bytes) {
  constexpr std::array<int, 6> codes = {1001, 1002, 1003, 1004, 1006, 1007};
  if (element < 0) return {garray::first_user_kind, bytes, std::nullopt};
  return {codes.at(static_cast<std::size_t>(element)), bytes, static_cast<Element>(element)};
}

bool is_same(const garray::Layout& a, const garray::Layout& b) {
  const auto fields = [](const garray::Layout& layout) {
    return std::tie(layout.form, layout.edges, layout.begins, layout.grid, layout.widths,
                    layout.holders);
  };
  return fields(a) == fields(b);
}

/// Collective. element: of fabric::Element, or -1. Temporaries of an expression follow each other
/// in the same memory.
GaArray make_array(const std::shared_ptr<GaWorld>& self, int group, const std::string& name,
                   const Extents& shape, bool is_reversed, int element, std::size_t bytes,
                   const Wish& wish) {
  const nb::gil_scoped_release release;
  const Extents extents = in_order(shape, is_reversed);
  const garray::Layout layout = layout_of(wish, is_reversed);
  garray::Runtime& runtime = self->runtime;
  garray::Array* array = self->collect(group, [&](const garray::Array& old) {
    return old.extents == extents && old.kind.bytes == bytes && is_same(old.layout, layout);
  });
  if (array == nullptr) {
    array = &runtime.new_array();
    array->group = group;
    array->extents = extents;
    array->layout = layout;
  }
  array->name = name;
  array->kind = kind_of(element, bytes);
  try {
    if (!array->is_made) runtime.allocate(*array);
  } catch (...) {
    runtime.forget(*array);
    throw;
  }
  self->note(*array);
  return {std::make_shared<GaHeld>(self, *array), is_reversed};
}

void sync(GaWorld& self, int group, const std::string& what) {
  const nb::gil_scoped_release release;
  self.runtime.sync(group, {std::hash<std::string>{}(what) | 1U, what});
}

void broadcast(GaWorld& self, int group, const nb::object& values, int member) {
  const PyMemory memory(values, PyMemory::Use::write);
  const nb::gil_scoped_release release;
  self.runtime.memory().broadcast(self.group(group), {memory.data(), memory.bytes()}, member);
}

void reduce(GaWorld& self, int group, int element, int reduction, const nb::object& values) {
  const PyMemory memory(values, PyMemory::Use::write);
  const nb::gil_scoped_release release;
  const auto type = static_cast<Element>(element);
  self.runtime.memory().fence(-1);  // a collective ends so: what it has put has arrived
  self.runtime.memory().reduce(self.group(group), type, static_cast<Reduction>(reduction),
                               memory.data(), memory.bytes() / fabric::size_of(type));
}

/// Locks, and the rank that they belong to.
struct GaLocks {
  std::shared_ptr<GaWorld> world;  // shared: it lives as long
  garray::Locks locks;
};

}  // namespace

void bind_ga_world(nb::module_& module) {
  nb::class_<Wish>(module, "GaWish")
      .def(nb::init<>())
      .def_rw("form", &Wish::form)
      .def_rw("edges", &Wish::edges)
      .def_rw("begins", &Wish::begins)
      .def_rw("grid", &Wish::grid)
      .def_rw("widths", &Wish::widths)
      .def_rw("holders", &Wish::holders);
  nb::class_<GaWorld>(module, "GaWorld")
      .def_prop_ro("rank", [](const GaWorld& self) { return self.runtime.memory().rank(); })
      .def_prop_ro("size", [](const GaWorld& self) { return self.runtime.memory().size(); })
      .def("node_of",
           [](const GaWorld& self, int rank) { return self.runtime.memory().node_of(rank); })
      .def("make_group",
           [](GaWorld& self, int parent, const std::vector<int>& members) {
             const nb::gil_scoped_release release;
             return self.runtime.make_group(parent, members);
           })
      .def("end_group",
           [](GaWorld& self, int group) {
             const nb::gil_scoped_release release;
             self.collect(group);
             self.runtime.end_group(group);
           })
      .def("ranks_of",
           [](const GaWorld& self, int group) { return self.runtime.roster(group).ranks; })
      .def("sync", &sync)
      .def("broadcast", &broadcast)
      .def("reduce", &reduce)
      .def("collect",
           [](GaWorld& self, int group) {
             const nb::gil_scoped_release release;
             self.collect(group);
           })
      .def_prop_ro("held_bytes", [](const GaWorld& self) { return self.runtime.held_bytes(); })
      .def("end",
           [](GaWorld& self) {
             const nb::gil_scoped_release release;
             self.runtime.end();
           })
      .def("abort",
           [](GaWorld& self, const std::string& cause) { self.runtime.memory().abort(cause); });
  module.def("ga_make", &make_array);
  module.def("ga_alone", &alone);
  module.def("ga_join", &join);
  module.def("memory_left", [] {
    const auto left = base::memory_left();
    return std::make_tuple(left.bytes, left.limit);
  });
  nb::class_<GaLocks>(module, "GaLocks")
      .def("lock",
           [](GaLocks& self, int number) {
             const nb::gil_scoped_release release;
             self.locks.lock(number);
           })
      .def("unlock", [](GaLocks& self, int number) {
        const nb::gil_scoped_release release;
        self.locks.unlock(number);
      });
  module.def("ga_locks", [](const std::shared_ptr<GaWorld>& world, int count) {
    const nb::gil_scoped_release release;
    return std::make_shared<GaLocks>(GaLocks{world, garray::Locks(world->runtime, count)});
  });
}

}  // namespace blockyard::python
