// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/fft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <vector>

#include "blockyard/device/abi_kinds.h"

namespace blockyard::device::sim {
namespace {

using Complex = std::complex<double>;

bool has_parts(const blockyard_operand& operand) {
  return operand.order > 0 && operand.name[0] == blockyard_parts;
}
bool is_complex(const blockyard_operation& operation) {
  return operation.element == BLOCKYARD_C64 || operation.element == BLOCKYARD_C128;
}

/// An index with its extents; kind: 0 of the batch, 1 a Fourier transform, otherwise a real one.
struct Index {
  std::int64_t left = 0, result = 0, kind = 0;
  bool is_halved = false;
  [[nodiscard]] std::int64_t whole() const { return std::max(left, result); }
};
constexpr std::int64_t batch = 0, fourier = blockyard_last_real_transform + 1;

/// Empty: the operands do not fit each other.
std::vector<Index> indexes_of(const blockyard_operation& operation) {
  const blockyard_operand &left = operation.left, &result = operation.result;
  if (std::max({left.order, result.order, operation.right.order}) > blockyard_max_order) return {};
  const std::uint32_t skip_left = has_parts(left), skip_result = has_parts(result);
  const std::span names(operation.right.name, operation.right.order);
  const bool is_real_only = !is_complex(operation) && skip_left + skip_result == 0;
  if (names.empty() || left.order - skip_left != result.order - skip_result ||
      skip_left + skip_result > (is_complex(operation) ? 0U : 1U) ||
      (skip_left == 1 && left.extent[0] != 2) || (skip_result == 1 && result.extent[0] != 2))
    return {};
  std::vector<Index> all;
  std::size_t transformed = 0;
  for (std::uint32_t k = 0; k < left.order - skip_left; ++k) {
    const std::int32_t name = left.name[k + skip_left];
    Index index{left.extent[k + skip_left], result.extent[k + skip_result]};
    const bool is_again = std::ranges::find(left.name + skip_left, left.name + skip_left + k,
                                            name) != left.name + skip_left + k;
    if (result.name[k + skip_result] != name || is_again || index.left <= 0 || index.result <= 0)
      return {};
    if (const auto at = std::ranges::find(names, name); at != names.end()) {
      ++transformed;
      index.kind = is_real_only ? operation.right.extent[at - names.begin()] : fourier;
      index.is_halved = skip_left + skip_result == 1 && at == names.begin();
      if (index.kind < blockyard_first_real_transform || index.kind > fourier ||
          (is_real_only && index.kind == fourier))
        return {};
    }
    const std::int64_t half = skip_left == 1 ? index.left : index.result;
    const std::int64_t whole = skip_left == 1 ? index.result : index.left;
    if (half != (index.is_halved ? whole / 2 + 1 : whole)) return {};
    all.push_back(index);
  }
  return transformed == names.size() ? all : std::vector<Index>();
}

/// The factor of element j in element k of a real transform of n, numbered as FFTW numbers them.
double real_factor(std::int64_t kind, std::int64_t n, std::int64_t j, std::int64_t k) {
  const auto x = static_cast<double>(j), y = static_cast<double>(k), of = static_cast<double>(n);
  constexpr double pi = std::numbers::pi;
  const double whole = 2 * pi / of, half = pi / of;
  const double sign = k % 2 == 0 ? 1 : -1;
  switch (kind - blockyard_first_real_transform) {
    case 0:  // to half-complex
      return 2 * k <= n ? std::cos(whole * x * y) : -std::sin(whole * x * (of - y));
    case 1:  // from half-complex
      if (j == 0) return 1;
      if (2 * j == n) return sign;
      return 2 * j < n ? 2 * std::cos(whole * x * y) : -2 * std::sin(whole * (of - x) * y);
    case 2:  // Hartley
      return std::cos(whole * x * y) + std::sin(whole * x * y);
    case 3:  // cosine I
      if (j == 0) return 1;
      return j == n - 1 ? sign : 2 * std::cos(pi * x * y / (of - 1));
    case 4:  // cosine III
      return j == 0 ? 1 : 2 * std::cos(half * x * (y + 0.5));
    case 5:  // cosine II
      return 2 * std::cos(half * (x + 0.5) * y);
    case 6:  // cosine IV
      return 2 * std::cos(half * (x + 0.5) * (y + 0.5));
    case 7:  // sine I
      return 2 * std::sin(pi * (x + 1) * (y + 1) / (of + 1));
    case 8:  // sine III
      return j == n - 1 ? sign : 2 * std::sin(half * (x + 1) * (y + 0.5));
    case 9:  // sine II
      return 2 * std::sin(half * (x + 0.5) * (y + 1));
    default:  // sine IV
      return 2 * std::sin(half * (x + 0.5) * (y + 0.5));
  }
}

/// Along an index of n elements that are `stride` apart.
void transform(std::vector<Complex>& values, std::int64_t n, std::int64_t stride, std::int64_t kind,
               double sign) {
  std::vector<Complex> roots, line(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k)
    roots.push_back(std::polar(
        1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
  const auto factor = [&](std::int64_t j, std::int64_t k) {
    return kind == fourier ? roots[static_cast<std::size_t>(j * k % n)]
                           : Complex(real_factor(kind, n, j, k));
  };
  for (std::size_t first = 0; first < values.size(); ++first) {
    if (static_cast<std::int64_t>(first) / stride % n != 0) continue;
    const auto at = [&](std::int64_t k) -> Complex& {
      return values[first + static_cast<std::size_t>(k * stride)];
    };
    for (std::int64_t k = 0; k < n; ++k) {
      Complex sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += at(j) * factor(j, k);
      line[static_cast<std::size_t>(k)] = sum;
    }
    for (std::int64_t k = 0; k < n; ++k) at(k) = line[static_cast<std::size_t>(k)];
  }
}

/// Elements of a block of which an index may be halved, as those of the whole one.
class Elements {
 public:
  Elements(const std::vector<Index>& indexes, bool is_left)
      : indexes_(indexes), is_left_(is_left) {}
  /// Where element `number` of the whole block lies, and whether it is the conjugate of that one.
  [[nodiscard]] std::pair<std::int64_t, bool> find(std::int64_t number) const {
    bool is_mirrored = false;
    std::int64_t rest = number;
    for (const Index& index : indexes_) {
      is_mirrored = is_mirrored || rest % index.whole() >= extent(index);
      rest /= index.whole();
    }
    std::int64_t place = 0, stride = 1;
    for (const Index& index : indexes_) {
      std::int64_t k = number % index.whole();
      number /= index.whole();
      if (is_mirrored && index.kind == fourier) k = (index.whole() - k) % index.whole();
      place += k * stride;
      stride *= extent(index);
    }
    return {place, is_mirrored};
  }

 private:
  [[nodiscard]] std::int64_t extent(const Index& index) const {
    return is_left_ ? index.left : index.result;
  }
  const std::vector<Index>& indexes_;
  bool is_left_;
};

template <class Real>
void run_as(const blockyard_operation& operation, double alpha, const Blocks& blocks) {
  const std::vector<Index> indexes = indexes_of(operation);
  std::int64_t count = 1;
  for (const Index& index : indexes) count *= index.whole();
  const bool is_in_pairs = is_complex(operation) || has_parts(operation.left);
  const bool is_out_pairs = is_complex(operation) || has_parts(operation.result);
  const auto* const left = reinterpret_cast<const Real*>(blocks.left);
  auto* const result = reinterpret_cast<Real*>(blocks.result);
  std::vector<Complex> values(static_cast<std::size_t>(count));
  const Elements given(indexes, true), wanted(indexes, false);
  for (std::int64_t k = 0; k < count; ++k) {
    const auto [at, is_mirrored] = given.find(k);
    const Complex value = is_in_pairs ? Complex(left[2 * at], left[2 * at + 1]) : Complex(left[at]);
    values[static_cast<std::size_t>(k)] = is_mirrored ? std::conj(value) : value;
  }
  const bool is_backward = is_complex(operation) ? (operation.flags & blockyard_backward) != 0
                                                 : has_parts(operation.left);
  std::int64_t stride = 1;
  for (const Index& index : indexes) {
    if (index.kind != batch)
      transform(values, index.whole(), stride, index.kind, is_backward ? 1 : -1);
    stride *= index.whole();
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const auto [at, is_mirrored] = wanted.find(k);
    if (is_mirrored) continue;
    const Complex value = alpha * values[static_cast<std::size_t>(k)];
    result[is_out_pairs ? 2 * at : at] = static_cast<Real>(value.real());
    if (is_out_pairs) result[2 * at + 1] = static_cast<Real>(value.imag());
  }
}

}  // namespace

blockyard_status check_fft(const blockyard_operation& operation, const char** why) {
  *why = "this device does not know the operation";
  if ((operation.flags & ~std::uint32_t{blockyard_backward}) != 0) return BLOCKYARD_UNSUPPORTED;
  *why = "the operands of a transform do not fit each other";
  return indexes_of(operation).empty() ? BLOCKYARD_BAD_ARGUMENT : BLOCKYARD_OK;
}

void run_fft(const blockyard_operation& operation, double alpha, const Blocks& blocks) {
  if (operation.element == BLOCKYARD_F32 || operation.element == BLOCKYARD_C64)
    run_as<float>(operation, alpha, blocks);
  else
    run_as<double>(operation, alpha, blocks);
}

double fft_flops(const blockyard_operation& operation) {
  double count = 1, length = 1;
  for (const Index& index : indexes_of(operation)) {
    count *= static_cast<double>(index.whole());
    if (index.kind != batch) length *= static_cast<double>(index.whole());
  }
  return (is_complex(operation) ? 5 : 2.5) * count * std::log2(std::max(length, 2.0));
}

}  // namespace blockyard::device::sim
