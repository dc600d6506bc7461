// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace blockyard::bench {

/// The programs of published_kernels.h in C++: what results are compared with.
[[nodiscard]] double coulomb_potential(const float* atoms, int count, int point, int width);
[[nodiscard]] std::complex<double> mri_q(const float* samples, int count, const float* at);
[[nodiscard]] std::complex<double> mri_fhd(const float* samples, int count, const float* at);
[[nodiscard]] double binomial_option(double price, int leaves);

/// out = a b b b b b b, one multiplication after the other; with `omp simd` and without.
void six_times(const float* a, const float* b, float* out, std::size_t begin, std::size_t end);
void six_times_simd(const float* a, const float* b, float* out, std::size_t begin, std::size_t end);

/// Prints a line of a figure: figure, row, column, seconds, times faster, published.
using Print = std::function<void(const std::string&, const std::string&, const std::string&, double,
                                 double, const std::string&)>;

/// Seconds of each kind of call of a small program, and its share. The driver's own cache may have
/// the program.
void print_api_costs(const Print& print, const std::vector<float>& numbers);

}  // namespace blockyard::bench
