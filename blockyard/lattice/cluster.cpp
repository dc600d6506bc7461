// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::lattice {

using base::Errc;
using base::Error;

namespace {

int modulo(int value, int length) { return ((value % length) + length) % length; }

std::string text(Vector2 v) { return fmt::format("({}, {})", v[0], v[1]); }

}  // namespace

Cluster::Cluster(std::vector<Vector2> sites, std::vector<Vector2> momenta, Vector2 lengths,
                 const std::vector<Vector2>& exchange)
    : sites_(std::move(sites)), momenta_(std::move(momenta)), lengths_(lengths) {
  if (lengths_[0] < 1 || lengths_[1] < 1)
    throw Error(
        Errc::bad_input,
        fmt::format("the lengths of the cluster are {}; they must be positive", text(lengths_)));
  if (sites_.empty() || sites_.size() != momenta_.size())
    throw Error(
        Errc::bad_input,
        fmt::format(
            "{} sites and {} momenta: a cluster has the same number of both, and at least one",
            sites_.size(), momenta_.size()));
  for (int k = 0; k < size(); ++k)
    if (find(momenta_[static_cast<std::size_t>(k)]) != k)
      throw Error(Errc::bad_input, fmt::format("the momentum {} appears twice in the cluster",
                                               text(momenta_[static_cast<std::size_t>(k)])));
  for (const Vector2& k : momenta_)
    for (const Vector2& q : momenta_) {
      add_.push_back(find({k[0] + q[0], k[1] + q[1]}));
      minus_.push_back(find({q[0] - k[0], q[1] - k[1]}));
      if (add_.back() < 0 || minus_.back() < 0)
        throw Error(Errc::bad_input,
                    fmt::format("the momenta {} and {} are in the cluster, but not their sum and "
                                "difference",
                                text(k), text(q)));
    }
  for (const Vector2& k : momenta_)
    for (const Vector2& r : sites_) {
      const double angle = 2 * std::numbers::pi *
                           (static_cast<double>(k[0]) * r[0] / lengths_[0] +
                            static_cast<double>(k[1]) * r[1] / lengths_[1]);
      phases_.push_back(std::polar(1.0, angle));
    }
  for (const Vector2& q : exchange) {
    exchange_.push_back(find(q));
    if (exchange_.back() < 0)
      throw Error(Errc::bad_input,
                  fmt::format("the exchange momentum {} is not in the cluster", text(q)));
    const auto first = std::ranges::find(exchange_, exchange_.back());
    if (first != exchange_.end() - 1)
      throw Error(
          Errc::bad_input,
          fmt::format("the exchange momentum {} is {}, which is given already: remove one of them",
                      text(q),
                      text(exchange[static_cast<std::size_t>(first - exchange_.begin())])));
  }
}

int Cluster::find(Vector2 momentum) const {
  const auto same = [&](const Vector2& other) {
    return modulo(other[0] - momentum[0], lengths_[0]) == 0 &&
           modulo(other[1] - momentum[1], lengths_[1]) == 0;
  };
  const auto found = std::ranges::find_if(momenta_, same);
  return found == momenta_.end() ? -1 : static_cast<int>(found - momenta_.begin());
}

}  // namespace blockyard::lattice
