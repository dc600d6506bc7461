// SPDX-License-Identifier: Apache-2.0
// Arrays given to a job and taken from it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "blockyard/array/grid.h"
#include "blockyard/base/error.h"
#include "blockyard/base/machine_limits.h"
#include "blockyard/base/text.h"
#include "blockyard/flow/bind.h"
#include "blockyard/tensor/permute.h"
#include "python/src/bindings.h"
#include "python/src/ga.h"
#include "python/src/prepared.h"

namespace blockyard::python {

namespace {

using base::Errc;
using base::Error;
using tensor::Shape;
using tensor::View;

using Segments = std::vector<std::vector<Extent>>;

/// An array of the first program, by name.
struct Found {
  program::ArrayKind kind;
  Segments segments;
  array::ElementType type = array::ElementType::f64;
};

Found find_array(const job::Job& job, const std::string& name) {
  const program::Program& program = job.steps.at(0).program;
  const flow::Tables tables = flow::bind(program, job.environment);
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    if (program.arrays[k].name != name) continue;
    const array::Grid& grid = tables.grids[k];
    Found found{program.arrays[k].kind, {}, program.arrays[k].type};
    for (std::size_t n = 0; n < grid.order(); ++n) found.segments.push_back(grid.axis(n).extents());
    return found;
  }
  throw Error(Errc::bad_input, fmt::format("the program has no array '{}'", name));
}

Extent sum(const std::vector<Extent>& extents) {
  return std::accumulate(extents.begin(), extents.end(), Extent{0});
}

template <class Array>
void require_extents(const std::string& name, const Array& array, const Segments& segments) {
  bool fits = array.ndim() == segments.size();
  for (std::size_t k = 0; fits && k < segments.size(); ++k)
    fits = static_cast<Extent>(array.shape(k)) == sum(segments[k]);
  if (fits) return;
  std::string wanted, given;
  for (const auto& extents : segments) wanted += fmt::format("{}, ", sum(extents));
  for (std::size_t k = 0; k < array.ndim(); ++k) given += fmt::format("{}, ", array.shape(k));
  throw Error(Errc::bad_input,
              fmt::format("array '{}' of the program has the shape ({}), the NumPy array has ({})",
                          name, wanted, given));
}

std::string_view dtype_name(array::ElementType type) {
  constexpr std::array<std::string_view, array::element_type_count> names = {
      "float64", "float32", "complex128", "complex64"};
  return names[static_cast<std::size_t>(type)];
}

/// Throws Error{bad_input} unless a NumPy array has elements that a program can have.
array::ElementType type_of(const std::string& name, const OutArray& array) {
  for (std::size_t k = 0; k < array::element_type_count; ++k) {
    const auto type = static_cast<array::ElementType>(k);
    if (array::with_type(type, [&]<class T>() { return array.dtype() == nb::dtype<T>(); }))
      return type;
  }
  throw Error(Errc::bad_input, fmt::format("what {} writes to has elements of a type that no array "
                                           "of a program has",
                                           name));
}

/// Throws Error{bad_input} unless what is to be written to has the type of the program's array.
void require_type(const std::string& name, const OutArray& array, array::ElementType type) {
  if (type_of(name, array) != type)
    throw Error(Errc::bad_input, fmt::format("array '{}' of the program has elements of type {}: "
                                             "the NumPy array must have the same",
                                             name, dtype_name(type)));
}

/// A label that no SIAL text can spell.
std::string label_of(const std::string& name) { return "python:" + name; }

/// The number of what the first program restores from a label; -1 if there is none.
std::int32_t restored(const PyJob& self, program::Opcode opcode, const std::string& label) {
  const program::Program& program = self.job.steps.at(0).program;
  for (const program::Instruction& code : program.code)
    if (code.opcode == opcode && program.texts[static_cast<std::size_t>(code.b)] == label)
      return code.a;
  return -1;
}

/// The array that the first program restores from a label; "" if there is none.
std::string restored_from(const PyJob& self, const std::string& label) {
  const std::int32_t array = restored(self, program::Opcode::restore_array, label);
  return array < 0 ? "" : self.job.steps.at(0).program.arrays[static_cast<std::size_t>(array)].name;
}

void give_scalar(PyJob& self, const std::string& label, double value) {
  if (restored(self, program::Opcode::restore_scalar, label) < 0)
    throw Error(Errc::bad_input,
                fmt::format("the program restores no scalar from label \"{}\"", label));
  self.job.embedding.kept.scalars[label] = {value, false};
}

[[noreturn]] void refuse_kind(const std::string& name) {
  throw Error(Errc::bad_input,
              fmt::format("array '{}' is neither static nor distributed nor served: it "
                          "cannot be given values from outside",
                          name));
}

/// given_label: what the program restores the array from; "": it begins with it.
void give(PyJob& self, const std::string& name, const std::string& given_label,
          const AnyArray& array, int file, std::uint64_t file_offset) {
  const Found found = find_array(self.job, name);
  require_extents(name, array, found.segments);
  const std::string label = given_label.empty() ? label_of(name) : given_label;
  const bool is_complex =
      array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex);
  if (is_complex && !array::is_complex(found.type))
    throw Error(
        Errc::bad_input,
        fmt::format("array '{}' of the program is real, the NumPy array is complex: declare "
                    "it 'complex', or give real and imaginary part",
                    name));
  server::Lent lent = lend(label, array, file, file_offset, found.segments, found.type);
  worker::Kept& kept = self.job.embedding.kept;
  if (found.kind == program::ArrayKind::static_) {
    const std::vector<Extent> extents(array.shape_ptr(), array.shape_ptr() + array.ndim());
    Segments whole;
    for (const Extent extent : extents) whole.push_back({extent});
    const bool is_pair = array::is_complex(found.type);
    worker::DenseArray values{extents, {}, found.type};
    values.values.resize(static_cast<std::size_t>(Shape(extents).element_count()) *
                         (is_pair ? 2 : 1));
    lend(label, array, file, file_offset, whole, array::element_type(is_pair, false))
        .read(0, std::as_writable_bytes(std::span(values.values)));
    kept.arrays[label] = std::move(values);
  } else if (found.kind == program::ArrayKind::distributed ||
             found.kind == program::ArrayKind::served) {
    kept.distributed[label] = found.segments;
    kept.element_types[label] = found.type;
    self.job.embedding.lent.push_back(std::move(lent));
    self.lent.push_back(array);
  } else {
    refuse_kind(name);
  }
  if (given_label.empty()) self.job.environment.restored[name] = label;
}

/// As give, for an array of this shape that a function fills block by block.
void give_blocks(PyJob& self, const std::string& name, const std::string& given_label,
                 const std::vector<Extent>& shape, const nb::object& fill) {
  const Found found = find_array(self.job, name);
  std::vector<Extent> wanted;
  for (const auto& extents : found.segments) wanted.push_back(sum(extents));
  if (wanted != shape)
    throw Error(
        Errc::bad_input,
        fmt::format("array '{}' of the program has the shape ({}), the given array has ({})", name,
                    fmt::join(wanted, ", "), fmt::join(shape, ", ")));
  if (found.kind != program::ArrayKind::distributed && found.kind != program::ArrayKind::served)
    refuse_kind(name);
  const std::string label = given_label.empty() ? label_of(name) : given_label;
  worker::Kept& kept = self.job.embedding.kept;
  kept.distributed[label] = found.segments;
  kept.element_types[label] = found.type;
  self.job.embedding.lent.push_back(ask(label, fill, found.segments, found.type, self.first_error));
  if (given_label.empty()) self.job.environment.restored[name] = label;
}

/// The array is kept alive by what the result holds.
job::GlobalArray global_array(const GaArray& array) {
  return {array.runtime(), array.array(), array.is_reversed, array.held};
}

/// Static arrays are doubles in memory, also where their type is single.
worker::DenseArray dense_copy(const job::GlobalArray& array, const Found& found,
                              const server::Lent& lent) {
  worker::DenseArray values{{}, {}, found.type};
  for (const auto& extents : found.segments) values.extents.push_back(sum(extents));
  values.values.resize(static_cast<std::size_t>(array.array.whole().element_count()) *
                       (array::is_complex(found.type) ? 2 : 1));
  if (!array::is_single(found.type)) {
    lent.read(0, std::as_writable_bytes(std::span(values.values)));
    return values;
  }
  std::vector<float> singles(values.values.size());
  lent.read(0, std::as_writable_bytes(std::span(singles)));
  std::copy(singles.begin(), singles.end(), values.values.begin());
  return values;
}

/// Blocks of a distributed or served array are lent where they lie dense, else copied when they are
/// wanted; a static array is a copy.
void give_global(PyJob& self, const std::string& name, const std::string& given_label,
                 const GaArray& given) {
  const Found found = find_array(self.job, name);
  const job::GlobalArray array = global_array(given);
  const std::string label = given_label.empty() ? label_of(name) : given_label;
  worker::Kept& kept = self.job.embedding.kept;
  if (found.kind == program::ArrayKind::static_) {
    Segments whole;
    for (const auto& extents : found.segments) whole.push_back({sum(extents)});
    const auto lent = job::lend(name, label, array, whole, found.type, self.exchanged);
    const nb::gil_scoped_release release;
    kept.arrays[label] = dense_copy(array, found, lent);
  } else if (found.kind == program::ArrayKind::distributed ||
             found.kind == program::ArrayKind::served) {
    self.job.embedding.lent.push_back(
        job::lend(name, label, array, found.segments, found.type, self.exchanged));
    kept.distributed[label] = found.segments;
    kept.element_types[label] = found.type;
  } else {
    refuse_kind(name);
  }
  if (given_label.empty()) self.job.environment.restored[name] = label;
}

/// Puts the elements of block `number`, as the program has them, to their place in an array of the
/// same type.
void copy_block(const OutArray& array, const array::Grid& grid, std::uint64_t number,
                std::span<const std::byte> values, array::ElementType type) {
  std::vector<std::int64_t> at(grid.order());
  grid.segments_of(number, at);
  std::vector<Extent> extents;
  std::vector<int> same(grid.order());
  std::iota(same.begin(), same.end(), 0);
  for (std::size_t k = 0; k < at.size(); ++k) extents.push_back(grid.extent(k, at[k]));
  array::with_type(type, [&]<class T>() {
    View<T> view{static_cast<T*>(array.data()), Shape(extents), {}};
    for (std::size_t k = 0; k < at.size(); ++k) {
      view.strides[k] = array.stride(k);
      view.data += grid.offset(k, at[k]) * array.stride(k);
    }
    tensor::transform<T>(
        T(1), View<const T>::dense(reinterpret_cast<const T*>(values.data()), view.shape), same,
        T(0), view);
  });
}

/// A super instruction that writes its one operand, a block, to its place in an array. `first`: of
/// the segments, index by index. Blocks do not overlap: any number of workers may call it.
void write_to(PyJob& self, const std::string& name, const OutArray& into,
              const std::vector<std::int64_t>& first, const Segments& segments) {
  require_extents(name, into, segments);
  const array::ElementType type = type_of(name, into);
  const auto write = [into, first, type, grid = array::grid_of(segments)](
                         std::span<super::Operand> operands, const super::Context&) {
    const super::Operand& block = operands[0];
    std::vector<std::int64_t> at(block.segments.begin(), block.segments.end());
    for (std::size_t k = 0; k < at.size(); ++k) at[k] -= first[k] - 1;
    copy_block(into, grid, grid.number_of(at), block.bytes(), type);
  };
  self.outputs.push_back(into);
  self.job.embedding.supers.push_back(
      {name, "r", write, {}, std::string(array::element_names[static_cast<std::size_t>(type)])});
}

void collect(PyJob& self, worker::Worker& worker) {
  for (auto& [name, kept] : self.kept) {
    const array::Grid grid = array::grid_of(kept.segments);
    worker.read_kept(kept.label, [&](std::uint64_t number, std::span<const std::byte> values) {
      copy_block(kept.into, grid, number, values, kept.type);
      kept.written.push_back(number);
    });
  }
  for (const PyJob::KeptGlobally& kept : self.kept_globally) {
    std::vector<char> is_written(kept.grid.block_count());
    worker.read_kept(kept.label, [&](std::uint64_t number, std::span<const std::byte> values) {
      job::store_block(kept.into, kept.grid, number, values);
      is_written[number] = 1;
    });
    for (std::uint64_t number = 0; number < is_written.size(); ++number)
      if (is_written[number] == 0) job::store_block(kept.into, kept.grid, number, {});
  }
}

/// Process 0 collects; the other processes keep the array without a place for it.
void keep(PyJob& self, const std::string& name, const std::optional<OutArray>& into) {
  Found found = find_array(self.job, name);
  const std::string label = label_of(name);
  self.job.environment.persistent[name] = label;
  if (!into) return;
  require_extents(name, *into, found.segments);
  require_type(name, *into, found.type);
  self.kept.insert_or_assign(name,
                             PyJob::Kept{label, *into, std::move(found.segments), {}, found.type});
  self.job.embedding.collect = [&self](worker::Worker& worker) { collect(self, worker); };
}

/// Every process says so; process 0 puts the blocks to their places after the last program.
void keep_global(PyJob& self, const std::string& name, const GaArray& into) {
  const Found found = find_array(self.job, name);
  const job::GlobalArray array = global_array(into);
  job::require_same(name, array, found.segments, found.type);
  const std::string label = label_of(name);
  self.job.environment.persistent[name] = label;
  self.kept_globally.push_back({label, array, array::grid_of(found.segments)});
  self.job.embedding.collect = [&self](worker::Worker& worker) { collect(self, worker); };
}

nb::tuple describe(const PyJob& self, const std::string& name) {
  const Found found = find_array(self.job, name);
  const bool is_static = found.kind == program::ArrayKind::static_;
  return nb::make_tuple(is_static, nb::cast(found.segments), std::string(dtype_name(found.type)));
}

}  // namespace

void bind_jobs(nb::module_& module) {
  nb::class_<PyJob>(module, "Job")
      .def_prop_ro("steps",
                   [](const PyJob& self) {
                     std::vector<std::string> names;
                     for (const job::Step& step : self.job.steps) names.push_back(step.name);
                     return names;
                   })
      .def_prop_ro("memory_bytes", [](const PyJob& self) { return self.job.memory.total_bytes; })
      .def("describe", &describe)
      .def("give", &give)
      .def("give_blocks", &give_blocks)
      .def("keep", &keep, nb::arg("name"), nb::arg("into").none())
      .def("give_global", &give_global)
      .def("give_scalar", &give_scalar)
      .def("restored_from", &restored_from)
      .def("keep_global", &keep_global)
      .def_prop_ro("exchanged",
                   [](const PyJob& self) {
                     return nb::make_tuple(self.exchanged->in_place.load(),
                                           self.exchanged->copied.load());
                   })
      .def("write_to", &write_to)
      .def_prop_ro("takes_checkpoints",
                   [](const PyJob& self) { return !self.job.run.checkpoint_folder.empty(); })
      .def("request_checkpoint", [](PyJob& self) { ++self.checkpoint_requests; })
      .def("reuse_memory", [](PyJob& self) { self.job.embedding.reuses_memory = true; })
      .def("written", [](const PyJob& self, const std::string& name) {
        const auto kept = self.kept.find(name);
        return kept == self.kept.end() ? std::vector<std::uint64_t>() : kept->second.written;
      });
  module.def("prepare", &prepare, nb::arg("spec"), nb::arg("places"), nb::arg("supers"),
             nb::arg("found"), nb::arg("processes").none());
  module.def("usable_cores", &base::usable_cores);
  module.def("memory_bytes", [](const std::string& text) {
    return text.empty() ? job::usual_memory(job::granted_memory(1)).bytes
                        : base::parse_bytes(text, "memory");
  });
}

}  // namespace blockyard::python
