// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "blockyard/remote/client/link.h"

namespace blockyard::remote {

struct RemoteStream {
  StreamKey key;
  std::uint64_t last = 0;   ///< number of what it was given last
  std::uint64_t asked = 0;  ///< the server will say when it is done
};

/// The point of its last record.
struct RemoteEvent {
  StreamKey key;
  std::uint64_t sequence = 0;  ///< 0: never recorded
};

struct RemotePlan {
  std::uint32_t number = 0;
  std::uint64_t request = 0;  ///< asked, and not answered yet; 0: it has been
  blockyard_operation operation{};
  blockyard_status status = BLOCKYARD_OK;
  std::string text = {};  ///< why it is not OK
  std::uint64_t workspace_bytes = 0;
  int uses = 0;  ///< opened and not closed
};

/// A device opened in a server. `mutex` guards the maps, the streams' numbers, the plans and the
/// text; no answer is waited for under it. Answers on plans are waited for under `planning`.
struct RemoteDevice {
  std::shared_ptr<Link> link;  ///< shared by the devices of one server
  std::uint32_t number = 0;
  std::mutex mutex;
  std::mutex planning;
  std::map<blockyard_address, std::uint64_t> allocations;  ///< bytes
  std::list<RemoteStream> streams;
  std::list<RemoteEvent> events;
  std::list<RemotePlan> plans;  ///< kept when closed: avoids asking twice
  std::string last_error;

  /// Has the server make a plan, if it was not asked for it before. It counts as opened.
  [[nodiscard]] RemotePlan& plan_ahead(const blockyard_operation& operation);
  /// The plan once it is made, or why there is none. It counts as opened.
  [[nodiscard]] RemotePlan& open_plan(const blockyard_operation& operation);

  [[nodiscard]] bool holds(blockyard_address address, std::uint64_t bytes) const noexcept {
    const auto after = allocations.upper_bound(address);
    if (after == allocations.begin()) return false;
    const auto& [begin, length] = *std::prev(after);
    return address - begin <= length && bytes <= length - (address - begin);
  }
  blockyard_status fail(blockyard_status status, std::string text) {
    last_error = std::move(text);
    return status;
  }

 private:
  [[nodiscard]] RemotePlan* find(const blockyard_operation& operation);
  [[nodiscard]] RemotePlan& ask_for(const blockyard_operation& operation);
  void forget_oldest_plan();
};

}  // namespace blockyard::remote
