// SPDX-License-Identifier: Apache-2.0
#include "bench/opencl/loops.h"

#include <algorithm>
#include <cmath>

namespace blockyard::bench {

namespace {

std::complex<double> wave(const float* k, const float* x) {
  double angle = 0;
  for (int axis = 0; axis < 3; ++axis)
    angle += static_cast<double>(k[axis]) * static_cast<double>(x[axis]);
  return std::polar(1.0, 2 * 3.14159265358979 * angle);
}

}  // namespace

double coulomb_potential(const float* atoms, int count, int point, int width) {
  const double x = 0.1 * (point % width), y = 0.1 * (point / width);
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    const double dx = x - static_cast<double>(atoms[4 * k]),
                 dy = y - static_cast<double>(atoms[4 * k + 1]),
                 dz = static_cast<double>(atoms[4 * k + 2]);
    sum += static_cast<double>(atoms[4 * k + 3]) / std::sqrt(dx * dx + dy * dy + dz * dz);
  }
  return sum;
}

std::complex<double> mri_q(const float* samples, int count, const float* at) {
  std::complex<double> sum = 0;
  for (int k = 0; k < count; ++k)
    sum += static_cast<double>(samples[4 * k + 3]) * wave(samples + 4 * k, at);
  return sum;
}

std::complex<double> mri_fhd(const float* samples, int count, const float* at) {
  std::complex<double> sum = 0;
  for (int k = 0; k < count; ++k) {
    const float* const s = samples + 5 * k;
    sum += std::complex<double>(s[3], s[4]) * wave(s, at);
  }
  return sum;
}

double binomial_option(double price, int leaves) {
  const int steps = leaves - 1;
  const double up = std::exp(0.3 * std::sqrt(1.0 / steps));
  const double rise = (std::exp(0.02 / steps) - 1 / up) / (up - 1 / up),
               discount = std::exp(-0.02 / steps);
  std::vector<double> x;
  for (int i = 0; i < leaves; ++i)
    x.push_back(std::max(price * std::pow(up, 2 * i - steps) - 1, 0.0));
  for (int left = steps; left > 0; --left)
    for (std::size_t i = 0; i < static_cast<std::size_t>(left); ++i)
      x[i] = discount * (rise * x[i + 1] + (1 - rise) * x[i]);
  return x[0];
}

}  // namespace blockyard::bench
