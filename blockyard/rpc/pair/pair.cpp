// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/pair/pair.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>

#include "blockyard/base/error.h"

namespace blockyard::rpc::pair {

using base::Errc;
using base::Error;

namespace {

/// One direction. Any thread.
class Pipe {
 public:
  Pipe(const Options& options, std::uint64_t seed) : options_(options), random_(seed) {}

  std::size_t send(std::span<const Bytes> parts) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_cut_ || waiting_.size() < options_.room; });
    if (is_cut_) throw Error(Errc::comm, "cannot send to a pair: it is cut");
    std::size_t all = 0;
    for (const Bytes part : parts) all += part.size();
    const std::size_t count = draw(std::min(all, options_.room - waiting_.size()));
    std::size_t left = count;
    for (const Bytes part : parts) {
      const std::size_t taken = std::min(left, part.size());
      for (const std::byte byte : part.first(taken)) put(byte);
      left -= taken;
    }
    changed_.notify_all();
    return count;
  }

  std::size_t receive(std::span<std::byte> into) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_cut_ || !waiting_.empty(); });
    const std::size_t count = waiting_.empty() ? 0 : draw(std::min(into.size(), waiting_.size()));
    std::copy_n(waiting_.begin(), count, into.begin());
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    changed_.notify_all();
    return count;
  }

  void cut() noexcept {
    const std::lock_guard lock(mutex_);
    is_cut_ = true;
    changed_.notify_all();
  }

 private:
  std::size_t draw(std::size_t most) {
    if (options_.seed == 0 || most <= 1) return most;
    return std::uniform_int_distribution<std::size_t>(1, most)(random_);
  }
  void put(std::byte byte) {
    if (sent_ >= options_.stall_after) return;
    if (sent_ >= options_.cut_after) is_cut_ = true;
    if (is_cut_) return;
    waiting_.push_back(sent_ == options_.damage_at ? byte ^ std::byte{1} : byte);
    ++sent_;
  }

  Options options_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::mt19937_64 random_;
  std::deque<std::byte> waiting_;
  std::uint64_t sent_ = 0;
  bool is_cut_ = false;
};

/// Shared by both ends: whichever lives longer still finds it.
struct Pipes {
  explicit Pipes(const Options& options)
      : one(options, options.seed), two(options, ~options.seed) {}
  Pipe one, two;
};

class End final : public Transport {
 public:
  End(std::shared_ptr<Pipes> pipes, Pipe& out, Pipe& in)
      : pipes_(std::move(pipes)), out_(out), in_(in) {}
  ~End() override { cut(); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  std::size_t send(std::span<const Bytes> parts) override { return out_.send(parts); }
  std::size_t receive(std::span<std::byte> into) override { return in_.receive(into); }
  void cut() noexcept override {
    pipes_->one.cut();
    pipes_->two.cut();
  }
  [[nodiscard]] bool is_checked() const noexcept override { return false; }
  [[nodiscard]] std::string peer() const override { return "a pair"; }

 private:
  std::shared_ptr<Pipes> pipes_;
  Pipe& out_;
  Pipe& in_;
};

}  // namespace

std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make(const Options& options) {
  auto pipes = std::make_shared<Pipes>(options);
  auto first = std::make_unique<End>(pipes, pipes->one, pipes->two);
  return {std::move(first), std::make_unique<End>(pipes, pipes->two, pipes->one)};
}

}  // namespace blockyard::rpc::pair
