// SPDX-License-Identifier: Apache-2.0
// Transforms of some ten thousand bytes, for devices with less: of one index, of several, in place,
// with a batch, of real numbers.
#include <fftw3.h>

#include <span>

#include "tests/offload/fftw_checks.h"

namespace transforms {
namespace {

constexpr double close = 1e-11;

fftw_complex* of(std::vector<Complex>& values) {
  return reinterpret_cast<fftw_complex*>(values.data());
}
void run(fftw_plan plan) {
  fftw_execute(plan);
  ++executions;
  fftw_destroy_plan(plan);
}
std::size_t product(std::span<const int> n) {
  std::size_t all = 1;
  for (const int extent : n) all *= static_cast<std::size_t>(extent);
  return all;
}

void check_pairs(const std::vector<int>& n, int sign) {
  auto in = drawn<Complex>(product(n)), out = in, both = in;
  const auto wanted = transform(in, n, sign), before = in;
  const int rank = static_cast<int>(n.size());
  run(fftw_plan_dft(rank, n.data(), of(in), of(out), sign, FFTW_ESTIMATE));
  judge("large", out, wanted, close);
  judge("large: what is read", in, before, 0);
  run(fftw_plan_dft(rank, n.data(), of(both), of(both), sign, FFTW_ESTIMATE));
  judge("large, in place", both, wanted, close);
}

/// Three transforms, every second element, one after the other.
void check_batch(const std::vector<int>& n) {
  const std::size_t each = product(n);
  auto in = drawn<Complex>(6 * each), out = std::vector<Complex>(3 * each);
  run(fftw_plan_many_dft(static_cast<int>(n.size()), n.data(), 3, of(in), nullptr, 2,
                         static_cast<int>(2 * each), of(out), nullptr, 3, 1, FFTW_FORWARD,
                         FFTW_ESTIMATE));
  for (std::size_t number = 0; number < 3; ++number) {
    std::vector<Complex> part, found;
    for (std::size_t k = 0; k < each; ++k) {
      part.push_back(in[2 * (number * each + k)]);
      found.push_back(out[number + 3 * k]);
    }
    judge("large batch", found, transform(part, n, -1), close);
  }
}

void check_real(const std::vector<int>& n) {
  const std::size_t count = product(n);
  const auto last = static_cast<std::size_t>(n.back());
  const int rank = static_cast<int>(n.size());
  auto real = drawn<double>(count);
  const auto before = real;
  std::vector<Complex> pairs(count / last * (last / 2 + 1)), wanted;
  run(fftw_plan_dft_r2c(rank, n.data(), real.data(), of(pairs), FFTW_ESTIMATE));
  const auto whole = transform(wide(before), n, -1);
  for (std::size_t k = 0; k < whole.size(); ++k)
    if (k % last <= last / 2) wanted.push_back(whole[k]);
  judge("large r2c", pairs, wanted, close);
  run(fftw_plan_dft_c2r(rank, n.data(), of(pairs), real.data(), FFTW_ESTIMATE));
  for (double& value : real) value /= static_cast<double>(count);
  judge("large c2r", wide(real), wide(before), close);
}

/// There and back.
void check_kinds(const std::vector<int>& n) {
  auto real = drawn<double>(product(n));
  const auto before = real;
  const int rank = static_cast<int>(n.size());
  const std::vector<fftw_r2r_kind> there(n.size(), FFTW_REDFT10), back(n.size(), FFTW_REDFT01);
  run(fftw_plan_r2r(rank, n.data(), real.data(), real.data(), there.data(), FFTW_ESTIMATE));
  run(fftw_plan_r2r(rank, n.data(), real.data(), real.data(), back.data(), FFTW_ESTIMATE));
  double factor = 1;
  for (const int extent : n) factor *= 2 * extent;
  for (double& value : real) value /= factor;
  judge("large r2r", wide(real), wide(before), close);
}

void check_single() {
  auto in = drawn<std::complex<float>>(40 * 36), out = in;
  const fftwf_plan plan =
      fftwf_plan_dft_2d(40, 36, reinterpret_cast<fftwf_complex*>(in.data()),
                        reinterpret_cast<fftwf_complex*>(out.data()), FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  ++executions;
  fftwf_destroy_plan(plan);
  judge("large, single", wide(out), transform(wide(in), {40, 36}, -1), 1e-3);
}

}  // namespace

void check_large() {
  for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD})
    for (const std::vector<int>& n :
         std::vector<std::vector<int>>{{1024}, {945}, {30, 42}, {12, 10, 11}})
      check_pairs(n, sign);
  check_batch({500});
  check_batch({24, 20});
  for (const std::vector<int>& n : std::vector<std::vector<int>>{{2000}, {40, 41}, {12, 10, 14}})
    check_real(n);
  check_kinds({40, 50});
  check_kinds({12, 14, 10});
  check_single();
}

}  // namespace transforms
