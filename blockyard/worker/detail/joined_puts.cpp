// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/joined_puts.h"

#include <cstring>
#include <memory>

namespace blockyard::worker::detail {

namespace {

/// This many puts, or bytes, are not kept any longer.
constexpr std::size_t most_joined = 64;
constexpr std::size_t most_joined_bytes = std::size_t{64} << 10;

}  // namespace

void JoinedPuts::add(int server, const wire::Any& put, std::span<const std::byte> values) {
  wire::BatchWriter& unsent = unsent_[static_cast<std::size_t>(server)];
  unsent.add(put, values);
  if (unsent.count() == 1) begun_.push_back(server);
  if (unsent.count() >= most_joined || unsent.values().size() >= most_joined_bytes) send(server);
}

void JoinedPuts::send(int server) {
  wire::BatchWriter& unsent = unsent_[static_cast<std::size_t>(server)];
  if (unsent.count() == 0) return;
  block::SharedFrame payload;
  if (const auto values = unsent.values(); !values.empty()) {
    // Its blocks are charged already.
    auto copy = std::make_shared<base::Buffer>(frames_.uncharged(values.size()));
    std::memcpy(copy->data(), values.data(), values.size());
    payload = std::move(copy);
  }
  std::erase(begun_, server);
  fabric_.send(first_server_ + server, {-1, wire::encode(unsent.take()), std::move(payload)});
}

void JoinedPuts::send_all() {
  while (!begun_.empty()) send(begun_.back());
}

}  // namespace blockyard::worker::detail
