// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/existing_blocks.h"

namespace blockyard::worker::detail {

bool ExistingBlocks::is_current(int server) const {
  const auto found = of_server_.find(server);
  return found != of_server_.end() && found->second.epoch == epoch_;
}

wire::ListBlocks ExistingBlocks::question(int server) const {
  const auto found = of_server_.find(server);
  if (found == of_server_.end()) return {0, array_, "", 0, 0};
  return {0, array_, "", found->second.generation, found->second.listed};
}

void ExistingBlocks::take(int server, const wire::BlockList& answer) {
  OfServer& of = of_server_[server];
  if (answer.generation != of.generation) of = {0, answer.generation, 0, {}};
  of.epoch = epoch_;
  of.listed += answer.numbers.size();
  of.numbers.insert(answer.numbers.begin(), answer.numbers.end());
}

}  // namespace blockyard::worker::detail
