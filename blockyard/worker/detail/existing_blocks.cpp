// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/existing_blocks.h"

#include "blockyard/array/block_id.h"
#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

wire::ListBlocks ExistingBlocks::question(int server) const {
  const OfServer& of = of_server_.at(static_cast<std::size_t>(server));
  return {0, array_, "", of.generation, of.listed};
}

void ExistingBlocks::take(std::span<const wire::BlockList> answers) {
  base::require(answers.size() == of_server_.size(), "every server lists its blocks");
  for (std::size_t server = 0; server < answers.size(); ++server) {
    const wire::BlockList& answer = answers[server];
    OfServer& of = of_server_[server];
    if (answer.generation != of.generation) of = {answer.generation, 0, {}};
    of.listed += answer.numbers.size();
    of.numbers.insert(answer.numbers.begin(), answer.numbers.end());
  }
  is_current_ = true;
}

bool ExistingBlocks::contains(std::uint64_t number) const {
  return of_server_[home(number)].numbers.contains(number);
}

std::size_t ExistingBlocks::home(std::uint64_t number) const noexcept {
  return static_cast<std::size_t>(
      array::home_of({array_, number}, static_cast<int>(of_server_.size())));
}

}  // namespace blockyard::worker::detail
