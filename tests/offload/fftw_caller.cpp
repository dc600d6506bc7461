// SPDX-License-Identifier: Apache-2.0
/// Plans and executes transforms by every interface of FFTW, in both precisions, and compares with
/// the definition: a program that knows nothing of Blockyard.
#include <dlfcn.h>
#include <fftw3.h>

#include <algorithm>
#include <cstdlib>

#include "tests/offload/fftw_checks.h"

/// Usage: fftw_caller [large]
namespace {

using namespace transforms;

constexpr double close = 1e-12;
fftw_complex* of(std::vector<Complex>& values) {
  return reinterpret_cast<fftw_complex*>(values.data());
}
void execute(fftw_plan plan) {
  fftw_execute(plan);
  ++executions;
}
void run(fftw_plan plan) {
  execute(plan);
  fftw_destroy_plan(plan);
}

void check_complex() {
  const std::vector<std::vector<int>> shapes = {{12}, {6, 5}, {3, 4, 5}};
  for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD})
    for (const auto& n : shapes) {
      std::size_t count = 1;
      for (const int extent : n) count *= static_cast<std::size_t>(extent);
      auto in = drawn<Complex>(count), out = in;
      const auto wanted = transform(in, n, sign);
      fftw_plan plan = nullptr;
      if (n.size() == 1) plan = fftw_plan_dft_1d(n[0], of(in), of(out), sign, FFTW_ESTIMATE);
      if (n.size() == 2) plan = fftw_plan_dft_2d(n[0], n[1], of(in), of(out), sign, FFTW_ESTIMATE);
      if (n.size() == 3)
        plan = fftw_plan_dft_3d(n[0], n[1], n[2], of(in), of(out), sign, FFTW_ESTIMATE);
      execute(plan);
      judge("basic", out, wanted, close);
      auto other = in, result = in;
      for (Complex& value : other) value *= 2.0;
      fftw_execute_dft(plan, of(other), of(result));
      ++executions;
      for (Complex& value : result) value *= 0.5;
      judge("new arrays", result, wanted, close);
      fftw_destroy_plan(plan);
      run(fftw_plan_dft(static_cast<int>(n.size()), n.data(), of(other), of(other), sign,
                        FFTW_ESTIMATE));
      for (Complex& value : other) value *= 0.5;
      judge("in place", other, wanted, close);
    }
}

/// Three transforms of 5 x 4 inside a larger array, every second element.
void check_many() {
  const int n[] = {5, 4}, whole[] = {5, 7};
  auto in = drawn<Complex>(3 * 70 + 10);
  std::vector<Complex> out(3 * 20, 9.0);
  run(fftw_plan_many_dft(2, n, 3, of(in), whole, 2, 70, of(out), nullptr, 3, 1, FFTW_FORWARD,
                         FFTW_ESTIMATE));
  for (int number = 0; number < 3; ++number) {
    std::vector<Complex> part, found;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 4; ++j) {
        part.push_back(in[static_cast<std::size_t>(number * 70 + 2 * (i * 7 + j))]);
        found.push_back(out[static_cast<std::size_t>(number + 3 * (i * 4 + j))]);
      }
    judge("many", found, transform(part, {5, 4}, -1), close);
  }
}

void check_guru() {
  const fftw_iodim dims[] = {{4, 6, 1}, {3, 2, 4}}, many[] = {{2, 1, 12}};
  auto in = drawn<Complex>(24), out = in;
  run(fftw_plan_guru_dft(2, dims, 1, many, of(in), of(out), FFTW_BACKWARD, FFTW_ESTIMATE));
  for (int number = 0; number < 2; ++number) {
    std::vector<Complex> part, found;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        part.push_back(in[static_cast<std::size_t>(number + 6 * i + 2 * j)]);
        found.push_back(out[static_cast<std::size_t>(12 * number + i + 4 * j)]);
      }
    judge("guru", found, transform(part, {4, 3}, 1), close);
  }
}

/// Half of the result, the last index to n/2.
std::vector<Complex> half(const std::vector<Complex>& all, int last) {
  std::vector<Complex> made;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (static_cast<int>(k % static_cast<std::size_t>(last)) <= last / 2) made.push_back(all[k]);
  return made;
}

void check_real() {
  for (const auto& n : std::vector<std::vector<int>>{{9}, {8}, {4, 6}, {3, 4, 5}}) {
    std::size_t count = 1;
    for (const int extent : n) count *= static_cast<std::size_t>(extent);
    auto real = drawn<double>(count);
    const auto before = real;
    auto complex = std::vector<Complex>(count / n.back() * (n.back() / 2 + 1));
    const int rank = static_cast<int>(n.size());
    run(fftw_plan_dft_r2c(rank, n.data(), real.data(), of(complex), FFTW_ESTIMATE));
    judge("r2c", complex, half(transform(wide(before), n, -1), n.back()), close);
    judge("r2c keeps what it reads", wide(real), wide(before), 0);
    run(fftw_plan_dft_c2r(rank, n.data(), of(complex), real.data(), FFTW_ESTIMATE));
    for (double& value : real) value /= static_cast<double>(count);
    judge("c2r", wide(real), wide(before), close);
  }
  // In place: the rows of the real array have room for the pairs.
  const int n[] = {4, 6};
  std::vector<double> padded(4 * 8);
  auto values = drawn<double>(24);
  for (std::size_t k = 0; k < 24; ++k) padded[k / 6 * 8 + k % 6] = values[k];
  auto* const pairs = reinterpret_cast<fftw_complex*>(padded.data());
  run(fftw_plan_dft_r2c_2d(4, 6, padded.data(), pairs, FFTW_ESTIMATE));
  std::vector<Complex> found;
  for (std::size_t k = 0; k < 16; ++k) found.emplace_back(padded[2 * k], padded[2 * k + 1]);
  judge("r2c in place", found, half(transform(wide(values), {4, 6}, -1), 6), close);
  run(fftw_plan_dft_c2r(2, n, pairs, padded.data(), FFTW_ESTIMATE));
  for (std::size_t k = 0; k < 24; ++k) values[k] -= padded[k / 6 * 8 + k % 6] / 24;
  judge("c2r in place", wide(values), std::vector<Complex>(24), close);
}

void check_single() {
  auto in = drawn<std::complex<float>>(30), out = in;
  auto* const from = reinterpret_cast<fftwf_complex*>(in.data());
  auto* const to = reinterpret_cast<fftwf_complex*>(out.data());
  const fftwf_plan plan = fftwf_plan_dft_2d(5, 6, from, to, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  ++executions;
  judge("single", wide(out), transform(wide(in), {5, 6}, -1), 1e-5);
  fftwf_destroy_plan(plan);
  auto real = drawn<float>(16);
  std::vector<std::complex<float>> pairs(9);
  const fftwf_plan r2c = fftwf_plan_dft_r2c_1d(
      16, real.data(), reinterpret_cast<fftwf_complex*>(pairs.data()), FFTW_ESTIMATE);
  fftwf_execute(r2c);
  ++executions;
  fftwf_destroy_plan(r2c);
  judge("single r2c", wide(pairs), half(transform(wide(real), {16}, -1), 16), 1e-5);
}

/// Functions that we do not have work on plans as ever; impossible plans are none.
void check_others() {
  auto in = drawn<Complex>(8), out = in;
  const fftw_plan plan = fftw_plan_dft_1d(8, of(in), of(out), FFTW_FORWARD, FFTW_ESTIMATE);
  char* const text = fftw_sprint_plan(plan);
  judge("printed plan", {Complex(text != nullptr && text[0] == '(')}, {Complex(1)}, 0);
  std::free(text);
  fftw_destroy_plan(plan);
  const fftw_plan none = fftw_plan_dft_1d(8, of(in), of(out), FFTW_FORWARD,
                                          FFTW_WISDOM_ONLY | FFTW_EXHAUSTIVE | FFTW_MEASURE);
  judge("a plan that needs wisdom", {Complex(none == nullptr)}, {Complex(1)}, 0);
  fftw_destroy_plan(none);
}

/// A function of the library, past whatever was loaded before it.
template <class Function>
Function* by_handle(const char* name) {
  void* const library = ::dlopen("libfftw3.so.3", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library, name));
}

/// Plans made and destroyed by handle leave nothing to those that are made in their places.
void check_plans_by_handle() {
  const auto plan_line = by_handle<decltype(fftw_plan_dft_1d)>("fftw_plan_dft_1d");
  const auto plan_any = by_handle<decltype(fftw_plan_guru_dft)>("fftw_plan_guru_dft");
  const auto destroy = by_handle<decltype(fftw_destroy_plan)>("fftw_destroy_plan");
  if (plan_line == nullptr || plan_any == nullptr || destroy == nullptr) return;
  auto in = drawn<Complex>(64), gone = in, out = in;
  std::vector<fftw_plan> plans(200);
  for (fftw_plan& plan : plans) plan = plan_line(64, of(in), of(gone), FFTW_FORWARD, FFTW_ESTIMATE);
  for (const fftw_plan plan : plans) destroy(plan);
  const fftw_iodim line = {64, 1, 1};
  const auto wanted = transform(in, {64}, 1);
  for (fftw_plan& plan : plans)
    plan = plan_any(1, &line, 0, nullptr, of(in), of(out), FFTW_BACKWARD, FFTW_ESTIMATE);
  for (const fftw_plan plan : plans) {
    std::fill(out.begin(), out.end(), Complex());
    fftw_execute(plan);
    judge("a plan made by handle", out, wanted, close);
  }
  for (const fftw_plan plan : plans) destroy(plan);
}

}  // namespace

int main(int count, char**) {
  if (count > 1) {
    check_large();
    std::printf("%d executions, %d tests, %d wrong\n", executions, tests, failures);
    return failures == 0 ? 0 : 1;
  }
  check_complex();
  check_many();
  check_guru();
  check_real();
  check_single();
  check_others();
  check_plans_by_handle();
  check_split();
  check_real_to_real();
  check_fortran();
  fftw_cleanup();
  std::printf("%d executions, %d tests, %d wrong\n", executions, tests, failures);
  return failures == 0 ? 0 : 1;
}
