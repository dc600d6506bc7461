// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "blockyard/remote/messages.h"
#include "blockyard/remote/server/substitute.h"

namespace blockyard::remote {

/// A plan of a client.
struct OpenPlan {
  blockyard_plan* plan = nullptr;
  blockyard_operation operation{};
  std::uint64_t workspace_bytes = 0;
  std::shared_ptr<Substitute> substitute = nullptr;  ///< shared with work that is enqueued
};

/// The plans of a device that is open for a client, made one after the other on a thread of its
/// own: receiving continues meanwhile. One thread calls.
class Plans {
 public:
  static constexpr std::size_t most = 4096;
  /// Makes one; the text says why it cannot.
  using Make = std::function<Answer(const Plan& asked, OpenPlan& made)>;
  using Tell = std::function<void(const Answer&)>;

  explicit Plans(Make make) : make_(std::move(make)) {}
  ~Plans() { end(); }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  /// `tell` is called when it is made, on the other thread. Throws Error{bad_input} if one with its
  /// number is open or asked for.
  void open(const Plan& asked, Tell tell);
  /// Nothing: it is not open, or not made yet.
  [[nodiscard]] std::optional<OpenPlan> find(std::uint32_t number);
  [[nodiscard]] std::optional<OpenPlan> take(std::uint32_t number);
  /// Makes no others; returns when the one that is being made is there.
  void end() noexcept;

 private:
  struct Asked {
    Plan plan;
    Tell tell;
  };
  void make_all();
  void make(const Asked& asked) noexcept;

  const Make make_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::deque<Asked> asked_;
  std::map<std::uint32_t, OpenPlan> open_;
  std::set<std::uint32_t> numbers_;  ///< of those that are open or asked for
  bool is_ended_ = false;
  std::thread thread_;  ///< from the first one on
};

}  // namespace blockyard::remote
