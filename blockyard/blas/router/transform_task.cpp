// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/transform_task.h"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "blockyard/blas/router/whole_run.h"
#include "blockyard/device/abi_kinds.h"

namespace blockyard::blas {

namespace {

using Sort = Transform::Sort;

/// An index of the dense copies.
struct Walk {
  std::int64_t in, out;  ///< extents
  std::int64_t in_stride, out_stride;
  std::int32_t name;
};

/// All axes, those that are nearest in memory first; names of transformed ones are their places.
std::vector<Walk> walks_of(const Transform& transform) {
  std::vector<Walk> all;
  std::int32_t name = 0;
  for (const Axis& axis : transform.transformed) {
    const bool has_half = transform.sort == Sort::r2c || transform.sort == Sort::c2r;
    const bool is_halved = has_half && &axis == &transform.transformed.back();
    const std::int64_t half = is_halved ? axis.n / 2 + 1 : axis.n;
    all.push_back({transform.sort == Sort::c2r ? half : axis.n,
                   transform.sort == Sort::r2c ? half : axis.n, axis.in_stride, axis.out_stride,
                   name++});
  }
  for (const Axis& axis : transform.batch)
    all.push_back({axis.n, axis.n, axis.in_stride, axis.out_stride, name++});
  std::ranges::stable_sort(all, {}, [](const Walk& walk) { return std::abs(walk.in_stride); });
  return all;
}

/// Calls body(place in memory, place in the dense copy) for each element.
template <class Body>
void visit(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides,
           Body body) {
  std::vector<std::int64_t> at(extents.size());
  std::int64_t place = 0, dense = 0;
  for (;;) {
    for (std::int64_t i = 0; i < extents[0]; ++i) body(place + i * strides[0], dense++);
    std::size_t k = 1;
    for (; k < extents.size(); ++k) {
      place += strides[k];
      if (++at[k] < extents[k]) break;
      place -= extents[k] * strides[k];
      at[k] = 0;
    }
    if (k >= extents.size()) return;
  }
}

/// To a dense copy, complex numbers as pairs.
template <class Real>
void gather(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides,
            const Parts<const Real>& from, Real* to) {
  if (from.imaginary == nullptr)
    return visit(extents, strides,
                 [&](std::int64_t place, std::int64_t dense) { to[dense] = from.real[place]; });
  visit(extents, strides, [&](std::int64_t place, std::int64_t dense) {
    to[2 * dense] = from.real[place * from.step];
    to[2 * dense + 1] = from.imaginary[place * from.step];
  });
}
template <class Real>
void scatter(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides,
             const Real* from, const Parts<Real>& to) {
  if (to.imaginary == nullptr)
    return visit(extents, strides,
                 [&](std::int64_t place, std::int64_t dense) { to.real[place] = from[dense]; });
  visit(extents, strides, [&](std::int64_t place, std::int64_t dense) {
    to.real[place * to.step] = from[2 * dense];
    to.imaginary[place * to.step] = from[2 * dense + 1];
  });
}

/// With an index of parts in front where an array of complex numbers is told in real ones.
blockyard_operand operand_of(const std::vector<Walk>& walks, bool is_out, bool has_parts) {
  blockyard_operand made{};
  if (has_parts) {
    made.name[0] = blockyard_parts;
    made.extent[0] = 2;
    made.order = 1;
  }
  for (const Walk& walk : walks) {
    made.name[made.order] = walk.name;
    made.extent[made.order++] = is_out ? walk.out : walk.in;
  }
  return made;
}

template <class T, class Real>
bool compute_as(const Transform& transform, const Arrays& arrays, device::Device& device) {
  constexpr std::int64_t parts = sizeof(std::complex<Real>) / sizeof(T);
  const bool is_real_in = transform.is_real_in(), is_real_out = transform.is_real_out();
  const std::vector<Walk> walks = walks_of(transform);
  std::vector<std::int64_t> in_extents, in_strides, out_extents, out_strides;
  std::int64_t in_count = is_real_in ? 1 : parts, out_count = is_real_out ? 1 : parts;
  for (const Walk& walk : walks) {
    in_extents.push_back(walk.in), in_strides.push_back(walk.in_stride);
    out_extents.push_back(walk.out), out_strides.push_back(walk.out_stride);
    in_count *= walk.in, out_count *= walk.out;
  }
  WholeRun<T> run(device);
  std::vector<T> packed(static_cast<std::size_t>(in_count));
  gather(in_extents, in_strides, parts_of<const Real>(arrays.in, arrays.in_imaginary, is_real_in),
         reinterpret_cast<Real*>(packed.data()));
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = BLOCKYARD_FFT;
  operation.element = element<T>;
  operation.flags = transform.is_backward ? std::uint32_t{blockyard_backward} : 0U;
  const bool tells_parts = parts == 2;  // of an array that is complex, to elements that are real
  operation.left = operand_of(walks, false, tells_parts && !is_real_in);
  operation.result = operand_of(walks, true, tells_parts && !is_real_out);
  operation.right.order = static_cast<std::uint32_t>(transform.transformed.size());
  for (std::uint32_t k = 0; k < operation.right.order; ++k) {  // the halved one first
    const std::uint32_t axis = operation.right.order - 1 - k;
    operation.right.name[k] = static_cast<std::int32_t>(axis);
    operation.right.extent[k] =
        transform.sort == Sort::r2r ? transform.kinds[axis] + blockyard_first_real_transform : 1;
  }
  if (!run.can(operation)) return false;
  const auto left = run.send(std::move(packed)), result = run.make(out_count);
  run.run(operation, result, left, {}, T(1));
  const std::vector<T>& found = run.fetch(result);
  if (!run.synchronise()) return false;
  scatter(out_extents, out_strides, reinterpret_cast<const Real*>(found.data()),
          parts_of<Real>(arrays.out, arrays.out_imaginary, is_real_out));
  return true;
}

}  // namespace

template <class Real>
bool compute_there(const Transform& transform, const Arrays& arrays, device::Device& device) {
  if (transform.sort == Sort::c2c)
    return compute_as<std::complex<Real>, Real>(transform, arrays, device);
  return compute_as<Real, Real>(transform, arrays, device);
}

template bool compute_there<float>(const Transform&, const Arrays&, device::Device&);
template bool compute_there<double>(const Transform&, const Arrays&, device::Device&);

}  // namespace blockyard::blas
