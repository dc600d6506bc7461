// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "blockyard/fabric/fabric.h"

namespace blockyard::fabric {

/// The ranks of a run, as one process of it sees them. The thread that made it calls progress()
/// until the work of its ranks is over, and then end(); wake, say and endpoint: any thread.
class World {
 public:
  virtual ~World() = default;

  /// The fabric of a rank that lives in this process. Throws Error{bad_input} for any other.
  /// The world outlives its endpoints, and the pools of the payloads outlive the world.
  [[nodiscard]] virtual std::unique_ptr<Fabric> endpoint(int rank) = 0;
  /// Moves messages between processes; returns after `seconds`, or after a wake().
  virtual void progress(double seconds) = 0;
  virtual void wake() noexcept = 0;
  /// Sends a text to process 0, ahead of everything that this process sends afterwards.
  virtual void say(std::string_view text) = 0;
  /// Collective among processes, when no rank of this one will use its endpoint any more. False if
  /// the run was aborted and not all processes came here within `patience_seconds` of that.
  /// Throws Error{comm} with the first cause if another process ended the run.
  [[nodiscard]] virtual bool end(double patience_seconds) = 0;
};

}  // namespace blockyard::fabric
