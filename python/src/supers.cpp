// SPDX-License-Identifier: Apache-2.0
// Super instructions in Python: a function of NumPy views of its operands.
#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

using base::Errc;
using base::Error;

template <class T>
nb::object view_of(const super::Operand& operand) {
  const std::vector<std::size_t> shape(operand.extents.begin(), operand.extents.end());
  const auto order = shape.size();
  std::vector<std::int64_t> strides(order);
  std::int64_t stride = 1;
  for (std::size_t k = 0; k < order; ++k) {
    strides[k] = stride;
    stride *= operand.extents[k];
  }
  // An owner, so that nanobind makes a view and no copy; what it shows lives as long as the call.
  const nb::object owner = nb::none();
  T* const data = operand.as<T>().data();
  if (operand.access == super::Access::read)
    return nb::cast(
        nb::ndarray<nb::numpy, const T>(data, order, shape.data(), owner, strides.data()),
        nb::rv_policy::reference);
  return nb::cast(nb::ndarray<nb::numpy, T>(data, order, shape.data(), owner, strides.data()),
                  nb::rv_policy::reference);
}

/// A scalar that is only read is a float or a complex; one that is written is an array of order 0.
nb::object argument_of(const super::Operand& operand) {
  return array::with_type(operand.type, [&]<class T>() -> nb::object {
    if (!operand.extents.empty() || operand.access != super::Access::read)
      return view_of<T>(operand);
    const T value = operand.as<T>()[0];
    if constexpr (array::is_complex(array::element_type_of<T>))
      return nb::cast(std::complex<double>(value));
    else
      return nb::float_(static_cast<double>(value));
  });
}

void call(const std::string& name, const nb::object& function, std::span<super::Operand> operands,
          const super::Context& context, Inside& inside) {
  nb::list views;
  for (const super::Operand& operand : operands) views.append(argument_of(operand));
  nb::list segments;
  for (const super::Operand& operand : operands)
    segments.append(
        nb::cast(std::vector<std::int64_t>(operand.segments.begin(), operand.segments.end())));
  inside.enter();
  try {
    function(views, segments, context.worker, context.workers);
  } catch (...) {
    inside.leave();
    throw;
  }
  inside.leave();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].extents.empty() && operands[k].access == super::Access::read) continue;
    // One reference is that of the list.
    const nb::object view = views[k];
    if (Py_REFCNT(view.ptr()) > 2)
      throw Error(
          Errc::bad_input,
          fmt::format("{} keeps its argument {} after the call, when the block no longer exists: "
                      "keep a copy (array.copy()) instead",
                      name, k + 1));
  }
}

}  // namespace

super::Entry make_super(const std::string& name, const std::string& signature,
                        const std::string& types, Shared function,
                        std::shared_ptr<FirstError> first_error, std::shared_ptr<Inside> inside) {
  const auto run = [name, function, first_error, inside](std::span<super::Operand> operands,
                                                         const super::Context& context) {
    const nb::gil_scoped_acquire gil;
    try {
      call(name, function.object(), operands, context, *inside);
    } catch (nb::python_error& error) {
      first_error->note(error);
      throw Error(Errc::bad_input, error.what());
    }
  };
  return {name, signature, run, {}, types};
}

}  // namespace blockyard::python
