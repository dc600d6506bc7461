// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/loopback/loopback.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <ranges>
#include <string>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/fabric/detail/mailbox.h"
#include "blockyard/fabric/rank_tree.h"

namespace blockyard::fabric {
namespace {

using base::Errc;
using base::Error;

/// The piece of a window that one rank gave. mutex guards bytes.
struct Part {
  std::mutex mutex;
  std::vector<std::byte> bytes;
};

/// The contribution of a rank to a collective.
struct Offer {
  std::span<std::byte> bytes;
  std::span<double> values;
};

/// Adds to the values of a rank those of all ranks below it, in the order of rank_tree.h.
void add_below(int rank, std::span<const Offer> offers) {
  const auto to = offers[static_cast<std::size_t>(rank)].values;
  for (const int child : children_of(rank, static_cast<int>(offers.size()))) {
    add_below(child, offers);
    const auto from = offers[static_cast<std::size_t>(child)].values;
    std::ranges::transform(to, from, to.begin(), std::plus<>());
  }
}

}  // namespace

struct LoopbackWorld::State {
  explicit State(int ranks)
      : mailboxes(static_cast<std::size_t>(ranks)), offers(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] int size() const noexcept { return static_cast<int>(mailboxes.size()); }
  [[nodiscard]] std::string abort_cause() {
    const std::lock_guard lock(mutex);
    return cause;
  }

  std::vector<detail::Mailbox> mailboxes;
  std::atomic<bool> is_aborted = false;

  std::mutex mutex;  // guards all below
  std::string cause;
  std::condition_variable met;
  std::condition_variable progressed;
  bool is_woken = false;
  int came = 0;
  std::uint64_t meetings = 0;
  std::vector<std::unique_ptr<std::vector<Part>>> windows;
  std::vector<Offer> offers;
};

class LoopbackWorld::Endpoint final : public Fabric {
 public:
  Endpoint(State& world, int rank) : world_(world), rank_(rank) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return world_.size(); }

  void send(int to, Message message) override {
    check_alive();
    message.from = rank_;
    if (message.source) message.source->finish();
    message.source.reset();
    world_.mailboxes[checked(to)].hand(std::move(message));
  }

  [[nodiscard]] std::optional<Message> poll(double wait_seconds) override {
    auto message = world_.mailboxes[checked(rank_)].take(wait_seconds, world_.is_aborted);
    check_alive();
    return message;
  }

  void stay_awake() override { world_.mailboxes[checked(rank_)].stay_awake(); }

  void receive_by(Receiver* receiver) override {
    world_.mailboxes[checked(rank_)].receive_by(receiver);
  }

  [[nodiscard]] int window(std::size_t bytes) override {
    const std::size_t number = windows_.size();
    {
      const std::lock_guard lock(world_.mutex);
      if (number == world_.windows.size())
        world_.windows.push_back(std::make_unique<std::vector<Part>>(world_.mailboxes.size()));
      windows_.push_back(world_.windows[number].get());
    }
    (*windows_.back())[checked(rank_)].bytes.resize(bytes);
    barrier();
    return static_cast<int>(number);
  }

  [[nodiscard]] Ticket get(int window, int rank, std::size_t offset,
                           std::span<std::byte> into) override {
    Part& part = part_of(window, rank, offset, into.size());
    const std::lock_guard lock(part.mutex);
    std::copy_n(part.bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(),
                into.begin());
    return ++last_ticket_;
  }

  [[nodiscard]] Ticket put(int window, int rank, std::size_t offset,
                           std::span<const std::byte> from) override {
    Part& part = part_of(window, rank, offset, from.size());
    const std::lock_guard lock(part.mutex);
    std::copy(from.begin(), from.end(), part.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return ++last_ticket_;
  }

  [[nodiscard]] Ticket accumulate(int window, int rank, std::size_t offset,
                                  std::span<const double> values) override {
    Part& part = part_of(window, rank, offset, values.size_bytes());
    const std::lock_guard lock(part.mutex);
    std::byte* at = part.bytes.data() + offset;
    for (const double value : values) {
      double sum = 0;
      std::memcpy(&sum, at, sizeof sum);
      sum += value;
      std::memcpy(at, &sum, sizeof sum);
      at += sizeof sum;
    }
    return ++last_ticket_;
  }

  [[nodiscard]] bool done(Ticket ticket) override {
    check_alive();
    base::require(ticket <= last_ticket_, "a ticket was asked for that was never given");
    return true;
  }

  void barrier() override {
    meet({}, [] {});
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    const std::size_t from = checked(root);
    meet({bytes, {}}, [&] {
      const auto given = world_.offers[from].bytes;
      for (const Offer& offer : world_.offers) {
        if (offer.bytes.size() != given.size())
          throw Error(Errc::comm, "ranks called broadcast with different lengths");
        if (!given.empty()) std::memmove(offer.bytes.data(), given.data(), given.size());
      }
    });
  }

  void reduce(std::span<double> values) override {
    meet({{}, values}, [&] {
      for (const Offer& offer : world_.offers)
        if (offer.values.size() != values.size())
          throw Error(Errc::comm, "ranks called reduce with different lengths");
      add_below(0, world_.offers);
      const auto sums = world_.offers.front().values;
      for (const Offer& offer : world_.offers | std::views::drop(1))
        std::ranges::copy(sums, offer.values.begin());
    });
  }

  void abort(std::string_view cause) noexcept override {
    {
      const std::lock_guard lock(world_.mutex);
      if (world_.is_aborted) return;
      world_.cause = cause;
      world_.is_aborted = true;
    }
    world_.met.notify_all();
    for (detail::Mailbox& box : world_.mailboxes) box.wake();
  }

 private:
  void check_alive() {
    if (world_.is_aborted) throw Error(Errc::comm, world_.abort_cause());
  }

  [[nodiscard]] std::size_t checked(int rank) const {
    base::require(rank >= 0 && rank < world_.size(), "a rank is not in this world");
    return static_cast<std::size_t>(rank);
  }

  [[nodiscard]] Part& part_of(int window, int rank, std::size_t offset, std::size_t length) {
    check_alive();
    base::require(window >= 0 && static_cast<std::size_t>(window) < windows_.size(),
                  "a window is used that was never made");
    Part& part = (*windows_[static_cast<std::size_t>(window)])[checked(rank)];
    // A part never changes its length after the meeting in window().
    if (offset > part.bytes.size() || length > part.bytes.size() - offset)
      throw Error(Errc::bad_input,
                  fmt::format("bytes {} to {} are outside the window of rank {}, {} bytes long",
                              offset, offset + length, rank, part.bytes.size()));
    return part;
  }

  /// Returns when all ranks came here equally often. The last to come runs `finish` on what all
  /// brought, while the others, and any abort, wait: their memory is there as long.
  template <class Finish>
  void meet(Offer mine, const Finish& finish) {
    std::unique_lock lock(world_.mutex);
    if (world_.is_aborted) throw Error(Errc::comm, world_.cause);
    world_.offers[checked(rank_)] = mine;
    const std::uint64_t meeting = world_.meetings;
    if (++world_.came == world_.size()) {
      finish();
      world_.came = 0;
      ++world_.meetings;
      world_.met.notify_all();
      return;
    }
    world_.met.wait(lock, [&] { return world_.meetings != meeting || world_.is_aborted; });
    if (world_.meetings == meeting) throw Error(Errc::comm, world_.cause);
  }

  State& world_;
  int rank_;
  Ticket last_ticket_ = 0;
  std::vector<std::vector<Part>*> windows_;
};

LoopbackWorld::LoopbackWorld(int size, std::optional<std::uint64_t> delivery_seed) {
  if (size < 1) throw Error(Errc::bad_input, "a world needs at least one rank");
  state_ = std::make_unique<State>(size);
  if (!delivery_seed) return;
  for (std::size_t rank = 0; rank < state_->mailboxes.size(); ++rank)
    state_->mailboxes[rank].draw_senders(*delivery_seed * 0x9e3779b97f4a7c15ULL + rank);
}

LoopbackWorld::~LoopbackWorld() = default;

void LoopbackWorld::progress(double seconds) {
  std::unique_lock lock(state_->mutex);
  state_->progressed.wait_for(lock, std::chrono::duration<double>(seconds),
                              [&] { return state_->is_woken; });
  state_->is_woken = false;
}

void LoopbackWorld::wake() noexcept {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_woken = true;
  }
  state_->progressed.notify_all();
}

void LoopbackWorld::say(std::string_view /*text*/) {
  base::require(false, "a loopback world has one process, which cannot message others");
}

bool LoopbackWorld::end(double /*patience_seconds*/) { return true; }

std::unique_ptr<Fabric> LoopbackWorld::endpoint(int rank) {
  if (rank < 0 || rank >= state_->size())
    throw Error(Errc::bad_input,
                fmt::format("rank {} is not in a world of {}", rank, state_->size()));
  return std::make_unique<Endpoint>(*state_, rank);
}

}  // namespace blockyard::fabric
