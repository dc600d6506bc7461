/* SPDX-License-Identifier: Apache-2.0 */
/* The field of a periodic charge, from transforms of FFTW that a server computes where that is faster:
 *
 *     cc poisson.c -lfftw3 -lm -o poisson
 *     blockyard offload serve --device host &
 *     blockyard offload run -- ./poisson
 *
 * Solves  -(d2/dx2 + d2/dy2 + d2/dz2) u = f  on a cube of side 2 pi with n points a side, for an f whose solution is
 * known, and prints the largest error. Cost: two transforms of n^3 real numbers. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double exact(double x, double y, double z) { return sin(x) * cos(2 * y) * sin(3 * z); }

int main(int count, char** words) {
  const int n = count > 1 ? atoi(words[1]) : 128, half = n / 2 + 1;
  if (n < 8) {
    fprintf(stderr, "usage: poisson [POINTS A SIDE, at least 8]\n");
    return 2;
  }
  const double step = 2 * acos(-1) / n;
  const size_t points = (size_t)n * (size_t)n * (size_t)n;
  double* const field = fftw_alloc_real(points);
  fftw_complex* const waves = fftw_alloc_complex((size_t)n * (size_t)n * (size_t)half);
  const fftw_plan there = fftw_plan_dft_r2c_3d(n, n, n, field, waves, FFTW_ESTIMATE);
  const fftw_plan back = fftw_plan_dft_c2r_3d(n, n, n, waves, field, FFTW_ESTIMATE);
  if (there == NULL || back == NULL) return 1;
  for (size_t at = 0; at < points; ++at) {
    const size_t i = at / n / n, j = at / n % n, k = at % n;
    field[at] = (1 + 4 + 9) * exact((double)i * step, (double)j * step, (double)k * step);
  }
  fftw_execute(there);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < half; ++k) {
        const double p = i > n / 2 ? i - n : i, q = j > n / 2 ? j - n : j, r = k;
        const double square = p * p + q * q + r * r;
        fftw_complex* const wave = &waves[((size_t)i * n + j) * half + k];
        /* The mean is not determined by the equation: it is 0. */
        const double factor = square == 0 ? 0 : 1 / (square * (double)points);
        (*wave)[0] *= factor;
        (*wave)[1] *= factor;
      }
  fftw_execute(back);
  double worst = 0;
  for (size_t at = 0; at < points; ++at) {
    const size_t i = at / n / n, j = at / n % n, k = at % n;
    const double error = fabs(field[at] - exact((double)i * step, (double)j * step, (double)k * step));
    if (error > worst) worst = error;
  }
  printf("largest error: %s\n", worst < 1e-12 ? "below 1e-12" : "too large");
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_free(field);
  fftw_free(waves);
  return worst < 1e-12 ? 0 : 1;
}
