// SPDX-License-Identifier: Apache-2.0
/// A program that knows nothing of Blockyard: a transform again and again, planned in front of the
/// first one. Prints the seconds of a transform, that of planning with the first, and last what
/// memory the process had at most.
///
/// Usage: offload_transforms KIND EXTENT CALLS [SECONDS [GROUP]]    KIND: c2c1, r2c3, ...: elements
///        and order; SECONDS: it ends once it worked so long; GROUP: so many are timed together
#include <fftw3.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int count, char** words) {
  if (count < 4) return 2;
  const std::string kind = words[1];
  const int n = std::atoi(words[2]), calls = std::atoi(words[3]), order = kind.back() - '0';
  const double most_seconds = count > 4 ? std::atof(words[4]) : 1e9;
  const int group = count > 5 ? std::atoi(words[5]) : 1;
  if (order < 1 || order > 3 || group < 1) return 2;
  const std::vector<int> extents(static_cast<std::size_t>(order), n);
  const auto elements = static_cast<std::size_t>(std::lround(std::pow(n, order)));
  auto* const in = fftw_alloc_complex(elements);
  auto* const out = fftw_alloc_complex(elements);
  for (std::size_t k = 0; k < elements; ++k) {
    in[k][0] = static_cast<double>(k % 7);
    in[k][1] = static_cast<double>(k % 5);
    out[k][0] = out[k][1] = 0;
  }
  using Clock = std::chrono::steady_clock;
  auto began = Clock::now();
  fftw_plan const plan =
      kind.starts_with("r2c")
          ? fftw_plan_dft_r2c(order, extents.data(), &in[0][0], out, FFTW_ESTIMATE)
          : fftw_plan_dft(order, extents.data(), in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  double worked = 0;
  for (int k = 0; k < calls && worked < most_seconds; k += group) {
    for (int i = 0; i < group; ++i) fftw_execute(plan);
    const auto ended = Clock::now();
    const double seconds = std::chrono::duration<double>(ended - began).count();
    worked += seconds;
    std::printf("%.9f\n", seconds / group);
    began = Clock::now();
  }
  fftw_destroy_plan(plan);
  fftw_free(in);
  fftw_free(out);
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  std::printf("%ld\n", used.ru_maxrss);
  return 0;
}
