// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/transform_task.h"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "blockyard/blas/router/whole_run.h"
#include "blockyard/device/abi_kinds.h"
#include "blockyard/remote/client/client.h"

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

/// Lets a server plan while data are sent. False: it is known that it cannot.
bool plan_ahead(blockyard_operation operation, device::Device& device) {
  operation.flags |= remote::plan_ahead;
  return device.open_plan(operation).has_value();
}

/// The walks of an array, and its elements as those of a device.
struct Layer {
  std::vector<std::int64_t> extents, strides;
  std::int64_t count = 1;
  [[nodiscard]] bool is_dense() const noexcept {
    std::int64_t next = 1;
    for (std::size_t k = 0; k < extents.size(); next *= extents[k++])
      if (strides[k] != next) return false;
    return true;
  }
};

/// A transform in elements T of a device: numbers of type Real, or pairs of them.
template <class T, class Real>
class Task final : public TransformRun {
 public:
  explicit Task(Transform transform)
      : transform_(std::move(transform)),
        walks_(walks_of(transform_)),
        in_(layer(false)),
        out_(layer(true)) {}

  [[nodiscard]] blockyard_operation operation() const;
  [[nodiscard]] bool start(const Arrays& arrays, const On& on);
  [[nodiscard]] bool finish() override;

 private:
  static constexpr std::int64_t parts = sizeof(std::complex<Real>) / sizeof(T);

  [[nodiscard]] Layer layer(bool is_out) const {
    Layer made;
    made.count = (is_out ? transform_.is_real_out() : transform_.is_real_in()) ? 1 : parts;
    for (const Walk& walk : walks_) {
      made.extents.push_back(is_out ? walk.out : walk.in);
      made.strides.push_back(is_out ? walk.out_stride : walk.in_stride);
      made.count *= made.extents.back();
    }
    return made;
  }

  Transform transform_;
  std::vector<Walk> walks_;
  Layer in_, out_;
  Arrays arrays_;
  std::optional<WholeRun<T>> run_;
  const std::vector<T>* found_ = nullptr;
};

template <class T, class Real>
blockyard_operation Task<T, Real>::operation() const {
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = BLOCKYARD_FFT;
  operation.element = element<T>;
  operation.flags = transform_.is_backward ? std::uint32_t{blockyard_backward} : 0U;
  const bool tells_parts = parts == 2;  // of an array that is complex, to elements that are real
  operation.left = operand_of(walks_, false, tells_parts && !transform_.is_real_in());
  operation.result = operand_of(walks_, true, tells_parts && !transform_.is_real_out());
  operation.right.order = static_cast<std::uint32_t>(transform_.transformed.size());
  for (std::uint32_t k = 0; k < operation.right.order; ++k) {  // the halved one first
    const std::uint32_t axis = operation.right.order - 1 - k;
    operation.right.name[k] = static_cast<std::int32_t>(axis);
    operation.right.extent[k] =
        transform_.sort == Sort::r2r ? transform_.kinds[axis] + blockyard_first_real_transform : 1;
  }
  return operation;
}

/// The device plans while data are sent.
template <class T, class Real>
bool Task<T, Real>::start(const Arrays& arrays, const On& on) {
  const blockyard_operation planned = operation();
  arrays_ = arrays;
  WholeRun<T>& run = run_.emplace(on);
  const auto result = run.make(out_.count), left = run.make(in_.count);
  if (!plan_ahead(planned, on.device)) return false;
  const auto from = parts_of<const Real>(arrays.in, arrays.in_imaginary, transform_.is_real_in());
  // Parts that lie apart may overlap, and look like pairs: it goes by how they were given.
  if (in_.is_dense() && arrays.in_imaginary == nullptr) {
    run.send(left, {reinterpret_cast<const T*>(from.real), static_cast<std::size_t>(in_.count)});
  } else {
    std::vector<T> packed(static_cast<std::size_t>(in_.count));
    gather(in_.extents, in_.strides, from, reinterpret_cast<Real*>(packed.data()));
    run.send(left, std::move(packed));
  }
  run.run(planned, result, left, {}, T(1));
  found_ = &run.fetch(result);
  return true;
}

template <class T, class Real>
bool Task<T, Real>::finish() {
  if (!run_->synchronise()) return false;
  scatter(out_.extents, out_.strides, reinterpret_cast<const Real*>(found_->data()),
          parts_of<Real>(arrays_.out, arrays_.out_imaginary, transform_.is_real_out()));
  return true;
}

template <class T, class Real>
std::unique_ptr<TransformRun> started(const Transform& transform, const Arrays& arrays,
                                      const On& on) {
  auto task = std::make_unique<Task<T, Real>>(transform);
  if (!task->start(arrays, on)) return nullptr;
  return task;
}

}  // namespace

template <class Real>
void prepare(const Transform& transform, device::Device& device) {
  static_cast<void>(plan_ahead(transform.sort == Sort::c2c
                                   ? Task<std::complex<Real>, Real>(transform).operation()
                                   : Task<Real, Real>(transform).operation(),
                               device));
}

template <class Real>
std::unique_ptr<TransformRun> start_there(const Transform& transform, const Arrays& arrays,
                                          const On& on) {
  if (transform.sort == Sort::c2c) return started<std::complex<Real>, Real>(transform, arrays, on);
  return started<Real, Real>(transform, arrays, on);
}

template void prepare<float>(const Transform&, device::Device&);
template void prepare<double>(const Transform&, device::Device&);
template std::unique_ptr<TransformRun> start_there<float>(const Transform&, const Arrays&,
                                                          const On&);
template std::unique_ptr<TransformRun> start_there<double>(const Transform&, const Arrays&,
                                                           const On&);

}  // namespace blockyard::blas
