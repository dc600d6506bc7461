// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/fft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "plugins/device_opencl/fft_source.h"
#include "plugins/device_opencl/program.h"

namespace blockyard::opencl {
namespace {

/// The work of a pass grows with its radix: beyond this one a convolution is faster.
constexpr std::int64_t most_radix = 127;

/// Empty: a prime factor is too large. Large radixes first: they save passes.
std::vector<std::int64_t> radixes_of(std::int64_t n) {
  std::vector<std::int64_t> found;
  for (const std::int64_t radix : {8, 4, 2, 5, 3})
    for (; n % radix == 0; n /= radix) found.push_back(radix);
  for (std::int64_t prime = 7; n > 1; prime += 2) {
    if (prime > most_radix) return {};
    for (; n % prime == 0; n /= prime) found.push_back(prime);
  }
  return found;
}

template <class Real>
Buffer upload(cl_context context, const std::vector<double>& values) {
  std::vector<Real> narrow(values.begin(), values.end());
  cl_int code = CL_SUCCESS;
  Buffer buffer(clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               narrow.size() * sizeof(Real), narrow.data(), &code));
  check(code, "clCreateBuffer");
  return buffer;
}

/// The two tables of fft.cl's `root`: the first of about the square root of n.
std::pair<Buffer, int> roots_of(std::int64_t n, bool is_single, cl_context context) {
  int shift = 10;
  while ((std::int64_t{1} << (2 * shift)) < n) ++shift;
  const std::int64_t low = std::int64_t{1} << shift;
  std::vector<double> values;
  const auto add = [&](std::int64_t number) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(number) / static_cast<double>(n);
    values.push_back(std::cos(angle));
    values.push_back(std::sin(angle));
  };
  for (std::int64_t number = 0; number < low; ++number) add(number % n);
  for (std::int64_t number = 0; number < n; number += low) add(number);
  return {is_single ? upload<float>(context, values) : upload<double>(context, values), shift};
}

using Numbers = std::vector<std::complex<double>>;

Buffer upload(cl_context context, const Numbers& numbers, bool is_single) {
  std::vector<double> values;
  for (const std::complex<double>& one : numbers) {
    values.push_back(one.real());
    values.push_back(one.imag());
  }
  return is_single ? upload<float>(context, values) : upload<double>(context, values);
}

/// Of a power of two elements, in place.
void transform_here(Numbers& values) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t k = 0; k < half; ++k) {
      const auto root =
          std::polar(1.0, -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half));
      for (std::size_t at = k; at < n; at += 2 * half) {
        const std::complex<double> odd = root * values[at + half];
        values[at + half] = values[at] - odd;
        values[at] += odd;
      }
    }
}

/// exp(-pi i k^2 / n) for k < n.
Numbers chirp_of(std::int64_t n) {
  Numbers made;
  std::int64_t square = 0;  // modulo 2 n
  for (std::int64_t k = 0; k < n; ++k) {
    made.push_back(
        std::polar(1.0, -std::numbers::pi * static_cast<double>(square) / static_cast<double>(n)));
    square = (square + 2 * k + 1) % (2 * n);
  }
  return made;
}

class Planner {
 public:
  Planner(const plugin::Transform& transform, cl_context context)
      : transform_(transform), context_(context) {
    for (const plugin::TransformIndex& index : transform.indexes) extents_.push_back(index.in);
  }

  void plan(std::vector<Fft::Step>& steps) {
    using Sort = plugin::Transform::Sort;
    const auto& indexes = transform_.indexes;
    const auto halved = std::ranges::find(indexes, true, &plugin::TransformIndex::is_halved);
    const auto at = static_cast<std::size_t>(halved - indexes.begin());
    if (transform_.sort == Sort::r2c) {
      move(steps, 0, extents_[0], true, false);
      passes(steps, at);
      move(steps, at, halved->out, false, false);
    }
    for (std::size_t k = 0; k < indexes.size(); ++k)
      if (indexes[k].is_transformed && !indexes[k].is_halved) passes(steps, k);
    if (transform_.sort == Sort::c2r) {
      move(steps, at, halved->out, false, false);
      passes(steps, at);
      move(steps, 0, extents_[0], false, true);
    }
    // One step alone might read what it wrote where left is result.
    while (steps.size() < 2) move(steps, 0, extents_[0], false, false);
  }

 private:
  [[nodiscard]] Fft::Step around(std::size_t index) const {
    Fft::Step step;
    for (std::size_t k = 0; k < extents_.size(); ++k)
      if (k != index) (k < index ? step.inner : step.outer) *= extents_[k];
    step.from = step.to = extents_[index];
    return step;
  }
  void move(std::vector<Fft::Step>& steps, std::size_t index, std::int64_t to, bool is_from_real,
            bool is_to_real) {
    Fft::Step step = around(index);
    step.to = extents_[index] = to;
    step.is_from_real = is_from_real;
    step.is_to_real = is_to_real;
    steps.push_back(std::move(step));
  }
  void passes(std::vector<Fft::Step>& steps, std::size_t index, double sign = 0) {
    Fft::Step step = around(index);
    if (step.from == 1) return;
    const std::vector<std::int64_t> radixes = radixes_of(step.from);
    if (radixes.empty()) return convolve(steps, index);
    step.sign = sign;
    std::tie(step.roots, step.shift) = roots_of(step.from, transform_.is_single, context_);
    for (const std::int64_t radix : radixes) {
      step.radix = radix;
      steps.push_back(step);
      step.done *= radix;
    }
  }
  void multiply(std::vector<Fft::Step>& steps, std::size_t index, std::int64_t to,
                const Numbers& numbers) {
    move(steps, index, to, false, false);
    steps.back().is_chirp = true;
    steps.back().roots = upload(context_, numbers, transform_.is_single);
  }
  /// X(k) = c(k) sum over j of x(j) c(j) / c(k - j), where c(k) = exp(-pi i k^2 / n): Bluestein,
  /// IEEE Trans. Audio Electroacoust. 18 (1970) 451.
  void convolve(std::vector<Fft::Step>& steps, std::size_t index) {
    const std::int64_t n = extents_[index];
    std::int64_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    Numbers chirp = chirp_of(n), spectrum(static_cast<std::size_t>(m));
    for (std::int64_t k = 0; k < n; ++k)
      spectrum[static_cast<std::size_t>(k)] = spectrum[static_cast<std::size_t>((m - k) % m)] =
          std::conj(chirp[static_cast<std::size_t>(k)]);
    transform_here(spectrum);
    multiply(steps, index, m, chirp);
    passes(steps, index, 1);
    multiply(steps, index, m, spectrum);
    passes(steps, index, -1);
    for (std::complex<double>& one : chirp) one /= static_cast<double>(m);
    multiply(steps, index, n, chirp);
  }

  const plugin::Transform& transform_;
  cl_context context_;
  std::vector<std::int64_t> extents_;  ///< of what the next step reads
};

}  // namespace

FftKernels build_fft_kernels(cl_context context, cl_device_id device, bool is_single,
                             const std::string& cache) {
  const std::string options = std::string("-cl-std=CL1.2 -DR=") + (is_single ? "float" : "double");
  FftKernels made;
  made.program = build_program(context, device, fft_source, options, cache);
  made.pass2 = open_kernel(made.program, "pass2");
  made.pass3 = open_kernel(made.program, "pass3");
  made.pass4 = open_kernel(made.program, "pass4");
  made.pass5 = open_kernel(made.program, "pass5");
  made.pass8 = open_kernel(made.program, "pass8");
  made.pass_any = open_kernel(made.program, "pass_any");
  made.move = open_kernel(made.program, "move");
  made.chirp = open_kernel(made.program, "chirp");
  return made;
}

std::int64_t Fft::Step::items() const noexcept {
  const bool is_butterfly = radix == 2 || radix == 3 || radix == 4 || radix == 5 || radix == 8;
  return inner * outer * (is_butterfly ? to / radix : to);
}

std::uint64_t Fft::workspace_bytes() const noexcept {
  const std::uint64_t parts = std::min<std::size_t>(steps.size() - 1, 2);
  return parts * part_elements * (is_single ? 8 : 16);
}

Fft Fft::plan(const plugin::Transform& transform, cl_context context) {
  Fft fft;
  fft.is_single = transform.is_single;
  fft.sign = transform.is_backward ? -1 : 1;
  Planner(transform, context).plan(fft.steps);
  for (const Step& step : fft.steps)
    fft.part_elements =
        std::max(fft.part_elements, static_cast<std::uint64_t>(step.inner * step.to * step.outer));
  return fft;
}

}  // namespace blockyard::opencl
