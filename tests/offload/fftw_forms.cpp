// SPDX-License-Identifier: Apache-2.0
#include <fftw3.h>

#include <array>
#include <span>
#include <type_traits>

#include "tests/offload/fftw_checks.h"

extern "C" {
// Without their arguments: `call` gives them.
void dfftw_plan_dft_1d_();
void sfftw_plan_dft_1d_();
void dfftw_plan_dft_2d__();
void sfftw_plan_dft_2d__();
void dfftw_plan_dft_();
void sfftw_plan_dft_();
void dfftw_plan_dft_r2c_2d_();
void sfftw_plan_dft_r2c_2d_();
void dfftw_plan_dft_c2r_2d_();
void sfftw_plan_dft_c2r_2d_();
void dfftw_plan_many_dft_();
void sfftw_plan_many_dft_();
void dfftw_plan_guru_dft_();
void sfftw_plan_guru_dft_();
void dfftw_plan_guru_split_dft_();
void sfftw_plan_guru_split_dft_();
void dfftw_plan_r2r_2d_();
void sfftw_plan_r2r_2d_();
void dfftw_execute_();
void sfftw_execute_();
void dfftw_execute_dft__();
void sfftw_execute_dft__();
void dfftw_execute_dft_r2c_();
void sfftw_execute_dft_r2c_();
void dfftw_execute_dft_c2r_();
void sfftw_execute_dft_c2r_();
void dfftw_execute_r2r_();
void sfftw_execute_r2r_();
void dfftw_execute_split_dft_();
void sfftw_execute_split_dft_();
void dfftw_destroy_plan_();
void sfftw_destroy_plan_();
}

namespace transforms {

namespace {

using Routine = void (*)();
template <class... Arguments>
void call(Routine routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(routine)(arguments...);
}

/// The functions of a precision.
struct Double {
  using Real = double;
  using Plan = fftw_plan;
  using Dims = fftw_iodim;
  using Dims64 = fftw_iodim64;
  static constexpr double close = 1e-12;
  static constexpr auto split = fftw_plan_guru_split_dft;
  static constexpr auto split64_r2c = fftw_plan_guru64_split_dft_r2c;
  static constexpr auto split_c2r = fftw_plan_guru_split_dft_c2r;
  static constexpr auto execute_split = fftw_execute_split_dft;
  static constexpr auto execute_split_r2c = fftw_execute_split_dft_r2c;
  static constexpr auto execute_split_c2r = fftw_execute_split_dft_c2r;
  static constexpr auto r2r = fftw_plan_r2r;
  static constexpr auto r2r_1d = fftw_plan_r2r_1d;
  static constexpr auto r2r_2d = fftw_plan_r2r_2d;
  static constexpr auto r2r_3d = fftw_plan_r2r_3d;
  static constexpr auto many_r2r = fftw_plan_many_r2r;
  static constexpr auto guru_r2r = fftw_plan_guru_r2r;
  static constexpr auto guru64_r2r = fftw_plan_guru64_r2r;
  static constexpr auto execute_r2r = fftw_execute_r2r;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
};
struct Single {
  using Real = float;
  using Plan = fftwf_plan;
  using Dims = fftwf_iodim;
  using Dims64 = fftwf_iodim64;
  static constexpr double close = 2e-5;
  static constexpr auto split = fftwf_plan_guru_split_dft;
  static constexpr auto split64_r2c = fftwf_plan_guru64_split_dft_r2c;
  static constexpr auto split_c2r = fftwf_plan_guru_split_dft_c2r;
  static constexpr auto execute_split = fftwf_execute_split_dft;
  static constexpr auto execute_split_r2c = fftwf_execute_split_dft_r2c;
  static constexpr auto execute_split_c2r = fftwf_execute_split_dft_c2r;
  static constexpr auto r2r = fftwf_plan_r2r;
  static constexpr auto r2r_1d = fftwf_plan_r2r_1d;
  static constexpr auto r2r_2d = fftwf_plan_r2r_2d;
  static constexpr auto r2r_3d = fftwf_plan_r2r_3d;
  static constexpr auto many_r2r = fftwf_plan_many_r2r;
  static constexpr auto guru_r2r = fftwf_plan_guru_r2r;
  static constexpr auto guru64_r2r = fftwf_plan_guru64_r2r;
  static constexpr auto execute_r2r = fftwf_execute_r2r;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
};

template <class Api>
void run(typename Api::Plan plan) {
  Api::execute(plan);
  Api::destroy(plan);
  ++executions;
}

template <class Real>
std::vector<Complex> joined(std::span<const Real> real, std::span<const Real> imaginary) {
  std::vector<Complex> made;
  for (std::size_t k = 0; k < real.size(); ++k) made.emplace_back(real[k], imaginary[k]);
  return made;
}
/// Half of the result, the last index to n/2.
std::vector<Complex> half(const std::vector<Complex>& all, int last) {
  std::vector<Complex> made;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (static_cast<int>(k % static_cast<std::size_t>(last)) <= last / 2) made.push_back(all[k]);
  return made;
}

/// Of 4 x 6, in place, on other arrays, with real numbers on either side.
template <class Api>
void check_split_of() {
  using Real = typename Api::Real;
  const typename Api::Dims dims[] = {{4, 6, 6}, {6, 1, 1}};
  auto real = drawn<Real>(24), imaginary = drawn<Real>(24);
  std::vector<Real> to(24), to_imaginary(24);
  const auto wanted = transform(joined<Real>(real, imaginary), {4, 6}, -1);
  const auto plan = Api::split(2, dims, 0, nullptr, real.data(), imaginary.data(), to.data(),
                               to_imaginary.data(), FFTW_ESTIMATE);
  Api::execute(plan);
  judge("split", joined<Real>(to, to_imaginary), wanted, Api::close);
  Api::execute_split(plan, imaginary.data(), real.data(), to_imaginary.data(), to.data());
  executions += 2;
  judge("split, backward by exchanged parts", joined<Real>(to, to_imaginary),
        transform(joined<Real>(real, imaginary), {4, 6}, 1), Api::close);
  Api::destroy(plan);
  run<Api>(Api::split(2, dims, 0, nullptr, real.data(), imaginary.data(), real.data(),
                      imaginary.data(), FFTW_ESTIMATE));
  judge("split in place", joined<Real>(real, imaginary), wanted, Api::close);

  const typename Api::Dims line[] = {{12, 1, 1}};
  auto both = drawn<Real>(13);
  const std::vector<Real> first(both.begin(), both.end() - 1), second(both.begin() + 1, both.end());
  run<Api>(Api::split(1, line, 0, nullptr, both.data(), both.data() + 1, to.data(),
                      to_imaginary.data(), FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
  to.resize(12);
  to_imaginary.resize(12);
  judge("split, of parts that overlap", joined<Real>(to, to_imaginary),
        transform(joined<Real>(first, second), {12}, -1), Api::close);

  const typename Api::Dims64 halved[] = {{4, 6, 4}, {6, 1, 1}};
  const auto values = drawn<Real>(24);
  auto given = values;
  std::vector<Real> pairs(16), pairs_imaginary(16);
  const auto forward = Api::split64_r2c(2, halved, 0, nullptr, given.data(), pairs.data(),
                                        pairs_imaginary.data(), FFTW_ESTIMATE);
  Api::execute_split_r2c(forward, given.data(), pairs.data(), pairs_imaginary.data());
  judge("split r2c", joined<Real>(pairs, pairs_imaginary),
        half(transform(wide(values), {4, 6}, -1), 6), Api::close);
  Api::destroy(forward);
  const typename Api::Dims back[] = {{4, 4, 6}, {6, 1, 1}};
  const auto backward = Api::split_c2r(2, back, 0, nullptr, pairs.data(), pairs_imaginary.data(),
                                       given.data(), FFTW_ESTIMATE);
  Api::execute_split_c2r(backward, pairs.data(), pairs_imaginary.data(), given.data());
  executions += 2;
  for (Real& value : given) value /= 24;
  judge("split c2r", wide(given), wide(values), Api::close);
  Api::destroy(backward);
}

/// What an element j of n gives to element k, by the manual of FFTW.
double weight(int kind, int n, int j, int k) {
  constexpr double pi = std::numbers::pi;
  const double sign = k % 2 == 0 ? 1 : -1;
  switch (kind) {
    case FFTW_R2HC:
      return k <= n / 2 ? std::cos(2 * pi * j * k / n) : -std::sin(2 * pi * j * (n - k) / n);
    case FFTW_HC2R:
      if (j == 0) return 1;
      if (2 * j == n) return sign;
      return j < (n + 1) / 2 ? 2 * std::cos(2 * pi * j * k / n)
                             : -2 * std::sin(2 * pi * (n - j) * k / n);
    case FFTW_DHT:
      return std::cos(2 * pi * j * k / n) + std::sin(2 * pi * j * k / n);
    case FFTW_REDFT00:
      return j == 0 ? 1 : j == n - 1 ? sign : 2 * std::cos(pi * j * k / (n - 1));
    case FFTW_REDFT01:
      return j == 0 ? 1 : 2 * std::cos(pi * j * (k + 0.5) / n);
    case FFTW_REDFT10:
      return 2 * std::cos(pi * (j + 0.5) * k / n);
    case FFTW_REDFT11:
      return 2 * std::cos(pi * (j + 0.5) * (k + 0.5) / n);
    case FFTW_RODFT00:
      return 2 * std::sin(pi * (j + 1) * (k + 1) / (n + 1));
    case FFTW_RODFT01:
      return j == n - 1 ? sign : 2 * std::sin(pi * (j + 1) * (k + 0.5) / n);
    case FFTW_RODFT10:
      return 2 * std::sin(pi * (j + 0.5) * (k + 1) / n);
    default:
      return 2 * std::sin(pi * (j + 0.5) * (k + 0.5) / n);
  }
}

std::vector<Complex> real_transform(std::vector<Complex> values, const std::vector<int>& n,
                                    const std::vector<fftw_r2r_kind>& kinds) {
  return sums(std::move(values), n, [&](std::size_t axis, std::size_t j, std::size_t k) {
    return weight(kinds[axis], n[axis], static_cast<int>(j), static_cast<int>(k));
  });
}

template <class Api>
void check_real_to_real_of() {
  using Real = typename Api::Real;
  for (int kind = FFTW_R2HC; kind <= FFTW_RODFT11; ++kind)
    for (const int n : {8, 7}) {
      const auto one = static_cast<fftw_r2r_kind>(kind);
      auto in = drawn<Real>(static_cast<std::size_t>(n)), out = in;
      const auto wanted = real_transform(wide(in), {n}, {one});
      run<Api>(Api::r2r_1d(n, in.data(), out.data(), one, FFTW_ESTIMATE));
      judge("r2r", wide(out), wanted, Api::close);
    }
  const std::vector<fftw_r2r_kind> kinds = {FFTW_REDFT10, FFTW_RODFT00, FFTW_R2HC};
  auto in = drawn<Real>(60), out = in;
  const auto flat = real_transform(wide(in), {10, 6}, kinds),
             deep = real_transform(wide(in), {3, 4, 5}, kinds);
  run<Api>(Api::r2r_2d(10, 6, in.data(), out.data(), kinds[0], kinds[1], FFTW_ESTIMATE));
  judge("r2r of two indexes", wide(out), flat, Api::close);
  run<Api>(
      Api::r2r_3d(3, 4, 5, in.data(), out.data(), kinds[0], kinds[1], kinds[2], FFTW_ESTIMATE));
  judge("r2r of three indexes", wide(out), deep, Api::close);
  const int n[] = {3, 4, 5};
  const auto plan = Api::r2r(3, n, out.data(), out.data(), kinds.data(), FFTW_ESTIMATE);
  out = in;
  Api::execute_r2r(plan, out.data(), out.data());
  ++executions;
  judge("r2r in place", wide(out), deep, Api::close);
  Api::destroy(plan);

  // Two of 5 x 3, every second element, interleaved in the result.
  const int small[] = {5, 3};
  auto apart = drawn<Real>(60), together = apart;
  run<Api>(Api::many_r2r(2, small, 2, apart.data(), nullptr, 2, 30, together.data(), nullptr, 2, 1,
                         kinds.data(), FFTW_ESTIMATE));
  const auto judge_both = [&](const char* what) {
    for (std::size_t number = 0; number < 2; ++number) {
      std::vector<Real> part, found;
      for (std::size_t k = 0; k < 15; ++k) {
        part.push_back(apart[30 * number + 2 * k]);
        found.push_back(together[number + 2 * k]);
      }
      judge(what, wide(found), real_transform(wide(part), {5, 3}, kinds), Api::close);
    }
    std::ranges::fill(together, Real(9));
  };
  judge_both("many r2r");
  const typename Api::Dims dims[] = {{5, 6, 6}, {3, 2, 2}}, batch[] = {{2, 30, 1}};
  run<Api>(
      Api::guru_r2r(2, dims, 1, batch, apart.data(), together.data(), kinds.data(), FFTW_ESTIMATE));
  judge_both("guru r2r");
  const typename Api::Dims64 wide_dims[] = {{5, 6, 6}, {3, 2, 2}}, wide_batch[] = {{2, 30, 1}};
  run<Api>(Api::guru64_r2r(2, wide_dims, 1, wide_batch, apart.data(), together.data(), kinds.data(),
                           FFTW_ESTIMATE));
  judge_both("guru64 r2r");
}

/// Fortran's names for a precision; FFTW's flags and signs.
struct Fortran {
  Routine dft_1d, dft_2d, dft, r2c_2d, c2r_2d, many, guru, split, r2r_2d;
  Routine execute, execute_dft, execute_r2c, execute_c2r, execute_r2r, execute_split, destroy;
};

template <class Real>
void check_fortran_of(const Fortran& f, double close) {
  using Element = std::complex<Real>;
  const int n = 5, m = 6, two = 2, one = 1, forward = FFTW_FORWARD, flags = FFTW_ESTIMATE;
  void* plan = nullptr;
  auto in = drawn<Element>(30), out = in;
  // The first index of Fortran is the last one of C.
  const auto wanted = transform(wide(in), {6, 5}, -1);
  const auto finish = [&](const char* what, const std::vector<Complex>& found,
                          const std::vector<Complex>& expected) {
    ++executions;
    judge(what, found, expected, close);
    call(f.destroy, &plan);
  };
  const int thirty = 30;
  call(f.dft_1d, &plan, &thirty, in.data(), out.data(), &forward, &flags);
  call(f.execute, &plan);
  finish("Fortran", wide(out), transform(wide(in), {30}, -1));
  call(f.dft_2d, &plan, &n, &m, out.data(), out.data(), &forward, &flags);
  call(f.execute_dft, &plan, in.data(), out.data());
  finish("Fortran, two indexes", wide(out), wanted);
  const int both[] = {n, m};
  call(f.dft, &plan, &two, both, in.data(), out.data(), &forward, &flags);
  call(f.execute, &plan);
  finish("Fortran, any rank", wide(out), wanted);
  const int whole[] = {5, 6};
  call(f.many, &plan, &two, both, &one, in.data(), whole, &one, &thirty, out.data(), whole, &one,
       &thirty, &forward, &flags);
  call(f.execute, &plan);
  finish("Fortran, many", wide(out), wanted);
  const int extents[] = {6, 5}, strides[] = {5, 1}, none = 0;
  call(f.guru, &plan, &two, extents, strides, strides, &none, extents, strides, strides, in.data(),
       out.data(), &forward, &flags);
  call(f.execute, &plan);
  finish("Fortran, guru", wide(out), wanted);

  auto real = drawn<Real>(30), given = real, imaginary = drawn<Real>(30), parts = real;
  std::vector<Element> pairs(18);
  call(f.r2c_2d, &plan, &n, &m, real.data(), pairs.data(), &flags);
  call(f.execute_r2c, &plan, real.data(), pairs.data());
  finish("Fortran r2c", wide(pairs), half(transform(wide(given), {6, 5}, -1), 5));
  call(f.c2r_2d, &plan, &n, &m, pairs.data(), real.data(), &flags);
  call(f.execute_c2r, &plan, pairs.data(), real.data());
  for (Real& value : real) value /= 30;
  finish("Fortran c2r", wide(real), wide(given));
  const int kind_x = FFTW_REDFT10, kind_y = FFTW_DHT;
  call(f.r2r_2d, &plan, &n, &m, given.data(), real.data(), &kind_x, &kind_y, &flags);
  call(f.execute_r2r, &plan, given.data(), real.data());
  finish("Fortran r2r", wide(real), real_transform(wide(given), {6, 5}, {FFTW_DHT, FFTW_REDFT10}));
  call(f.split, &plan, &two, extents, strides, strides, &none, extents, strides, strides,
       given.data(), imaginary.data(), real.data(), parts.data(), &flags);
  call(f.execute_split, &plan, given.data(), imaginary.data(), real.data(), parts.data());
  finish("Fortran, split", joined<Real>(real, parts),
         transform(joined<Real>(given, imaginary), {6, 5}, -1));
}

}  // namespace

void check_split() {
  check_split_of<Double>();
  check_split_of<Single>();
}

void check_real_to_real() {
  check_real_to_real_of<Double>();
  check_real_to_real_of<Single>();
}

void check_fortran() {
  check_fortran_of<double>(
      {dfftw_plan_dft_1d_, dfftw_plan_dft_2d__, dfftw_plan_dft_, dfftw_plan_dft_r2c_2d_,
       dfftw_plan_dft_c2r_2d_, dfftw_plan_many_dft_, dfftw_plan_guru_dft_,
       dfftw_plan_guru_split_dft_, dfftw_plan_r2r_2d_, dfftw_execute_, dfftw_execute_dft__,
       dfftw_execute_dft_r2c_, dfftw_execute_dft_c2r_, dfftw_execute_r2r_, dfftw_execute_split_dft_,
       dfftw_destroy_plan_},
      Double::close);
  check_fortran_of<float>(
      {sfftw_plan_dft_1d_, sfftw_plan_dft_2d__, sfftw_plan_dft_, sfftw_plan_dft_r2c_2d_,
       sfftw_plan_dft_c2r_2d_, sfftw_plan_many_dft_, sfftw_plan_guru_dft_,
       sfftw_plan_guru_split_dft_, sfftw_plan_r2r_2d_, sfftw_execute_, sfftw_execute_dft__,
       sfftw_execute_dft_r2c_, sfftw_execute_dft_c2r_, sfftw_execute_r2r_, sfftw_execute_split_dft_,
       sfftw_destroy_plan_},
      Single::close);
}

}  // namespace transforms
