// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/mpi_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/detail/state.h"

namespace blockyard::fabric {

namespace {

using detail::Collective;
using detail::Offer;
using detail::Subject;

class Endpoint final : public Fabric {
 public:
  Endpoint(MpiState& state, int rank) : state_(state), rank_(rank) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return state_.size(); }

  void send(int to, Message message) override { state_.send(rank_, to, std::move(message)); }

  [[nodiscard]] bool is_remote(int to) const noexcept override { return !state_.is_here(to); }

  [[nodiscard]] bool reads_devices(int to, std::size_t bytes) const noexcept override {
    return state_.reads_devices(to, bytes);
  }

  [[nodiscard]] std::optional<Message> poll(double wait_seconds) override {
    return state_.poll(rank_, wait_seconds);
  }

  void stay_awake() override { state_.stay_awake(rank_); }

  void receive_by(Receiver* receiver) override { state_.receive_by(rank_, receiver); }
  void land_by(NameLanding name) override { state_.land_by(rank_, std::move(name)); }

  [[nodiscard]] int window(std::size_t bytes) override {
    windows_.push_back(&state_.open_window(windows_.size(), rank_, bytes));
    return static_cast<int>(windows_.size()) - 1;
  }

  [[nodiscard]] Ticket get(int window, int rank, std::size_t offset,
                           std::span<std::byte> into) override {
    detail::Window& target = checked(window, rank, offset, into.size());
    if (!target.reaches(rank)) return state_.ask(Subject::get, window, rank, offset, into, {});
    target.get(rank, offset, into);
    return done_at_once;
  }

  [[nodiscard]] Ticket put(int window, int rank, std::size_t offset,
                           std::span<const std::byte> from) override {
    detail::Window& target = checked(window, rank, offset, from.size());
    if (!target.reaches(rank)) return state_.ask(Subject::put, window, rank, offset, {}, from);
    target.put(rank, offset, from, state_.is_aborted());
    return done_at_once;
  }

  [[nodiscard]] Ticket accumulate(int window, int rank, std::size_t offset,
                                  std::span<const double> values) override {
    const auto bytes = std::as_bytes(values);
    detail::Window& target = checked(window, rank, offset, bytes.size());
    if (!target.reaches(rank))
      return state_.ask(Subject::accumulate, window, rank, offset, {}, bytes);
    target.accumulate(rank, offset, bytes, state_.is_aborted());
    return done_at_once;
  }

  [[nodiscard]] bool done(Ticket ticket) override {
    state_.check_alive();
    if (ticket == done_at_once || state_.is_answered(ticket)) return true;
    // A polling caller yields the processor to the thread that brings the answer.
    std::this_thread::yield();
    return false;
  }

  void barrier() override { (void)state_.meet(rank_, {}); }

  void broadcast(std::span<std::byte> bytes, int root) override {
    base::require(root >= 0 && root < size(), "a rank is not in this world");
    in_pieces(bytes, [&](std::span<std::byte> piece) {
      Offer mine{Collective::broadcast, root, bytes.size(), {}};
      if (rank_ == root) mine.bytes.assign(piece.begin(), piece.end());
      return state_.meet(rank_, std::move(mine));
    });
  }

  void reduce(std::span<double> values) override {
    const auto bytes = std::as_writable_bytes(values);
    in_pieces(bytes, [&](std::span<std::byte> piece) {
      return state_.meet(rank_,
                         {Collective::reduce, 0, bytes.size(), {piece.begin(), piece.end()}});
    });
  }

  void abort(std::string_view cause) noexcept override { state_.abort(cause); }

 private:
  static constexpr Ticket done_at_once = 0;
  /// What a rank holds of each of those that talk to it, at a time.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;

  /// Replaces the bytes by what the ranks, which come once for each piece, make of them.
  void in_pieces(std::span<std::byte> bytes, const auto& meet) {
    do {
      const auto piece = bytes.first(std::min(piece_bytes, bytes.size()));
      const auto result = meet(piece);
      if (!result.empty()) std::memcpy(piece.data(), result.data(), result.size());
      bytes = bytes.subspan(piece.size());
    } while (!bytes.empty());
  }

  [[nodiscard]] detail::Window& checked(int window, int rank, std::size_t offset,
                                        std::size_t length) {
    state_.check_alive();
    base::require(window >= 0 && static_cast<std::size_t>(window) < windows_.size(),
                  "a window is used that was never made");
    detail::Window& found = *windows_[static_cast<std::size_t>(window)];
    found.check(rank, offset, length);
    return found;
  }

  MpiState& state_;
  int rank_;
  std::vector<detail::Window*> windows_;
};

}  // namespace

MpiWorld::MpiWorld(const MpiSession& session, base::BufferPool& pool, std::vector<int> process_of,
                   MpiOptions options)
    : state_(std::make_unique<MpiState>(session, pool, std::move(process_of), std::move(options))) {
}

MpiWorld::~MpiWorld() = default;

std::unique_ptr<Fabric> MpiWorld::endpoint(int rank) {
  if (rank < 0 || rank >= state_->size() || !state_->is_here(rank))
    throw base::Error(base::Errc::bad_input, fmt::format("rank {} is not in this process", rank));
  return std::make_unique<Endpoint>(*state_, rank);
}

void MpiWorld::progress(double seconds) { state_->progress(seconds); }
void MpiWorld::wake() noexcept { state_->wake(); }
void MpiWorld::say(std::string_view text) { state_->say(text); }
bool MpiWorld::end(double patience_seconds) { return state_->end(patience_seconds); }

}  // namespace blockyard::fabric
