// SPDX-License-Identifier: Apache-2.0
#include "blockyard/wire/batch.h"

#include "blockyard/base/error.h"

namespace blockyard::wire {
namespace {

std::span<const std::byte> take_first(std::span<const std::byte>& rest, std::uint64_t count) {
  if (count > rest.size())
    throw base::Error(base::Errc::comm, "a batch of puts is longer than its message");
  const auto first = rest.first(count);
  rest = rest.subspan(count);
  return first;
}

}  // namespace

void BatchWriter::add(const Any& put, std::span<const std::byte> values) {
  const std::vector<std::byte> head = encode(put);
  batch_.head_bytes.push_back(head.size());
  batch_.payload_bytes.push_back(values.size());
  batch_.heads.insert(batch_.heads.end(), head.begin(), head.end());
  values_.insert(values_.end(), values.begin(), values.end());
}

Batch BatchWriter::take() {
  values_ = std::vector<std::byte>();  // {} would keep the memory
  return std::exchange(batch_, {});
}

std::vector<Part> parts(const Batch& batch, std::span<const std::byte> payload) {
  if (batch.head_bytes.size() != batch.payload_bytes.size())
    throw base::Error(base::Errc::comm, "a batch of puts has not as many values as heads");
  std::vector<Part> result;
  result.reserve(batch.head_bytes.size());
  std::span<const std::byte> heads(batch.heads);
  for (std::size_t k = 0; k < batch.head_bytes.size(); ++k) {
    Any put = decode(take_first(heads, batch.head_bytes[k]));
    result.push_back({std::move(put), take_first(payload, batch.payload_bytes[k])});
  }
  if (!heads.empty() || !payload.empty())
    throw base::Error(base::Errc::comm, "a batch of puts is shorter than its message");
  return result;
}

}  // namespace blockyard::wire
