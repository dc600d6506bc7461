// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "blockyard/blas/router/device_products.h"
#include "blockyard/blas/router/report.h"
#include "blockyard/blas/router/settings.h"
#include "blockyard/remote/client/link.h"

namespace blockyard::blas {

/// A device that calls may go to. Its mutex guards the rest: one call at a time.
struct Reached {
  explicit Reached(Server given) : server(std::move(given)) {}

  /// Connects if that was not done, or its pause is over. Why it failed; empty: it has not, or was
  /// not tried.
  [[nodiscard]] std::string connect(const Settings& settings);
  /// It is tried again after a pause. Whether it is the first time.
  [[nodiscard]] bool lose() noexcept;
  /// A call was computed there, so that the next pause is a short one: a server may accept
  /// connections and yet fail every call.
  void note_computed() noexcept { pause_seconds_ = first_pause_seconds; }
  /// From when it is lost next to when it is tried again.
  [[nodiscard]] double pause_seconds() const noexcept { return pause_seconds_; }
  /// Begins to measure a call, if the report is wanted.
  void begin_call();
  /// Asks what the call took there, without waiting. `where`: its place in the report. The call
  /// before is told of, since its answer came long ago.
  struct Told {
    Report::Sum* where = nullptr;
    CallSplit split;
  };
  [[nodiscard]] Told end_call(Report::Sum& where);
  /// Of the last call; nothing: there is none, or the link is lost.
  [[nodiscard]] Told take_split();
  /// Gives back what memory the server wants: also what it asks for while the lock, which this
  /// releases, is still held.
  void end_use(std::unique_lock<std::timed_mutex> lock);

  const Server server;
  std::timed_mutex mutex;
  std::unique_ptr<DeviceProducts> products;  ///< null: not connected
  std::atomic<bool> is_connected = false;
  // Told by the server at any time.
  std::atomic<double> queue_seconds = 0;        ///< of work that other clients have there
  std::atomic<std::uint64_t> wanted_bytes = 0;  ///< that it wants back

 private:
  static constexpr double first_pause_seconds = 1, longest_pause_seconds = 60;

  void watch();
  void give_back();

  /// A call whose answer is due.
  struct Asked {
    std::uint64_t request = 0;
    Report::Sum* where = nullptr;
    remote::Link::Carried carried;
  };

  std::shared_ptr<remote::Link> link_;  ///< shared with the devices opened by it
  double try_again_ = 0;                ///< when the next connection may be tried
  double pause_seconds_ = first_pause_seconds;
  bool was_lost_ = false;
  bool is_timed_ = false;
  remote::Link::Carried began_;  ///< what the link had carried when the call began
  std::optional<Asked> asked_;
  remote::WorkSeconds known_;  ///< of the calls told of
};

}  // namespace blockyard::blas
