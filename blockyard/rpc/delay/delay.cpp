// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/delay/delay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/without_signals.h"

namespace blockyard::rpc::delay {

using base::Errc;
using base::Error;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t piece_bytes = 64U << 10U;
constexpr double slack_bytes = 1U << 20U;

/// A number, then a unit. Nothing: it is not one of these.
std::optional<double> read_scaled(std::string_view text,
                                  std::span<const std::pair<std::string_view, double>> units) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto found = std::ranges::find(units, unit, &std::pair<std::string_view, double>::first);
  if (status != std::errc{} || !(number >= 0) || found == units.end()) return std::nullopt;
  return number * found->second;
}

/// One direction: what goes in comes out when it has arrived. One thread puts, another takes.
class Line {
 public:
  explicit Line(const Pace& pace) : pace_(pace) {}

  /// Waits while the line is full. An empty piece is the end. False: it was cut.
  bool put(std::vector<std::byte> piece) {
    std::unique_lock lock(mutex_);
    const double most = pace_.latency_seconds * pace_.bytes_a_second + slack_bytes;
    changed_.wait(lock, [&] { return is_cut_ || static_cast<double>(held_) < most; });
    if (is_cut_) return false;
    held_ += piece.size();
    const auto sending = pace_.bytes_a_second > 0
                             ? Seconds(static_cast<double>(piece.size()) / pace_.bytes_a_second)
                             : Seconds(0);
    free_ = std::max(free_, Clock::now()) + std::chrono::duration_cast<Clock::duration>(sending);
    const auto due =
        free_ + std::chrono::duration_cast<Clock::duration>(Seconds(pace_.latency_seconds));
    under_way_.push_back({std::move(piece), due});
    changed_.notify_all();
    return true;
  }

  /// The oldest piece, once it has arrived. Nothing: the line was cut.
  std::optional<std::vector<std::byte>> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_cut_ || !under_way_.empty(); });
    if (!is_cut_) {
      const Clock::time_point due = under_way_.front().due;
      changed_.wait_until(lock, due, [&] { return is_cut_; });
    }
    if (is_cut_) return std::nullopt;
    std::vector<std::byte> piece = std::move(under_way_.front().bytes);
    under_way_.pop_front();
    held_ -= piece.size();
    changed_.notify_all();
    return piece;
  }

  void cut() noexcept {
    const std::lock_guard lock(mutex_);
    is_cut_ = true;
    changed_.notify_all();
  }

 private:
  struct Piece {
    std::vector<std::byte> bytes;
    Clock::time_point due;
  };
  const Pace pace_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::deque<Piece> under_way_;
  std::size_t held_ = 0;
  Clock::time_point free_{};  ///< when the last byte has left
  bool is_cut_ = false;
};

/// A thread for each direction stands at the far end of its line.
class Delayed final : public Transport {
 public:
  Delayed(std::unique_ptr<Transport> inner, const Pace& pace)
      : inner_(std::move(inner)), out_(pace), in_(pace) {
    const base::WithoutSignals quiet;
    sender_ = std::thread([this] { send_on(); });
    try {
      receiver_ = std::thread([this] { receive_on(); });
    } catch (...) {
      Delayed::cut();
      sender_.join();
      throw;
    }
  }
  ~Delayed() override {
    cut();
    sender_.join();
    receiver_.join();
  }
  Delayed(const Delayed&) = delete;
  Delayed& operator=(const Delayed&) = delete;

  std::size_t send(std::span<const Bytes> parts) override {
    std::vector<std::byte> piece;
    for (const Bytes part : parts) {
      const std::size_t taken = std::min(part.size(), piece_bytes - piece.size());
      piece.insert(piece.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(taken));
      if (piece.size() == piece_bytes) break;
    }
    const std::size_t bytes = piece.size();
    if (!out_.put(std::move(piece)))
      throw Error(Errc::comm, fmt::format("cannot send to {}: the link was ended", peer()));
    return bytes;
  }

  std::size_t receive(std::span<std::byte> into) override {
    if (at_ == arrived_.size()) {
      auto piece = in_.take();
      if (!piece || piece->empty()) return 0;
      arrived_ = std::move(*piece);
      at_ = 0;
    }
    const std::size_t bytes = std::min(into.size(), arrived_.size() - at_);
    std::memcpy(into.data(), arrived_.data() + at_, bytes);
    at_ += bytes;
    return bytes;
  }

  void cut() noexcept override {
    inner_->cut();
    out_.cut();
    in_.cut();
  }
  [[nodiscard]] bool is_checked() const noexcept override { return inner_->is_checked(); }
  [[nodiscard]] std::string peer() const override { return inner_->peer(); }

 private:
  void send_on() noexcept try {
    while (const auto piece = out_.take()) {
      const Bytes bytes(*piece);
      send_all(*inner_, {&bytes, 1});
    }
  } catch (const std::exception&) {
    cut();  // the next call says that the link has ended
  }
  void receive_on() noexcept try {
    for (;;) {
      std::vector<std::byte> piece(piece_bytes);
      piece.resize(inner_->receive(piece));
      const bool is_end = piece.empty();
      if (!in_.put(std::move(piece)) || is_end) return;
    }
  } catch (const std::exception&) {
    cut();
  }

  std::unique_ptr<Transport> inner_;
  Line out_, in_;
  std::vector<std::byte> arrived_;  ///< and how much of it was received
  std::size_t at_ = 0;
  std::thread sender_, receiver_;
};

}  // namespace

Pace parse_pace(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> times = {
      {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};
  constexpr std::array<std::pair<std::string_view, double>, 4> rates = {
      {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}}};
  Pace pace;
  bool is_known = !text.empty();
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto time = read_scaled(word, times), rate = read_scaled(word, rates);
    is_known = is_known && ((time && *time < 60) || (rate && *rate >= 1));
    if (time) pace.latency_seconds = *time;
    if (rate) pace.bytes_a_second = *rate;
  }
  if (!is_known)
    throw Error(
        Errc::bad_input,
        fmt::format("\"{}\" is not the pace of a link; write it like 100us,1.25GB/s", text));
  return pace;
}

std::unique_ptr<Transport> over(std::unique_ptr<Transport> inner, const Pace& pace) {
  return std::make_unique<Delayed>(std::move(inner), pace);
}

}  // namespace blockyard::rpc::delay
