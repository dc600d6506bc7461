// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/walker.h"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::lattice {

namespace {

constexpr double guided_from = 3;  // times x0
constexpr int changes_between_checks = 1000;
constexpr double nearly_singular = 10;  // g, whose passage costs digits of M
constexpr double largest_residue = 1e-8;

}  // namespace

double WalkerRandom::uniform() noexcept {
  if (left_ == 0) {
    const r123::Philox4x64 generator;
    const auto block = generator({{counter_++, 0, 0, 0}}, {{seed_, walker_}});
    std::copy(block.begin(), block.end(), block_.begin());
    left_ = static_cast<int>(block_.size());
  }
  constexpr int mantissa_bits = 53;
  const std::uint64_t bits = block_[static_cast<std::size_t>(--left_)] >> (64 - mantissa_bits);
  return std::ldexp(static_cast<double>(bits), -mantissa_bits);
}

int WalkerRandom::below(int count) noexcept {
  return std::min(count - 1, static_cast<int>(uniform() * count));
}

Walker::Walker(const Hubbard& model, const BareTime& bare, std::uint64_t seed, std::uint64_t number,
               double shift)
    : model_(model), bare_(bare), shift_(shift), random_(seed, number) {
  const double volume = std::abs(model.u) * model.beta * model.sites() * model.layers;
  steps_of_sweep_ = std::max(8, static_cast<int>(volume / 2));
}

double Walker::alpha(int spin, int x) const noexcept {
  const double sigma = spin == 0 || model_.u < 0 ? 1.0 : -1.0;
  return 0.5 + sigma * x * (0.5 + shift_);
}

double Walker::element(int spin, const Choice& row, const Choice& column,
                       bool is_same) const noexcept {
  const Vertex& a = row.vertex;
  const Vertex& b = column.vertex;
  const int length = model_.lengths[0];
  const Vector2 distance{a.site % length - b.site % length, a.site / length - b.site / length};
  return bare_.at(a.band, b.band, distance, a.tau - b.tau) - (is_same ? alpha(spin, row.x) : 0.0);
}

void Walker::propose_insertion() {
  Choice choice;
  choice.vertex.band = model_.layers == 1 ? 0 : random_.below(model_.layers);
  choice.vertex.site = random_.below(model_.sites());
  choice.vertex.tau = random_.uniform() * model_.beta;
  choice.x = random_.uniform() < 0.5 ? 1 : -1;
  double ratio = 1;
  for (int s = 0; s < 2; ++s) {
    row_.clear();
    column_.clear();
    for (const Choice& other : vertices_) {
      row_.push_back(element(s, choice, other, false));
      column_.push_back(element(s, other, choice, false));
    }
    ratio *= inverse_[static_cast<std::size_t>(s)].ratio(column_, row_,
                                                         element(s, choice, choice, true));
  }
  // Two values of x, each with weight U / 2.
  const double weight = -model_.u * model_.beta * model_.sites() * model_.layers /
                        (static_cast<double>(vertices_.size()) + 1) * ratio;
  const double guided =
      most_ > 0 ? guidance(inverse_[0].squares_grown(), inverse_[1].squares_grown()) : 1;
  if (random_.uniform() * guidance_ >= std::abs(weight) * guided) return;
  guidance_ = guided;
  for (GrowingInverse& inverse : inverse_) inverse.grow();
  vertices_.push_back(choice);
  if (weight < 0) sign_ = -sign_;
  ++changes_;
}

void Walker::propose_removal() {
  if (vertices_.empty()) return;
  const int k = random_.below(order());
  const double ratio = inverse_[0].ratio_without(k) * inverse_[1].ratio_without(k);
  const double weight =
      -order() / (model_.u * model_.beta * model_.sites() * model_.layers) * ratio;
  const double guided =
      most_ > 0 ? guidance(inverse_[0].squares_without(k), inverse_[1].squares_without(k)) : 1;
  if (random_.uniform() * guidance_ >= std::abs(weight) * guided) return;
  guidance_ = guided;
  for (GrowingInverse& inverse : inverse_) inverse.shrink(k);
  vertices_[static_cast<std::size_t>(k)] = vertices_.back();
  vertices_.pop_back();
  if (weight < 0) sign_ = -sign_;
  ++changes_;
}

double Walker::guidance(double up, double down) const noexcept {
  return std::max(1.0, std::sqrt(up * down) / most_);
}

void Walker::note() {
  const double product = inverse_[0].squares() * inverse_[1].squares();
  if (product == 0) return;
  noted_ += std::log(product) / 2;
  ++notes_;
}

void Walker::guide() {
  if (notes_ == 0) return;
  most_ = guided_from * std::exp(noted_ / static_cast<double>(notes_));
  guidance_ = guidance(inverse_[0].squares(), inverse_[1].squares());
}

void Walker::sweep() {
  if (model_.u == 0) return;
  for (int step = 0; step < steps_of_sweep_; ++step) {
    if (random_.uniform() < 0.5)
      propose_insertion();
    else
      propose_removal();
    if (guidance_ > nearly_singular) is_worn_ = true;
    if (changes_ >= changes_between_checks || (is_worn_ && guidance_ == 1)) check_residue();
  }
}

std::vector<double> Walker::matrix(int spin) const {
  std::vector<double> matrix;
  for (std::size_t j = 0; j < vertices_.size(); ++j)
    for (std::size_t i = 0; i < vertices_.size(); ++i)
      matrix.push_back(element(spin, vertices_[i], vertices_[j], i == j));
  return matrix;
}

double Walker::residue(int spin, const std::vector<double>& matrix) const {
  const GrowingInverse& inverse = inverse_[static_cast<std::size_t>(spin)];
  const int n = order();
  double worst = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? -1.0 : 0.0;
      for (int l = 0; l < n; ++l)
        sum += matrix[static_cast<std::size_t>(l * n + i)] * inverse.at(l, j);
      worst = std::max(worst, std::abs(sum));
    }
  return worst;
}

void Walker::check_residue() {
  changes_ = 0;
  is_worn_ = false;
  for (int s = 0; s < 2; ++s) {
    std::vector<double> exact = matrix(s);
    const double found = residue(s, exact);
    worst_residue_ = std::max(worst_residue_, found);
    if (!(found <= largest_residue))
      inverse_[static_cast<std::size_t>(s)].assign(std::move(exact), order());
  }
}

Sample Walker::sample() const {
  Sample sample;
  sample.sign = sign_ * weight();
  const int n = order();
  for (std::size_t s = 0; s < 2; ++s) {
    SpinSample& spin = sample.spins[s];
    for (const Choice& choice : vertices_) spin.vertices.push_back(choice.vertex);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) spin.real.push_back(inverse_[s].at(i, j));
  }
  return sample;
}

void Walker::save(base::FieldWriter& out) const {
  random_.save(out);
  out.fields(vertices_, sign_, guidance_, most_, noted_, notes_, worst_residue_, changes_,
             is_worn_);
  for (const GrowingInverse& inverse : inverse_) inverse.save(out);
}

void Walker::load(base::FieldReader& in) {
  random_.load(in);
  in.fields(vertices_, sign_, guidance_, most_, noted_, notes_, worst_residue_, changes_, is_worn_);
  for (GrowingInverse& inverse : inverse_) {
    inverse.load(in);
    base::require(inverse.size() == order(), "a saved walker has as many rows as vertices");
  }
}

}  // namespace blockyard::lattice
