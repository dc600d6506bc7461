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
  /// Treats every process as a node of its own, without shared memory. For tests.
  bool is_alone = false;
  /// The longest message of MPI; longer payloads go in pieces.
  std::size_t piece_bytes = std::size_t{1} << 30;
  /// Payloads that neighbours on the node read in the memory of this process at one time.
  std::uint32_t most_loans = 1U << 16;
  /// MPI reads and writes device memory by the pointers that devices provide.
  bool reads_devices = false;
  /// Receives the texts of World::say, at process 0, in its main thread.
  std::function<void(std::string_view)> hear;
};

/// Ranks in several processes, several of them in each. Between ranks of one process payloads pass
/// as pointers. Between processes messages go over MPI, moved by a sending or waiting thread;
/// payloads and windows of processes of one node are shared memory that threads access directly.
class MpiWorld final : public World {
 public:
  /// Collective among processes. `process_of`: by rank. Received payloads come from `pool`.
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
