// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::bench {

/// The published programs as functions over a range of elements (device/abi_kernel.h): the device
/// cuts their grids. Where the published program has a group with a barrier, an element is the
/// whole work of a group.
inline constexpr const char* range_programs = R"cl(
#define EACH for (long i = first; i < first + count; ++i)
void square(long first, long count, global const float* a, global float* out) {
  EACH out[i] = a[i] * a[i];
}
void vector_add(long first, long count, global const float* a, global float* out) {
  EACH out[i] = a[i] + a[i];
}
void matrix_mul(long first, long count, long row, global const float* a, global float* out) {
  EACH {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += a[row * 256 + k] * a[k * 256 + i];
    out[row * 256 + i] = sum;
  }
}
void reduction(long first, long count, global const float* a, global float* out) {
  EACH {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += a[256 * i + k];
    out[i] = sum;
  }
}
void histogram(long first, long count, global const float* a, global float* out) {
  EACH {
    int bins[64];
    for (int k = 0; k < 64; ++k) bins[k] = 0;
    for (int k = 0; k < 128; ++k) ++bins[(int)(a[128 * i + k] * 64)];
    for (int k = 0; k < 64; ++k) out[64 * i + k] = bins[k];
  }
}
void prefix_sum(long first, long count, global const float* a, global float* out) {
  EACH {
    float sum = 0;
    for (int k = 0; k < 1024; ++k) out[1024 * i + k] = sum += a[1024 * i + k];
  }
}
float normal(float x) { return 0.5f * erfc(-x * 0.70710678f); }
void black_scholes(long first, long count, global const float* a, global float* out) {
  EACH {
    const float price = 0.5f + a[i], years = 1.25f - a[i], spread = 0.3f * sqrt(years);
    const float d = (log(price) + 0.065f * years) / spread;
    out[i] = price * normal(d) - exp(-0.02f * years) * normal(d - spread);
  }
}
void binomial(long first, long count, global const float* a, global float* out) {
  EACH {
    float x[255];
    const float price = 0.5f + a[i], up = exp(0.3f * sqrt(1.0f / 254));
    const float rise = (exp(0.02f / 254) - 1 / up) / (up - 1 / up), discount = exp(-0.02f / 254);
    float leaf = price * exp(-254 * log(up));
    for (int k = 0; k < 255; ++k, leaf *= up * up) x[k] = max(leaf - 1, 0.0f);
    for (int left = 254; left > 0; --left)
      for (int k = 0; k < left; ++k) x[k] = discount * (rise * x[k + 1] + (1 - rise) * x[k]);
    out[i] = x[0];
  }
}
void cp(long first, long count, long row, global const float* a, global float* out) {
  EACH {
    const float x = 0.1f * i, y = 0.1f * row;
    float sum = 0;
    for (int k = 0; k < 128; ++k) {
      const float dx = x - a[4 * k], dy = y - a[4 * k + 1], dz = a[4 * k + 2];
      sum += a[4 * k + 3] * rsqrt(dx * dx + dy * dy + dz * dz);
    }
    out[row * 64 + i] = sum;
  }
}
void mri_q(long first, long count, global const float* a, global float* out) {
  EACH {
    float re = 0, im = 0;
    for (int k = 0; k < 128; ++k) {
      const float angle = 6.2831853f * (a[4 * k] * a[3 * i] + a[4 * k + 1] * a[3 * i + 1] + a[4 * k + 2] * a[3 * i + 2]);
      re += a[4 * k + 3] * cos(angle);
      im += a[4 * k + 3] * sin(angle);
    }
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}
void mri_fhd(long first, long count, global const float* a, global float* out) {
  EACH {
    float re = 0, im = 0;
    for (int k = 0; k < 128; ++k) {
      global const float* s = a + 5 * k;
      const float angle = 6.2831853f * (s[0] * a[3 * i] + s[1] * a[3 * i + 1] + s[2] * a[3 * i + 2]);
      const float c = cos(angle), d = sin(angle);
      re += s[3] * c - s[4] * d;
      im += s[4] * c + s[3] * d;
    }
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}
void six(long first, long count, global const float* a, global float* out) {
  EACH {
    const float by = a[i];
    float x = by;
    x *= by; x *= by; x *= by; x *= by; x *= by; x *= by;
    out[i] = x;
  }
}
)cl";

}  // namespace blockyard::bench
