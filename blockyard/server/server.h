// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "blockyard/base/buffer.h"
#include "blockyard/base/recording.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/server/lent.h"
#include "blockyard/store/file.h"

namespace blockyard::server {

struct ServerOptions {
  std::size_t budget_bytes = 0;  ///< for blocks and reads in flight, as BufferPool::charge counts
  std::filesystem::path scratch =
      {};                           ///< an existing folder; a file is made there at the first spill
  int number = 0;                   ///< of this server, 0 .. servers-1: in messages and file names
  bool check = false;               ///< races also between iterations of one worker
  bool deterministic = false;       ///< sums have the same bits whatever order messages come in
  int servers = 1;                  ///< of the run: a block is at home on one of them
  std::span<const Lent> lent = {};  ///< the same on every server; outlive it
  base::Recording* recording = nullptr;  ///< for reports and time lines; null: no recording
};

/// The home of blocks: keeps them, adds into them, spills the least recently used to disk, and
/// deals out the iterations of loops. Answers the requests of wire/messages.h; requests for one
/// block are served in the order of arrival. One thread: that of its rank, in whose place, while it
/// sleeps, those that send to it take what is done within microseconds (fabric::Receiver).
class Server {
 public:
  /// Lanes of its TraceEvents: what it did, kind = position of the message in wire::Any; and each
  /// of its threads for the disk, from first_disk_lane, kind 0 for a read and 1 for a write, `what`
  /// in KiB.
  static constexpr std::uint8_t first_disk_lane = 1;

  Server(fabric::Fabric& fabric, base::BufferPool& pool, const ServerOptions& options);
  /// A server whose files are elsewhere than on this machine's disks.
  Server(fabric::Fabric& fabric, base::BufferPool& pool, const ServerOptions& options,
         store::Store& files);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves until Shutdown. Throws Error{no_memory} if blocks do not fit the budget, Error{io} if
  /// the disk fails, Error{comm} for malformed requests or when the run is aborted.
  void run();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::server
