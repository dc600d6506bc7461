// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/joins.h"

#include <algorithm>
#include <chrono>

namespace blockyard::remote {

void Joins::expect(const rpc::Digest& nonce, std::vector<rpc::Digest> proofs) {
  const std::lock_guard lock(mutex_);
  const std::vector<rpc::Transport*> none(proofs.size(), nullptr);
  expected_[nonce] = {std::move(proofs), none, 0, false};
}

std::vector<rpc::Transport*> Joins::wait(const rpc::Digest& nonce, double seconds) {
  std::unique_lock lock(mutex_);
  Expected& expected = expected_.at(nonce);
  static_cast<void>(changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    return std::ranges::count(expected.came, nullptr) == 0;
  }));
  std::vector<rpc::Transport*> all = expected.came;
  std::erase(all, nullptr);
  return all;
}

void Joins::release(const rpc::Digest& nonce) {
  std::unique_lock lock(mutex_);
  const auto found = expected_.find(nonce);
  if (found == expected_.end()) return;
  found->second.is_over = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return found->second.lent == 0; });
  expected_.erase(found);
}

bool Joins::lend(const Join& join, rpc::Transport& transport) {
  std::unique_lock lock(mutex_);
  const auto found = expected_.find(join.nonce);
  if (found == expected_.end()) return false;
  Expected& expected = found->second;
  if (expected.is_over || join.index == 0 || join.index > expected.came.size()) return false;
  const std::size_t at = join.index - 1;
  if (expected.came[at] != nullptr || !rpc::is_same(join.proof, expected.proofs[at])) return false;
  expected.came[at] = &transport;
  ++expected.lent;
  changed_.notify_all();
  changed_.wait(lock, [&] { return expected.is_over; });
  --expected.lent;
  changed_.notify_all();
  return true;
}

}  // namespace blockyard::remote
