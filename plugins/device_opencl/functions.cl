// SPDX-License-Identifier: Apache-2.0
// Functions of f32 without branches and calls: a compiler turns loops that call them into vectors, which it cannot do
// with most functions of PoCL. At most 4 ulp from the true value; results for infinities, zeros and NaN as in C.
// A text of the user's sees them under the usual names; elements of other types go to the driver's functions.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OWN static inline __attribute__((overloadable, always_inline))

#define ROUNDER 12582912.0f  // 1.5 * 2^23: x + ROUNDER has the nearest whole number in its low bits

// 2^n y in two steps: one may be subnormal, or beyond the largest number.
OWN float blockyard_scaled(float y, int n) {
  const int half_n = n >> 1;
  return y * as_float((half_n + 127) << 23) * as_float((n - half_n + 127) << 23);
}
// exp(r) - 1 for |r| < 0.35.
OWN float blockyard_expm1_near_0(float r) {
  float q = 1.97892624e-4f;
  q = q * r + 1.39457524e-3f;
  q = q * r + 8.33350376e-3f;
  q = q * r + 4.16662803e-2f;
  q = q * r + 1.66666658e-1f;
  q = q * r + 5.00000007e-1f;
  return q * (r * r) + r;
}
#define LN2_HIGH 0.693359375f  // few bits: a product with a small whole number is exact
#define LN2_LOW -2.12194440e-4f

OWN float blockyard_exp(float x) {
  const float y = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;
  const float shifted = y * 1.44269504f + ROUNDER, n = shifted - ROUNDER;
  const float r = (y - n * LN2_HIGH) - n * LN2_LOW;
  const float power = blockyard_expm1_near_0(r) + 1.0f;
  return blockyard_scaled(power, as_int(shifted) - as_int(ROUNDER));
}

OWN float blockyard_log(float x) {
  const int lowest = 0x3f3504f3;  // sqrt(1/2): mantissas are from there to sqrt(2)
  const bool is_subnormal = x < 1.17549435e-38f;
  const int bits = as_int(is_subnormal ? x * 8388608.0f : x) - lowest;
  const float n = (float)((bits >> 23) - (is_subnormal ? 23 : 0));
  const float f = as_float((bits & 0x7fffff) + lowest) - 1.0f, u = f * f;
  float p = 6.74663171e-2f;
  p = p * f - 1.16756494e-1f;
  p = p * f + 1.18881650e-1f;
  p = p * f - 1.24055895e-1f;
  p = p * f + 1.42195520e-1f;
  p = p * f - 1.66679958e-1f;
  p = p * f + 2.00021187e-1f;
  p = p * f - 2.50000096e-1f;
  p = p * f + 3.33333126e-1f;
  const float low = u * f * p + n * 1.42860677e-6f;
  const float y = n * 0.693145752f + (f - (0.5f * u - low));
  return x > 0.0f && x < INFINITY ? y : x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
}

// exp(-z^2) times erfc(z) exp(z^2), which is smooth in t = (z - 3.75) / (z + 3.75).
OWN float blockyard_erfc(float x) {
  const float size = fabs(x), z = size > 10.2f ? 10.2f : size;
  const float t = (z - 3.75f) / (z + 3.75f);
  float p = -1.96702428e-4f;
  p = p * t + 5.23809807e-4f;
  p = p * t + 1.84363469e-3f;
  p = p * t - 9.83184707e-3f;
  p = p * t + 2.83038028e-2f;
  p = p * t - 5.86847296e-2f;
  p = p * t + 9.23151841e-2f;
  p = p * t - 1.08803936e-1f;
  p = p * t + 8.22759890e-2f;
  p = p * t + 3.58539650e-3f;
  p = p * t - 1.40240584e-1f;
  p = p * t + 1.23751263e+0f;
  // z^2 = high^2 + rest, the first exact.
  const float high = as_float(as_int(z) & (int)0xfffff000), rest = (z - high) * (z + high);
  const float square = high * high;
  const float shifted = square * -1.44269504f + ROUNDER, n = shifted - ROUNDER;
  const float r = ((-square - n * LN2_HIGH) - n * LN2_LOW) - rest;
  const float factor = p / (1.0f + 2.0f * z);
  const float power = factor + factor * blockyard_expm1_near_0(r);
  const float y = blockyard_scaled(power, as_int(shifted) - as_int(ROUNDER));
  const float u = x * x;
  float e = 4.64983030e-3f;
  e = e * u - 2.67183073e-2f;
  e = e * u + 1.12820801e-1f;
  e = e * u - 3.76125556e-1f;
  e = e * u + 1.12837916e+0f;
  return size < 0.5f ? 1.0f - x * e : x < 0.0f ? 2.0f - y : y;
}

constant uint blockyard_two_over_pi[8] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                          0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

// |x| = n pi/2 + r with |r| < pi/4, and n mod 4.
OWN double blockyard_quarter_turns(float x, int *n) {
  const uint bits = as_uint(x) & 0x7fffffff;
  const double size = as_float(bits);
  // Up to 2^20 the product with the first 33 bits of pi/2 is exact.
  const double shifted = size * 0.6366197723675814 + 6755399441055744.0;
  const double turns = shifted - 6755399441055744.0;
  const double r = (size - turns * 1.5707963267341256) - turns * 6.077100506506192e-11;
  // Beyond: the mantissa times those 96 bits of 2/pi that matter modulo 4.
  const uint mantissa = (bits & 0x7fffff) | 0x800000, exponent = bits >> 23;
  const uint position = exponent < 140 ? 20 : exponent - 120;
  const uint word = min(position >> 5, 4u), shift = position & 31;
  const ulong w0 = blockyard_two_over_pi[word], w1 = blockyard_two_over_pi[word + 1];
  const ulong w2 = blockyard_two_over_pi[word + 2], w3 = blockyard_two_over_pi[word + 3];
  const ulong a = (((w0 << 32 | w1) << shift) >> 32), b = (((w1 << 32 | w2) << shift) >> 32);
  const ulong c = (((w2 << 32 | w3) << shift) >> 32);
  const ulong product = ((mantissa * a) << 32) + mantissa * b + ((mantissa * c) >> 32);
  const ulong nearest = (product + (1UL << 61)) >> 62;
  const ulong fraction = product - (nearest << 62);
  const double part = (double)(int)(fraction >> 32) * 4294967296.0 + (double)(uint)fraction;
  const bool is_large = size > 1048576.0;
  *n = is_large ? (int)nearest : (int)(as_ulong(shifted) & 3);
  return is_large ? part * 3.406121580086554e-19 : r;
}
OWN float blockyard_sin_of(double turn, int n) {
  const float r = (float)turn, u = r * r;
  float s = 2.71823725e-6f;
  s = s * u - 1.98393271e-4f;
  s = s * u + 8.33332933e-3f;
  s = s * u - 1.66666666e-1f;
  float c = -2.72050452e-7f;
  c = c * u + 2.47994515e-5f;
  c = c * u - 1.38888835e-3f;
  c = c * u + 4.16666666e-2f;
  const float sine = r + r * u * s, cosine = 1.0f - (0.5f * u - u * u * c);
  const float y = (n & 1) == 0 ? sine : cosine;
  return (n & 2) == 0 ? y : -y;
}
OWN float blockyard_sin(float x) {
  int n;
  const double turn = blockyard_quarter_turns(x, &n);
  const float y = blockyard_sin_of(turn, n);
  return isfinite(x) ? (as_int(x) < 0 ? -y : y) : NAN;
}
OWN float blockyard_cos(float x) {
  int n;
  const double turn = blockyard_quarter_turns(x, &n);
  const float y = blockyard_sin_of(turn, n + 1);
  return isfinite(x) ? y : NAN;
}

#define PASS(type)                                         \
  OWN type blockyard_exp(type x) { return exp(x); }        \
  OWN type blockyard_log(type x) { return log(x); }        \
  OWN type blockyard_erfc(type x) { return erfc(x); }      \
  OWN type blockyard_sin(type x) { return sin(x); }        \
  OWN type blockyard_cos(type x) { return cos(x); }
PASS(float2) PASS(float3) PASS(float4) PASS(float8) PASS(float16)
PASS(double) PASS(double2) PASS(double3) PASS(double4) PASS(double8) PASS(double16)
#undef PASS
#undef LN2_LOW
#undef LN2_HIGH
#undef ROUNDER
#undef OWN
#undef exp
#define exp(x) blockyard_exp(x)
#undef log
#define log(x) blockyard_log(x)
#undef erfc
#define erfc(x) blockyard_erfc(x)
#undef sin
#define sin(x) blockyard_sin(x)
#undef cos
#define cos(x) blockyard_cos(x)
