// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/reached.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/remote/client/client.h"

namespace blockyard::blas {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;
/// Of silence, after which a server counts as lost: together with what it takes to begin again
/// locally, less than the 2 s that a lost server may cost.
constexpr const char* patience = "1.5s";

}  // namespace

std::string Reached::connect(const Settings& settings) try {
  if (products || base::now_seconds() < try_again_) return {};
  std::string options = fmt::format("server={} patience={}", server.address, patience);
  if (!settings.token.empty()) options += " token=" + settings.token;
  if (!settings.sockets.empty()) options += " sockets=" + settings.sockets;
  is_timed_ = !settings.report.empty();
  if (is_timed_) options += " timed=1";
  // Opened here first: it says best what is wrong.
  remote::ServerOptions asked = remote::read_options(options);
  // A server may be stopped, and accept without an answer. Of one that was lost: the longer it has
  // been away, the longer it may take.
  asked.connect_seconds =
      was_lost_ ? std::min(asked.connect_seconds, pause_seconds_ / 8) : asked.patience_seconds;
  link_ = remote::link_to(asked);
  products = std::make_unique<DeviceProducts>(remote::table(), options, settings.kept_bytes,
                                              server.device, settings.is_deterministic);
  asked_.reset();
  known_ = {};
  is_connected = true;
  watch();
  return {};
} catch (const std::exception& error) {
  return error.what();
}

/// Memory that the server wants back is released at once if no call is under way, otherwise at its
/// end.
void Reached::watch() {
  link_->watch(static_cast<std::uint32_t>(server.device),
               {[this](const remote::Load& load) { queue_seconds = load.queue_seconds; },
                [this](std::uint64_t bytes) {
                  wanted_bytes = bytes;
                  std::unique_lock lock(mutex, std::try_to_lock);
                  if (lock.owns_lock()) end_use(std::move(lock));
                }});
}

void Reached::begin_call() {
  if (is_timed_ && link_) began_ = link_->carried();
}

Reached::Told Reached::end_call(Report::Sum& where) {
  if (!is_timed_ || !link_) return {};
  const Told before = take_split();
  const remote::Link::Carried now = link_->carried();
  asked_ = {link_->ask_work(static_cast<std::uint32_t>(server.device)),
            &where,
            {now.to_server - began_.to_server, now.from_server - began_.from_server}};
  return before;
}

Reached::Told Reached::take_split() {
  if (!asked_ || !link_) return {};
  const Asked asked = *std::exchange(asked_, std::nullopt);
  const auto found = link_->wait_for_work(asked.request);
  if (!found) return {};
  const remote::WorkSeconds before = std::exchange(known_, *found);
  return {asked.where,
          {.to_server = asked.carried.to_server,
           .to_device = found->to_device - before.to_device,
           .plan = found->plan - before.plan,
           .compute = found->compute - before.compute,
           .from_device = found->from_device - before.from_device,
           .from_server = asked.carried.from_server}};
}

void Reached::end_use(std::unique_lock<std::timed_mutex> lock) {
  do {
    give_back();
    lock.unlock();
    // Another wish may have come since. Where the lock is held again, its holder ends so too.
  } while (wanted_bytes != 0 && lock.try_lock());
}

void Reached::give_back() {
  const std::uint64_t bytes = wanted_bytes.exchange(0);
  if (bytes > 0 && products)
    products->give_back(static_cast<std::int64_t>(std::min(bytes, most_bytes)));
}

bool Reached::lose() noexcept {
  is_connected = false;
  products.reset();
  link_.reset();
  queue_seconds = 0;
  try_again_ = base::now_seconds() + pause_seconds_;
  pause_seconds_ = std::min(2 * pause_seconds_, longest_pause_seconds);
  return !std::exchange(was_lost_, true);
}

}  // namespace blockyard::blas
