// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/detail/meeting.h"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"
#include "blockyard/fabric/rank_tree.h"

namespace blockyard::fabric::detail {

namespace {

/// Why two offers are not of one collective; empty if they are.
std::string quarrel(const Offer& a, const Offer& b) {
  if (!a.error.empty()) return a.error;
  if (!b.error.empty()) return b.error;
  if (a.kind != b.kind || a.root != b.root)
    return "ranks came to different collectives at the same time";
  if (a.length != b.length)
    return a.kind == Collective::broadcast ? "ranks called broadcast with different lengths"
                                           : "ranks called reduce with different lengths";
  return {};
}

void add(std::span<std::byte> to, std::span<const std::byte> from) {
  for (std::size_t at = 0; at < to.size(); at += sizeof(double)) {
    double sum = 0, value = 0;
    std::memcpy(&sum, to.data() + at, sizeof sum);
    std::memcpy(&value, from.data() + at, sizeof value);
    sum += value;
    std::memcpy(to.data() + at, &sum, sizeof sum);
  }
}

void join(Offer& all, Offer& next) {
  all.error = quarrel(all, next);
  if (!all.error.empty()) return;
  switch (all.kind) {
    case Collective::barrier:
      return;
    case Collective::broadcast:
      if (!next.bytes.empty()) all.bytes = std::move(next.bytes);
      return;
    case Collective::reduce:
      return add(all.bytes, next.bytes);
    case Collective::tell:
      all.bytes.insert(all.bytes.end(), next.bytes.begin(), next.bytes.end());
  }
}

}  // namespace

std::vector<std::byte> encode(const Offer& offer) {
  base::ByteWriter out;
  out.value(offer.kind);
  out.value(offer.root);
  out.value(offer.length);
  out.text(offer.error);
  out.raw(offer.bytes);
  return out.take();
}

Offer decode(std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  Offer offer;
  offer.kind = in.value<Collective>();
  offer.root = in.value<std::int32_t>();
  offer.length = in.value<std::uint64_t>();
  offer.error = in.text();
  const auto rest = in.raw(in.left());
  offer.bytes.assign(rest.begin(), rest.end());
  return offer;
}

Offer join(std::vector<Offer> offers) {
  Offer all = std::move(offers.front());
  for (Offer& next : offers | std::views::drop(1)) join(all, next);
  return all;
}

Meetings::Meetings(std::span<const int> process_of, int process, Send send_offer, Send send_result)
    : places_(process_of.size()),
      send_offer_(std::move(send_offer)),
      send_result_(std::move(send_result)) {
  const int ranks = static_cast<int>(process_of.size());
  for (int rank = 0; rank < ranks; ++rank) {
    if (process_of[index(rank)] != process) continue;
    auto place = std::make_unique<Place>();
    place->children = children_of(rank, ranks);
    place->offers.resize(1 + place->children.size());
    places_[index(rank)] = std::move(place);
  }
}

void Meetings::take_offer(int from, int to, Offer offer) {
  Place& place = *places_.at(index(to));
  std::size_t at = 0;
  if (from != to) {
    const auto child = std::ranges::lower_bound(place.children, from);
    base::require(child != place.children.end() && *child == from, "an offer comes from a child");
    at = 1 + static_cast<std::size_t>(child - place.children.begin());
  }
  place.offers[at] = std::move(offer);
  if (++place.came < place.offers.size()) return;
  place.came = 0;
  Offer all = join(std::exchange(place.offers, std::vector<Offer>(place.offers.size())));
  if (to == 0) return take_result(0, std::make_shared<const Offer>(std::move(all)));
  const int parent = parent_of(to);
  if (is_here(parent)) return take_offer(to, parent, std::move(all));
  send_offer_(to, parent, all);
}

/// To those with most below them first.
void Meetings::take_result(int to, const Result& result) {
  Place& place = *places_.at(index(to));
  for (const int child : std::views::reverse(place.children))
    if (is_here(child))
      take_result(child, result);
    else
      send_result_(to, child, *result);
  place.result = result;
}

}  // namespace blockyard::fabric::detail
