// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "blockyard/fabric/world.h"

namespace blockyard::fabric {

/// All ranks in one process: a rank is the thread that uses its endpoint. Payloads pass as
/// pointers, windows are shared memory, messages have no maximum length.
/// The world outlives its endpoints, and the pools of the payloads outlive the world. Messages to
/// a rank whose endpoint does not exist yet, or has ended, are kept until the world ends.
/// Any thread.
class LoopbackWorld final : public World {
 public:
  /// With a seed, each poll draws the sender it hears next by that seed; the order between two
  /// ranks stays. Without, messages come in the order of sending.
  explicit LoopbackWorld(int size, std::optional<std::uint64_t> delivery_seed = std::nullopt);
  ~LoopbackWorld() override;
  LoopbackWorld(const LoopbackWorld&) = delete;
  LoopbackWorld& operator=(const LoopbackWorld&) = delete;

  /// The fabric of one rank. Throws Error{bad_input} for a rank that is not 0 .. size-1.
  [[nodiscard]] std::unique_ptr<Fabric> endpoint(int rank) override;
  /// Only waits: there are no other processes.
  void progress(double seconds) override;
  void wake() noexcept override;
  void say(std::string_view text) override;
  [[nodiscard]] bool end(double patience_seconds) override;

 private:
  struct State;
  class Endpoint;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::fabric
