// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/fabric/mpi/session.h"
#include "blockyard/fabric/world.h"

namespace blockyard::fabric {

struct MpiOptions {
  /// As if every process had a node of its own: nothing goes through shared memory. For tests.
  bool is_alone = false;
  /// The longest message of MPI; longer payloads go in pieces.
  std::size_t piece_bytes = std::size_t{1} << 30;
  /// Payloads that neighbours on the node read in the memory of this process at one time.
  std::uint32_t most_loans = 1U << 16;
  /// MPI reads memory of devices, by the pointer that they give for it.
  bool reads_devices = false;
  /// Gets what World::say says, at process 0, in its main thread.
  std::function<void(std::string_view)> hear;
};

/// Ranks in several processes, several of them in each. Between ranks of one process payloads pass
/// as pointers. Between processes messages go over MPI, moved by whoever sends or waits; payloads
/// and windows of processes of one node are shared memory that every thread reaches by itself.
class MpiWorld final : public World {
 public:
  /// Collective among processes. `process_of`: by rank. Payloads that arrive are of `pool`.
  MpiWorld(const MpiSession& session, base::BufferPool& pool, std::vector<int> process_of,
           MpiOptions options = {});
  ~MpiWorld() override;

  [[nodiscard]] std::unique_ptr<Fabric> endpoint(int rank) override;
  void progress(double seconds) override;
  void wake() noexcept override;
  void say(std::string_view text) override;
  [[nodiscard]] bool end(double patience_seconds) override;

 private:
  std::unique_ptr<class MpiState> state_;
};

}  // namespace blockyard::fabric
