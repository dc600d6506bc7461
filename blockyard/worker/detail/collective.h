// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/block/frame.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/wire/messages.h"
#include "blockyard/worker/flow_names.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// What all workers do together; one kind per step, checked.
enum class Collective : std::uint8_t {
  barrier,
  sum,
  assert_same,
  broadcast,
  persist,
  checkpoint,
  end
};

/// A part of a collective, or its result: long ones are shared by the workers of a process.
class Collected {
 public:
  Collected() = default;
  explicit Collected(std::vector<std::byte> own) noexcept : own_(std::move(own)) {}
  explicit Collected(fabric::Payload shared) noexcept : shared_(std::move(shared)) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return shared_ ? shared_->bytes() : std::span<const std::byte>(own_);
  }
  /// What is not shared.
  [[nodiscard]] const std::vector<std::byte>& own() const noexcept { return own_; }
  [[nodiscard]] const fabric::Payload& shared() const noexcept { return shared_; }

 private:
  std::vector<std::byte> own_;
  fabric::Payload shared_;
};

/// How the parts of workers become the result; by the thread of any worker.
struct Combine {
  /// Joins the part of a worker and those of workers after it, each of them joined already, in the
  /// order of workers. It may take the parts.
  std::function<Collected(std::span<Collected> parts)> join;
  /// On worker 0 alone, when all have come: makes the result of all parts joined. None: they are
  /// the result.
  std::function<Collected(Collected all)> conclude = nullptr;
};

/// For those that only wait for each other, or to whom worker 0 gives the result.
[[nodiscard]] inline Collected join_nothing(std::span<Collected>) { return {}; }

/// For what one worker gives to all: the part that is not empty.
/// Throws Error{bad_input} if there are two.
[[nodiscard]] Collected join_the_only(std::span<Collected> parts);

/// What workers do together, along a tree (fabric/rank_tree.h): each joins its own part with those
/// of the workers below it and sends them up; worker 0 concludes, and the result goes down the same
/// way. The order of joining depends on the number of workers alone. One thread; while that of a
/// worker sleeps in a collective, others of its process do its work for it, one at a time
/// (fabric::Receiver): the last one to come need not wait for threads to wake.
class Collectives : private fabric::Receiver {
 public:
  /// Longer parts and results are sent as payloads.
  static constexpr std::size_t most_bytes = 4096;

  /// `wait` takes the next message, which comes back to take_part() or take_result(). `here`: the
  /// instruction under way.
  Collectives(fabric::Fabric& fabric, block::FramePool& frames, const Options& options,
              const wire::Access& here, std::function<void()> wait);
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  ~Collectives() override;

  /// Names for error messages while a program runs; null between programs.
  void set_naming(const Naming* naming) noexcept { naming_ = naming; }

  /// Collective among workers.
  Collected collect(Collective kind, std::vector<std::byte> mine, const Combine& combine);

  void take_part(int worker, wire::Collect& part, fabric::Payload payload);
  void take_result(wire::Spread& result, fabric::Payload payload);
  /// There is nothing left to wait for.
  [[nodiscard]] bool is_over() const noexcept { return meeting_ != nullptr && meeting_->is_over(); }

 private:
  /// A worker's part, or those of all below it, too.
  struct Part {
    Collective kind;
    std::int32_t pc;
    Collected values;
  };
  using Parts = std::map<int, Part>;  ///< by worker
  /// The collective in which this worker waits.
  struct Meeting {
    const Combine& combine;
    std::optional<Collected> result = {};
    std::exception_ptr failure = nullptr;
    [[nodiscard]] bool is_over() const noexcept { return result || failure; }
  };
  [[nodiscard]] Taken take(fabric::Message& message) override;
  void send_up_when_complete();
  void send_down(Collected result);
  [[nodiscard]] Collected join(Parts& parts) const;
  [[nodiscard]] Collected packed(Collected values) const;

  fabric::Fabric& fabric_;
  block::FramePool& frames_;
  const Options& options_;
  const wire::Access& here_;
  std::function<void()> wait_;
  std::vector<int> children_;
  const Naming* naming_ = nullptr;
  std::uint64_t step_ = 0;
  Meeting* meeting_ = nullptr;
  std::map<std::uint64_t, Parts> parts_;  ///< by step
};

}  // namespace blockyard::worker::detail
