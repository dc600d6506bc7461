// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
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

/// The result of a collective: long ones are shared by the workers of a process.
class Collected {
 public:
  Collected() = default;
  explicit Collected(std::vector<std::byte> own) noexcept : own_(std::move(own)) {}
  explicit Collected(fabric::Payload shared) noexcept : shared_(std::move(shared)) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return shared_ ? shared_->bytes() : std::span<const std::byte>(own_);
  }

 private:
  std::vector<std::byte> own_;
  fabric::Payload shared_;
};

/// What workers do together: worker 0 gathers a part of each and answers all. One thread; while
/// that of worker 0 sleeps in a collective, workers of its process deliver their parts themselves,
/// one at a time (fabric::Receiver), and the last one does worker 0's work: it need not wait for a
/// thread to wake.
class Collectives : private fabric::Receiver {
 public:
  /// Longer results are sent as payloads.
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

  /// Collective among workers: worker 0 gets every worker's bytes in order of number and answers
  /// all with what `combine` makes of them, maybe in the thread of another worker. It may take the
  /// parts.
  using Combine = std::function<std::vector<std::byte>(std::span<std::vector<std::byte>> parts)>;
  Collected collect(Collective kind, std::vector<std::byte> mine, const Combine& combine);

  void take_part(int worker, wire::Collect& part) {
    parts_[part.step][worker] = std::move(part.bytes);
  }
  void take_result(wire::Spread& result, fabric::Payload payload) {
    results_[result.step] =
        payload ? Collected(std::move(payload)) : Collected(std::move(result.bytes));
  }
  /// On worker 0: there is nothing left to wait for.
  [[nodiscard]] bool is_gathered() const noexcept {
    return gathering_ != nullptr && (gathering_->result || gathering_->failure);
  }

 private:
  /// Of worker 0, while it waits for the parts of the others.
  struct Gathering {
    const Combine& combine;
    std::optional<Collected> result = {};
    std::exception_ptr failure = nullptr;
  };
  [[nodiscard]] Collected gather(std::vector<std::byte> mine, const Combine& combine);
  [[nodiscard]] Taken take(fabric::Message& message) override;
  /// Once all parts are there: combines them and answers all.
  void finish(Gathering& gathering);
  [[nodiscard]] std::vector<std::byte> combine_parts(const Combine& combine);

  fabric::Fabric& fabric_;
  block::FramePool& frames_;
  const Options& options_;
  const wire::Access& here_;
  std::function<void()> wait_;
  const Naming* naming_ = nullptr;
  std::uint64_t step_ = 0;
  Gathering* gathering_ = nullptr;
  std::map<std::uint64_t, std::map<int, std::vector<std::byte>>> parts_;  ///< by step, by worker
  std::unordered_map<std::uint64_t, Collected> results_;                  ///< by step
};

}  // namespace blockyard::worker::detail
