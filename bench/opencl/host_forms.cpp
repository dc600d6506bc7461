// SPDX-License-Identifier: Apache-2.0
#include "bench/opencl/host_forms.h"

#include <cmath>

namespace blockyard::bench {
namespace {

constexpr int terms = 128;  ///< atoms, or samples
constexpr float two_pi = 6.2831853F;

float normal(float x) { return 0.5F * std::erfc(-x * 0.70710678F); }

void black_scholes(long first, long end, const float* a, float* out) {
  for (long i = first; i < end; ++i) {
    const float price = 0.5F + a[i], years = 1.25F - a[i], spread = 0.3F * std::sqrt(years);
    const float d = (std::log(price) + 0.065F * years) / spread;
    out[i] = price * normal(d) - std::exp(-0.02F * years) * normal(d - spread);
  }
}

void cp(long first, long end, const float* a, float* out) {
  for (long i = first; i < end; ++i) {
    const float x = 0.1F * static_cast<float>(i % 64), y = 0.1F * static_cast<float>(i / 64);
    float sum = 0;
    for (int k = 0; k < terms; ++k) {
      const float dx = x - a[4 * k], dy = y - a[4 * k + 1], dz = a[4 * k + 2];
      sum += a[4 * k + 3] / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
    out[i] = sum;
  }
}

float angle_of(const float* sample, const float* at) {
  return two_pi * (sample[0] * at[0] + sample[1] * at[1] + sample[2] * at[2]);
}

void mri_q(long first, long end, const float* a, float* out) {
  for (long i = first; i < end; ++i) {
    float re = 0, im = 0;
    for (int k = 0; k < terms; ++k) {
      const float angle = angle_of(a + 4 * k, a + 3 * i);
      re += a[4 * k + 3] * std::cos(angle);
      im += a[4 * k + 3] * std::sin(angle);
    }
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}

void mri_fhd(long first, long end, const float* a, float* out) {
  for (long i = first; i < end; ++i) {
    float re = 0, im = 0;
    for (int k = 0; k < terms; ++k) {
      const float* const s = a + 5 * k;
      const float angle = angle_of(s, a + 3 * i), c = std::cos(angle), d = std::sin(angle);
      re += s[3] * c - s[4] * d;
      im += s[4] * c + s[3] * d;
    }
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}

}  // namespace

HostForm host_form(std::string_view entry) {
  if (entry == "black_scholes") return black_scholes;
  if (entry == "cp") return cp;
  if (entry == "mri_q") return mri_q;
  if (entry == "mri_fhd") return mri_fhd;
  return nullptr;
}

}  // namespace blockyard::bench
