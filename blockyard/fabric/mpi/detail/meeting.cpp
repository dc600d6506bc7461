// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/meeting.h"

#include <algorithm>
#include <cstring>

#include "blockyard/base/bytes.h"

namespace blockyard::fabric::detail {

namespace {

std::vector<std::byte> sum(const std::vector<Offer>& offers) {
  std::vector<double> sums(offers.front().bytes.size() / sizeof(double), 0.0);
  std::vector<double> values(sums.size());
  const auto bytes = std::as_bytes(std::span(sums));
  for (const Offer& offer : offers) {
    if (!values.empty()) std::memcpy(values.data(), offer.bytes.data(), bytes.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::byte> encode(std::span<const Offer> offers) {
  base::ByteWriter out;
  for (const Offer& offer : offers) {
    out.value(offer.rank);
    out.value(offer.kind);
    out.value(offer.root);
    out.value(offer.length);
    out.value(std::uint64_t{offer.bytes.size()});
    out.raw(offer.bytes);
  }
  return out.take();
}

void decode(std::span<const std::byte> bytes, std::vector<Offer>& into) {
  base::ByteReader in(bytes);
  while (in.left() > 0) {
    Offer& offer = into.emplace_back();
    offer.rank = in.value<std::int32_t>();
    offer.kind = in.value<Collective>();
    offer.root = in.value<std::int32_t>();
    offer.length = in.value<std::uint64_t>();
    const auto rest = in.raw(in.value<std::uint64_t>());
    offer.bytes.assign(rest.begin(), rest.end());
  }
}

std::vector<std::byte> encode(const Outcome& outcome) {
  base::ByteWriter out;
  out.text(outcome.error);
  out.raw(outcome.bytes);
  return out.take();
}

Outcome decode_outcome(std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  Outcome outcome{in.text(), {}};
  const auto rest = in.raw(in.left());
  outcome.bytes.assign(rest.begin(), rest.end());
  return outcome;
}

Outcome combine(std::vector<Offer> offers) {
  std::ranges::sort(offers, {}, &Offer::rank);
  const Offer& first = offers.front();
  for (const Offer& offer : offers) {
    if (offer.kind != first.kind || offer.root != first.root)
      return {"ranks came to different collectives at the same time", {}};
    if (offer.length != first.length)
      return {first.kind == Collective::broadcast ? "ranks called broadcast with different lengths"
                                                  : "ranks called reduce with different lengths",
              {}};
  }
  Outcome outcome;
  if (first.kind == Collective::broadcast)
    outcome.bytes = std::move(offers[static_cast<std::size_t>(first.root)].bytes);
  if (first.kind == Collective::reduce) outcome.bytes = sum(offers);
  if (first.kind == Collective::tell)
    for (const Offer& offer : offers)
      outcome.bytes.insert(outcome.bytes.end(), offer.bytes.begin(), offer.bytes.end());
  return outcome;
}

}  // namespace blockyard::fabric::detail
