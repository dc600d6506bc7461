// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/eigen.h"

#include <vector>

#include "blockyard/garray/lapack.h"

namespace blockyard::garray {

namespace {

using base::Extent;
using base::to_int;

/// What QR steps need for a tridiagonal form by blocks of up to 64 columns.
Extent short_length(int n) noexcept { return Extent{66} * n + 1; }

template <class T>
std::vector<T> room_for(Extent length) {
  return std::vector<T>(static_cast<std::size_t>(length));
}

}  // namespace

int eigenvectors(int n, double* matrix, double* metric, double* values, Extent longest) {
  const Extent order = n, wanted = 1 + 6 * order + 2 * order * order;
  const bool is_divided = wanted <= longest;
  const int length = to_int(is_divided ? wanted : short_length(n)),
            integers = to_int(3 + 5 * order);
  const int kind = 1;
  int info = 0;
  auto work = room_for<double>(length);
  if (!is_divided) {
    if (metric != nullptr)
      dsygv_(&kind, "V", "L", &n, matrix, &n, metric, &n, values, work.data(), &length, &info);
    else
      dsyev_("V", "L", &n, matrix, &n, values, work.data(), &length, &info);
    return info;
  }
  auto iwork = room_for<int>(integers);
  if (metric != nullptr)
    dsygvd_(&kind, "V", "L", &n, matrix, &n, metric, &n, values, work.data(), &length, iwork.data(),
            &integers, &info);
  else
    dsyevd_("V", "L", &n, matrix, &n, values, work.data(), &length, iwork.data(), &integers, &info);
  return info;
}

int eigenvectors(int n, std::complex<double>* matrix, double* values, Extent longest) {
  const Extent order = n, reals_wanted = 1 + 5 * order + 2 * order * order;
  const bool is_divided = reals_wanted <= longest;
  const int length = to_int(is_divided ? 2 * order + order * order : short_length(n)),
            reals = to_int(is_divided ? reals_wanted : 3 * order), integers = to_int(3 + 5 * order);
  int info = 0;
  auto work = room_for<std::complex<double>>(length);
  auto rwork = room_for<double>(reals);
  if (!is_divided) {
    zheev_("V", "L", &n, matrix, &n, values, work.data(), &length, rwork.data(), &info);
    return info;
  }
  auto iwork = room_for<int>(integers);
  zheevd_("V", "L", &n, matrix, &n, values, work.data(), &length, rwork.data(), &reals,
          iwork.data(), &integers, &info);
  return info;
}

}  // namespace blockyard::garray
