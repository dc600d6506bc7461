// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/cholesky.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/detail/lapack.h"

namespace blockyard::qc {

namespace {

// Within a pair of shells only products with at least this part of its largest error are taken.
constexpr double span_factor = 1e-2;

std::size_t pair_number(Extent a, Extent b) {
  const auto [low, high] = std::minmax(a, b);
  return static_cast<std::size_t>(high * (high + 1) / 2 + low);
}

Extent function_of(const Shell& shell, Extent k) { return shell.first_function + k; }

std::size_t shell_of(const AoBasis& basis, Extent function) {
  const auto after = std::ranges::upper_bound(basis.shells, function, {}, &Shell::first_function);
  return static_cast<std::size_t>(after - basis.shells.begin()) - 1;
}

/// The decomposition under way: errors of all products, and the vectors so far.
class Decomposition {
 public:
  Decomposition(const Integrals& integrals, double threshold, std::int64_t memory_bytes)
      : basis_(integrals.basis()),
        engine_(integrals),
        threshold_(threshold),
        memory_bytes_(memory_bytes),
        pairs_(pair_number(basis_.function_count, 0)) {
    check_memory(pairs_);
    errors_.resize(pairs_);
    for (std::size_t a = 0; a < basis_.shells.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) read_diagonal(a, b);
  }

  std::vector<FunctionPair> run() {
    for (;;) {
      const auto largest = std::ranges::max_element(errors_);
      if (largest == errors_.end() || *largest <= threshold_) break;
      const FunctionPair worst = pair_at(static_cast<std::size_t>(largest - errors_.begin()));
      reduce(shell_of(basis_, worst.first), shell_of(basis_, worst.second));
    }
    std::ranges::sort(pivots_, {}, [&](const FunctionPair& pivot) {
      return std::tuple(shell_of(basis_, pivot.first), shell_of(basis_, pivot.second), pivot);
    });
    return std::move(pivots_);
  }

 private:
  /// Vectors that lie one after the other. More at once would have to be moved, and there twice,
  /// while they become more.
  static constexpr std::size_t chunk_vectors = 32;

  /// Throws unless `more` numbers have room.
  void check_memory(std::size_t more) const {
    const std::size_t there = errors_.size() + chunks_.size() * chunk_vectors * pairs_ +
                              columns_.capacity() + block_.capacity();
    const auto wanted = static_cast<std::int64_t>((there + more) * sizeof(double));
    if (wanted <= memory_bytes_) return;
    throw base::Error(
        base::Errc::no_memory,
        fmt::format(
            "too little memory: the Cholesky decomposition of the integrals needs more than "
            "{} and may use {}; so far it has {} vectors of {}\n  use --memory {}M or more, "
            "a larger cholesky_threshold, or integrals = \"df\"",
            base::format_bytes(wanted), base::format_bytes(memory_bytes_), pivots_.size(),
            base::format_bytes(static_cast<std::int64_t>(pairs_ * sizeof(double))),
            (wanted >> 20) + 1));
  }

  /// A buffer of `count` numbers, if there is room.
  void resize(std::vector<double>& buffer, std::size_t count) const {
    if (count > buffer.capacity()) {
      buffer = {};
      check_memory(count);
    }
    buffer.resize(count);
  }

  [[nodiscard]] std::span<const double> vector_at(std::size_t v) const {
    return std::span(chunks_[v / chunk_vectors]).subspan(v % chunk_vectors * pairs_, pairs_);
  }

  static FunctionPair pair_at(std::size_t number) {
    auto high = static_cast<Extent>((std::sqrt(8.0 * static_cast<double>(number) + 1) - 1) / 2);
    while (pair_number(high + 1, 0) <= number) ++high;
    while (pair_number(high, 0) > number) --high;
    return {high, static_cast<Extent>(number - pair_number(high, 0))};
  }

  void read_diagonal(std::size_t a, std::size_t b) {
    const Shell& sa = basis_.shells[a];
    const Shell& sb = basis_.shells[b];
    const Extent na = sa.function_count, nb = sb.function_count;
    const auto block = static_cast<std::size_t>(na * nb);
    resize(block_, block * block);
    engine_.electron_repulsion({a, 1}, {b, 1}, {a, 1}, {b, 1}, block_);
    for (Extent j = 0; j < nb; ++j)
      for (Extent i = 0; i < na; ++i)
        errors_[pair_number(function_of(sa, i), function_of(sb, j))] =
            block_[static_cast<std::size_t>(i + na * j) * (block + 1)];
  }

  /// Takes the products of two shells whose errors are among the largest there.
  void reduce(std::size_t a, std::size_t b) {
    std::vector<FunctionPair> products;
    for (Extent i = 0; i < basis_.shells[a].function_count; ++i)
      for (Extent j = 0; j < basis_.shells[b].function_count; ++j) {
        const FunctionPair pair{function_of(basis_.shells[a], i), function_of(basis_.shells[b], j)};
        if (pair.first >= pair.second) products.push_back(pair);
      }
    columns_of(a, b, products);
    double least = threshold_;
    for (bool is_first = true;; is_first = false) {
      const auto error_of = [&](const FunctionPair& pair) {
        return errors_[pair_number(pair.first, pair.second)];
      };
      const auto worst = std::ranges::max_element(products, {}, error_of);
      if (is_first) least = std::max(threshold_, span_factor * error_of(*worst));
      if (error_of(*worst) <= least) return;
      add_vector(products, static_cast<std::size_t>(worst - products.begin()));
    }
  }

  /// columns_ = (all products|these) less what the vectors so far give
  void columns_of(std::size_t a, std::size_t b, const std::vector<FunctionPair>& products) {
    const Extent n = basis_.function_count;
    const Shell& sa = basis_.shells[a];
    const Shell& sb = basis_.shells[b];
    const ShellRange all{0, basis_.shells.size()};
    const auto square = static_cast<std::size_t>(n * n);
    resize(block_, square * static_cast<std::size_t>(sa.function_count * sb.function_count));
    engine_.electron_repulsion(all, all, {a, 1}, {b, 1}, block_);
    resize(columns_, pairs_ * products.size());
    for (std::size_t k = 0; k < products.size(); ++k) {
      const Extent i = products[k].first - sa.first_function;
      const Extent j = products[k].second - sb.first_function;
      const double* from =
          block_.data() + square * static_cast<std::size_t>(i + sa.function_count * j);
      double* to = columns_.data() + pairs_ * k;
      for (Extent high = 0; high < n; ++high) to = std::copy_n(from + high * n, high + 1, to);
    }
    for (std::size_t first = 0; first < pivots_.size(); first += chunk_vectors)
      subtract_vectors(first, std::min(chunk_vectors, pivots_.size() - first), products);
  }

  /// columns_ less what the vectors first .. first + count - 1, of one chunk, give.
  void subtract_vectors(std::size_t first, std::size_t count,
                        const std::vector<FunctionPair>& products) {
    std::vector<double> rows(count * products.size());
    for (std::size_t k = 0; k < products.size(); ++k)
      for (std::size_t v = 0; v < count; ++v)
        rows[v + count * k] =
            vector_at(first + v)[pair_number(products[k].first, products[k].second)];
    const int m = base::to_int(static_cast<Extent>(pairs_));
    const int columns = base::to_int(static_cast<Extent>(products.size()));
    const int inner = base::to_int(static_cast<Extent>(count));
    const double minus = -1.0, one = 1.0;
    dgemm_("N", "N", &m, &columns, &inner, &minus, vector_at(first).data(), &m, rows.data(), &inner,
           &one, columns_.data(), &m);
  }

  void add_vector(const std::vector<FunctionPair>& products, std::size_t chosen) {
    const auto number = [&](std::size_t k) {
      return pair_number(products[k].first, products[k].second);
    };
    const double scale = 1.0 / std::sqrt(errors_[number(chosen)]);
    if (pivots_.size() % chunk_vectors == 0) {
      check_memory(chunk_vectors * pairs_);
      chunks_.emplace_back().reserve(chunk_vectors * pairs_);
    }
    std::vector<double>& chunk = chunks_.back();
    chunk.resize(chunk.size() + pairs_);
    const double* column = columns_.data() + pairs_ * chosen;
    double* vector = chunk.data() + chunk.size() - pairs_;
    for (std::size_t k = 0; k < pairs_; ++k) {
      vector[k] = scale * column[k];
      errors_[k] = std::max(0.0, errors_[k] - vector[k] * vector[k]);
    }
    for (std::size_t k = 0; k < products.size(); ++k) {
      const double factor = vector[number(k)];
      double* other = columns_.data() + pairs_ * k;
      for (std::size_t row = 0; row < pairs_; ++row) other[row] -= factor * vector[row];
    }
    errors_[number(chosen)] = 0.0;
    pivots_.push_back(products[chosen]);
  }

  const AoBasis& basis_;
  IntegralEngine engine_;
  double threshold_;
  std::int64_t memory_bytes_;
  std::size_t pairs_;                        ///< products, without order
  std::vector<double> errors_;               ///< by pair_number
  std::vector<std::vector<double>> chunks_;  ///< of the vectors, pairs_ values each
  std::vector<double> columns_;
  std::vector<double> block_;
  std::vector<FunctionPair> pivots_;
};

/// Calls run(a, b, first, count) for the pivots first .. first + count - 1 of one pair of shells.
template <class Run>
void each_shell_pair(const AoBasis& basis, std::span<const FunctionPair> pivots, const Run& run) {
  for (std::size_t first = 0; first < pivots.size();) {
    const std::size_t a = shell_of(basis, pivots[first].first);
    const std::size_t b = shell_of(basis, pivots[first].second);
    std::size_t end = first + 1;
    while (end < pivots.size() && shell_of(basis, pivots[end].first) == a &&
           shell_of(basis, pivots[end].second) == b)
      ++end;
    run(a, b, first, end - first);
    first = end;
  }
}

/// Where a pivot stands among the products of its two shells.
std::size_t place_in(const AoBasis& basis, std::size_t a, std::size_t b,
                     const FunctionPair& pivot) {
  const Extent i = pivot.first - basis.shells[a].first_function;
  const Extent j = pivot.second - basis.shells[b].first_function;
  return static_cast<std::size_t>(i + basis.shells[a].function_count * j);
}

std::size_t product_count(const AoBasis& basis, std::size_t a, std::size_t b) {
  return static_cast<std::size_t>(basis.shells[a].function_count * basis.shells[b].function_count);
}

}  // namespace

std::vector<FunctionPair> cholesky_pivots(const Integrals& integrals, double threshold,
                                          std::int64_t memory_bytes) {
  if (!(threshold >= 1e-10 && threshold <= 1))
    throw base::Error(base::Errc::bad_input, "cholesky_threshold must be between 1e-10 and 1");
  return Decomposition(integrals, threshold, memory_bytes).run();
}

void pivot_integrals(IntegralEngine& engine, ShellRange a, ShellRange b,
                     std::span<const FunctionPair> pivots, std::span<double> out) {
  const AoBasis& basis = engine.shared().basis();
  const auto products = static_cast<std::size_t>(engine.shared().function_count(a) *
                                                 engine.shared().function_count(b));
  base::require(out.size() == products * pivots.size(), "one value for each product and pivot");
  std::vector<double> block;
  each_shell_pair(basis, pivots,
                  [&](std::size_t c, std::size_t d, std::size_t first, std::size_t count) {
                    block.resize(products * product_count(basis, c, d));
                    engine.electron_repulsion(a, b, {c, 1}, {d, 1}, block);
                    for (std::size_t k = first; k < first + count; ++k)
                      std::copy_n(block.data() + products * place_in(basis, c, d, pivots[k]),
                                  products, out.data() + products * k);
                  });
}

void pivot_metric(IntegralEngine& engine, std::span<const FunctionPair> p,
                  std::span<const FunctionPair> q, std::span<double> out) {
  const AoBasis& basis = engine.shared().basis();
  base::require(out.size() == p.size() * q.size(), "one value for each pair of pivots");
  std::vector<double> block;
  each_shell_pair(
      basis, p, [&](std::size_t a, std::size_t b, std::size_t p_first, std::size_t p_count) {
        each_shell_pair(
            basis, q, [&](std::size_t c, std::size_t d, std::size_t q_first, std::size_t q_count) {
              const std::size_t rows = product_count(basis, a, b);
              block.resize(rows * product_count(basis, c, d));
              engine.electron_repulsion({a, 1}, {b, 1}, {c, 1}, {d, 1}, block);
              for (std::size_t j = q_first; j < q_first + q_count; ++j)
                for (std::size_t i = p_first; i < p_first + p_count; ++i)
                  out[i + p.size() * j] =
                      block[place_in(basis, a, b, p[i]) + rows * place_in(basis, c, d, q[j])];
            });
      });
}

}  // namespace blockyard::qc
