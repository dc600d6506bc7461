// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::rpc {

using base::Errc;
using base::Error;

void send_all(Transport& transport, std::span<const Bytes> parts) {
  std::vector<Bytes> left;
  for (const Bytes part : parts)
    if (!part.empty()) left.push_back(part);
  std::span<Bytes> rest(left);
  while (!rest.empty()) {
    std::size_t sent = transport.send(rest);
    while (!rest.empty() && sent >= rest.front().size()) {
      sent -= rest.front().size();
      rest = rest.subspan(1);
    }
    if (!rest.empty()) rest.front() = rest.front().subspan(sent);
  }
}

void end_within_message(const Transport& transport) {
  throw Error(Errc::comm,
              fmt::format("{} ended the connection in the middle of a message", transport.peer()));
}

bool receive_all(Transport& transport, std::span<std::byte> into, base::Checksum* sum) {
  const std::size_t all = into.size();
  while (!into.empty()) {
    const std::size_t received = transport.receive(into);
    if (received == 0 && into.size() == all) return false;
    if (received == 0) end_within_message(transport);
    if (sum != nullptr) sum->add(into.first(received));
    into = into.subspan(received);
  }
  return true;
}

}  // namespace blockyard::rpc
