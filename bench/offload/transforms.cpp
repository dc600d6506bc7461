// SPDX-License-Identifier: Apache-2.0
/// A program that knows nothing of Blockyard: a complex transform again and again, planned in front
/// of the first one. Prints the seconds of each; those of planning are part of the first.
///
/// Usage: offload_transforms EXTENT CALLS
#include <fftw3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  if (count < 3) return 2;
  const int n = std::atoi(words[1]), calls = std::atoi(words[2]);
  auto* const in = fftw_alloc_complex(static_cast<std::size_t>(n));
  auto* const out = fftw_alloc_complex(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) in[k][0] = k % 7, in[k][1] = k % 5, out[k][0] = out[k][1] = 0;
  using Clock = std::chrono::steady_clock;
  auto began = Clock::now();
  fftw_plan const plan = fftw_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  for (int k = 0; k < calls; ++k) {
    fftw_execute(plan);
    const auto ended = Clock::now();
    std::printf("%.9f\n", std::chrono::duration<double>(ended - began).count());
    began = ended;
  }
  fftw_destroy_plan(plan);
  fftw_free(in);
  fftw_free(out);
  return 0;
}
