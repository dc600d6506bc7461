// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/server.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "blockyard/server/block_memory.h"
#include "blockyard/server/block_table.h"
#include "blockyard/server/chunk_counters.h"
#include "blockyard/server/outbox.h"

namespace blockyard::server {

class Server::State {
 public:
  State(fabric::Fabric& fabric, base::BufferPool& pool, const ServerOptions& options)
      : fabric_(fabric),
        outbox_(fabric),
        memory_(options.budget_bytes, fmt::format("server {}", options.number)),
        table_(memory_, pool, options.check ? Identity::iteration : Identity::worker, outbox_) {}

  void run() {
    while (!is_over_) {
      if (auto message = fabric_.poll(idle_seconds)) {
        wire::Any decoded = wire::decode(message->head);
        take({message->from, std::move(decoded), std::move(message->payload)});
      }
    }
  }

 private:
  // An abort wakes the poll: this only bounds one wait.
  static constexpr double idle_seconds = 3600;

  void take(Request request) {
    if (const auto* chunk = std::get_if<wire::TakeChunk>(&request.message)) {
      const Range range = counters_.take(chunk->counter, chunk->total, chunk->sharers);
      outbox_.reply(request.from, wire::Chunk{chunk->ticket, range.first, range.last});
    } else if (const auto* ask = std::get_if<wire::AskStatistics>(&request.message)) {
      outbox_.reply(request.from, statistics(ask->ticket));
    } else if (std::holds_alternative<wire::Shutdown>(request.message)) {
      is_over_ = true;
    } else {
      if (std::holds_alternative<wire::EndProgram>(request.message)) counters_.clear();
      table_.take(std::move(request));
    }
  }

  [[nodiscard]] wire::Statistics statistics(wire::Ticket ticket) const {
    wire::Statistics result = outbox_.counts;
    result.ticket = ticket;
    result.peak_bytes = memory_.peak_bytes();
    return result;
  }

  fabric::Fabric& fabric_;
  Outbox outbox_;
  BlockMemory memory_;  // before table_, whose slots live in it
  BlockTable table_;
  ChunkCounters counters_;
  bool is_over_ = false;
};

Server::Server(fabric::Fabric& fabric, base::BufferPool& pool, ServerOptions options)
    : state_(std::make_unique<State>(fabric, pool, options)) {}

Server::~Server() = default;

void Server::run() { state_->run(); }

}  // namespace blockyard::server
