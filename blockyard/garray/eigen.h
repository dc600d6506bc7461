// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>

#include "blockyard/base/integer.h"

namespace blockyard::garray {

/// Solves A v = w v, or A v = w S v where `metric` is not null, by LAPACK on this rank.
/// matrix   n x n, its lower triangle; becomes the eigenvectors, by columns
/// metric   n x n, its lower triangle, positive definite; overwritten
/// values   n, rising
/// Returns `info` of dsyevd and dsygvd: above n, the minor info - n of the metric is not positive.
/// Divide and conquer wants a workspace of about 2 n^2 numbers. Where these are more than
/// `longest`, QR steps do it more slowly, in some n numbers: LAPACK takes the length as an int.
int eigenvectors(int n, double* matrix, double* metric, double* values,
                 base::Extent longest = INT32_MAX);
/// The same of a Hermitian matrix.
int eigenvectors(int n, std::complex<double>* matrix, double* values,
                 base::Extent longest = INT32_MAX);

}  // namespace blockyard::garray
