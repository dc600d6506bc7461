// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::bench {

/// The programs of the published experiments, f32. Where there is a `per`, an item computes that
/// many elements of `n`.
inline constexpr const char* published_kernels = R"cl(
#define EACH                                                              \
  const int begin = get_global_id(0) * per, end = min(begin + per, n);    \
  for (int i = begin; i < end; ++i)
kernel void square(global const float *a, global float *out, int n, int per) {
  EACH out[i] = a[i] * a[i];
}
kernel void vector_add(global const float *a, global const float *b, global float *out, int n, int per) {
  EACH out[i] = a[i] + b[i];
}
// Coulomb potential: atoms are x, y, z, charge; points of a plane z = 0, `width` to a row.
kernel void cp(global const float *atoms, global float *out, int count, int width, int n, int per) {
  EACH {
    const float x = 0.1f * (i % width), y = 0.1f * (i / width);
    float sum = 0;
    for (int k = 0; k < count; ++k) {
      const float dx = x - atoms[4 * k], dy = y - atoms[4 * k + 1], dz = atoms[4 * k + 2];
      sum += atoms[4 * k + 3] * rsqrt(dx * dx + dy * dy + dz * dz);
    }
    out[i] = sum;
  }
}
// Q(x) = sum over samples of magnitude exp(2 pi i k x): samples are kx, ky, kz, magnitude.
kernel void mri_q(global const float *samples, global const float *x, global float *out, int count, int n,
                  int per) {
  EACH {
    float re = 0, im = 0;
    for (int k = 0; k < count; ++k) {
      const float angle = 6.2831853f * (samples[4 * k] * x[3 * i] + samples[4 * k + 1] * x[3 * i + 1] +
                                        samples[4 * k + 2] * x[3 * i + 2]);
      re += samples[4 * k + 3] * cos(angle);
      im += samples[4 * k + 3] * sin(angle);
    }
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}
// F^H d (x) = sum over samples of (re + i im) exp(2 pi i k x): samples are kx, ky, kz, re, im.
kernel void mri_fhd(global const float *samples, global const float *x, global float *out, int count, int n,
                    int per) {
  EACH {
    float re = 0, im = 0;
    for (int k = 0; k < count; ++k) {
      global const float *s = samples + 5 * k;
      const float angle = 6.2831853f * (s[0] * x[3 * i] + s[1] * x[3 * i + 1] + s[2] * x[3 * i + 2]);
      const float c = cos(angle), d = sin(angle);
      re += s[3] * c - s[4] * d;
      im += s[4] * c + s[3] * d;
    }
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}
// `chains` independent ones of 240 / chains steps each: the same instructions, and as many.
#define STEP(x) x = x * 0.999f + 0.001f;
#define CHAINS(name, init, steps, rounds, sum)                                    \
  kernel void name(global const float *a, global float *out) {                    \
    const float start = a[get_global_id(0)];                                      \
    init for (int k = 0; k < rounds; ++k) { steps } out[get_global_id(0)] = sum;  \
  }
CHAINS(chains_1, float p = start;, STEP(p) STEP(p) STEP(p) STEP(p) STEP(p) STEP(p) STEP(p) STEP(p), 30, p)
CHAINS(chains_2, float p = start; float q = p + 1;, STEP(p) STEP(q) STEP(p) STEP(q) STEP(p) STEP(q) STEP(p) STEP(q), 30,
       p + q)
CHAINS(chains_4, float p = start; float q = p + 1; float r = p + 2; float s = p + 3;,
       STEP(p) STEP(q) STEP(r) STEP(s) STEP(p) STEP(q) STEP(r) STEP(s), 30, p + q + r + s)
CHAINS(chains_8, float p = start; float q = p + 1; float r = p + 2; float s = p + 3; float t = p + 4; float u = p + 5;
       float v = p + 6; float w = p + 7;, STEP(p) STEP(q) STEP(r) STEP(s) STEP(t) STEP(u) STEP(v) STEP(w), 30,
       p + q + r + s + t + u + v + w)
// c = a b, of rows x inner and inner x columns, row after row.
kernel void multiply_naive(global const float *a, global const float *b, global float *c, int inner) {
  const int column = get_global_id(0), row = get_global_id(1), columns = get_global_size(0);
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}
// The same with squares of both in local memory; groups are squares.
kernel void multiply_local(global const float *a, global const float *b, global float *c, int inner,
                           local float *x, local float *y) {
  const int i = get_local_id(0), j = get_local_id(1), side = get_local_size(0);
  const int column = get_global_id(0), row = get_global_id(1), columns = get_global_size(0);
  float sum = 0;
  for (int begin = 0; begin < inner; begin += side) {
    x[j * side + i] = a[row * inner + begin + i];
    y[j * side + i] = b[(begin + j) * columns + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < side; ++k) sum += x[j * side + k] * y[k * side + i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * columns + column] = sum;
}
float normal(float x) { return 0.5f * erfc(-x * 0.70710678f); }
kernel void black_scholes(global const float *a, global float *out) {
  const int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  const float price = 0.5f + a[i], years = 1.25f - a[i], spread = 0.3f * sqrt(years);
  const float d = (log(price) + 0.065f * years) / spread;
  out[i] = price * normal(d) - exp(-0.02f * years) * normal(d - spread);
}
kernel void reduction(global const float *a, global float *out, local float *part) {
  const int i = get_local_id(0);
  part[i] = a[get_global_id(0)];
  for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < step) part[i] += part[i + step];
  }
  if (i == 0) out[get_group_id(0)] = part[0];
}
// 64 bins a group, counted by its first 64 items from those of all.
kernel void histogram(global const float *a, global float *out, local int *counts) {
  const int i = get_local_id(0);
  if (i < 64) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(counts + (int)(a[get_global_id(0)] * 64));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 64) out[get_group_id(0) * 64 + i] = counts[i];
}
// One group: out(i) = sum of a(0 .. i).
kernel void prefix_sum(global const float *a, global float *out, local float *x) {
  const int i = get_local_id(0);
  x[i] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < (int)get_local_size(0); step *= 2) {
    const float more = i >= step ? x[i - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] += more;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = x[i];
}
// A group an option: 254 steps of a binomial tree, a leaf an item.
kernel void binomial(global const float *a, global float *out, local float *x) {
  const int i = get_local_id(0), leaves = get_local_size(0);
  const float price = 0.5f + a[get_group_id(0)], up = exp(0.3f * sqrt(1.0f / (leaves - 1)));
  const float rise = (exp(0.02f / (leaves - 1)) - 1 / up) / (up - 1 / up), discount = exp(-0.02f / (leaves - 1));
  x[i] = max(price * pow(up, (float)(2 * i - leaves + 1)) - 1, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int left = leaves - 1; left > 0; --left) {
    const float value = i < left ? discount * (rise * x[i + 1] + (1 - rise) * x[i]) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < left) x[i] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) out[get_group_id(0)] = x[0];
}
// Six multiplications, one after the other, of the same pair of elements.
kernel void six(global const float *a, global const float *b, global float *out) {
  const int i = get_global_id(0);
  const float by = b[i];
  float x = a[i];
  x *= by; x *= by; x *= by; x *= by; x *= by; x *= by;
  out[i] = x;
}
)cl";

}  // namespace blockyard::bench
