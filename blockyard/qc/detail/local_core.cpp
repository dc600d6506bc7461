// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/local_core.h"

#include <array>
#include <cmath>
#include <numbers>

namespace blockyard::qc::detail {
namespace {

using std::numbers::pi;

constexpr int node_count = 40;
constexpr double negligible_exponent = 50.0;  // exp(-50) is 2e-22
constexpr int most_momentum = 5;
constexpr int most_power = 2;  // of x

/// A product of three Gaussians around the potential's centre, which is the origin.
struct Product {
  Vector3 a{};  ///< centres of the shells, bohr
  Vector3 b{};
  Vector3 mean{};  ///< centre of the product
  double exponent = 0;
  double factor = 0;
};

/// A node of the quadrature over u: t^2 = u^2 / (exponent + u^2).
struct Node {
  double t_squared = 0;
  double weight = 0;
};

/// along(i, j, c): the mean of (x - a)^i (x - b)^j x^c over a normal distribution.
class Moments {
 public:
  Moments(int la, int lb, int powers) : la_(la), lb_(lb), powers_(powers) {}
  void compute(double a, double b, double mean, double variance) {
    at(0, 0, 0) = 1.0;
    for (int c = 0; c < powers_; ++c)
      at(0, 0, c + 1) = mean * at(0, 0, c) + (c > 0 ? variance * c * at(0, 0, c - 1) : 0.0);
    for (int i = 0; i < la_; ++i) raise(i + 1, 0, mean - a, variance, i, 0);
    for (int j = 0; j < lb_; ++j)
      for (int i = 0; i <= la_; ++i) raise(i, j + 1, mean - b, variance, i, j);
  }
  [[nodiscard]] double operator()(int i, int j, int c) const { return values_[place(i, j, c)]; }

 private:
  /// Values of (i, j), a step above those of (from_i, from_j).
  void raise(int i, int j, double shift, double variance, int from_i, int from_j) {
    for (int c = 0; c <= powers_; ++c) {
      double lower = 0.0;
      if (from_i > 0) lower += from_i * at(from_i - 1, from_j, c);
      if (from_j > 0) lower += from_j * at(from_i, from_j - 1, c);
      if (c > 0) lower += c * at(from_i, from_j, c - 1);
      at(i, j, c) = shift * at(from_i, from_j, c) + variance * lower;
    }
  }
  static std::size_t place(int i, int j, int c) {
    return static_cast<std::size_t>((i * (most_momentum + 1) + j) * (most_power + 1) + c);
  }
  double& at(int i, int j, int c) { return values_[place(i, j, c)]; }

  int la_;
  int lb_;
  int powers_;
  std::array<double, (most_momentum + 1) * (most_momentum + 1) * (most_power + 1)> values_{};
};

/// Calls `visit(x, y, z)` for the components of angular momentum l.
template <class Visit>
void each_component(int l, const Visit& visit) {
  for (int x = l; x >= 0; --x)
    for (int y = l - x; y >= 0; --y) visit(x, y, l - x - y);
}

/// Adds weight * <(x - a)^i ... (x - b)^j ... r^(2 k)>, k = 0 or 1, for all components.
void add_node(const Product& product, const Node& node, int la, int lb, bool is_squared,
              std::span<double> values) {
  const double rest = 1.0 - node.t_squared;
  std::array<Moments, 3> along = {Moments(la, lb, is_squared ? 2 : 0),
                                  Moments(la, lb, is_squared ? 2 : 0),
                                  Moments(la, lb, is_squared ? 2 : 0)};
  for (std::size_t k = 0; k < 3; ++k)
    along[k].compute(product.a[k], product.b[k], product.mean[k] * rest,
                     rest / (2 * product.exponent));
  const auto& [x, y, z] = along;
  const double weight = product.factor * node.weight;
  auto value = values.begin();
  each_component(la, [&](int ax, int ay, int az) {
    each_component(lb, [&](int bx, int by, int bz) {
      const double plain[] = {x(ax, bx, 0), y(ay, by, 0), z(az, bz, 0)};
      *value++ += weight * (is_squared ? x(ax, bx, 2) * plain[1] * plain[2] +
                                             plain[0] * y(ay, by, 2) * plain[2] +
                                             plain[0] * plain[1] * z(az, bz, 2)
                                       : plain[0] * plain[1] * plain[2]);
    });
  });
}

Product product_of(const libint2::Shell& a, std::size_t p, const libint2::Shell& b, std::size_t q,
                   double exponent, const Vector3& center) {
  Product product;
  const double alpha = a.alpha[p], beta = b.alpha[q];
  product.exponent = alpha + beta + exponent;
  double decay = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    product.a[k] = a.O[k] - center[k];
    product.b[k] = b.O[k] - center[k];
    product.mean[k] = (alpha * product.a[k] + beta * product.b[k]) / product.exponent;
    const double between = product.a[k] - product.b[k];
    decay += alpha * beta * between * between + alpha * exponent * product.a[k] * product.a[k] +
             beta * exponent * product.b[k] * product.b[k];
  }
  product.factor = a.contr[0].coeff[p] * b.contr[0].coeff[q] * std::exp(-decay / product.exponent);
  return product;
}

/// Value and derivative of the Legendre polynomial of degree node_count.
std::pair<double, double> legendre(double x) {
  double before = 1.0, value = x;
  for (int n = 2; n <= node_count; ++n) {
    const double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
    before = value;
    value = next;
  }
  return {value, node_count * (x * value - before) / (x * x - 1.0)};
}

/// Nodes for r^(power - 2) without its factor r^2, if it has one.
template <class Use>
void each_node(int power, double exponent, double decay, std::span<const double> nodes,
               std::span<const double> weights, const Use& use) {
  const double overlap = std::pow(pi / exponent, 1.5);
  if (power == 2 || power == 4) {
    use(Node{0.0, overlap});
    return;
  }
  const bool is_inverse_square = power == 0;  // t = sin(angle) then
  const double longest = std::min(1.0, std::sqrt(negligible_exponent / decay));
  const double range = is_inverse_square ? std::asin(longest) : longest;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double t = is_inverse_square ? std::sin(nodes[k] * range) : nodes[k] * range;
    const double factor = is_inverse_square ? overlap * exponent * 2 * t : 2 * pi / exponent;
    use(Node{t * t, weights[k] * range * factor * std::exp(-decay * t * t)});
  }
}

}  // namespace

LocalCore::LocalCore() {
  for (int k = 0; k < node_count; ++k) {
    double x = std::cos(pi * (k + 0.75) / (node_count + 0.5));
    for (int step = 0; step < 10; ++step) {
      const auto [value, derivative] = legendre(x);
      x -= value / derivative;
    }
    const double derivative = legendre(x).second;
    nodes_.push_back((1 + x) / 2);
    weights_.push_back(1 / ((1 - x * x) * derivative * derivative));
  }
}

void LocalCore::add(const RadialPotential& potential, const Vector3& center,
                    const libint2::Shell& a, const libint2::Shell& b,
                    std::span<double> values) const {
  const int la = a.contr[0].l, lb = b.contr[0].l;
  for (std::size_t term = 0; term < potential.powers.size(); ++term)
    for (std::size_t p = 0; p < a.alpha.size(); ++p)
      for (std::size_t q = 0; q < b.alpha.size(); ++q) {
        Product product = product_of(a, p, b, q, potential.exponents[term], center);
        product.factor *= potential.coefficients[term];
        if (product.factor == 0.0) continue;
        const auto& mean = product.mean;
        const double decay =
            product.exponent * (mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]);
        const int power = potential.powers[term];
        each_node(power, product.exponent, decay, nodes_, weights_,
                  [&](const Node& node) { add_node(product, node, la, lb, power >= 3, values); });
      }
}

}  // namespace blockyard::qc::detail
