// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/server/block_memory.h"
#include "blockyard/server/block_table.h"
#include "blockyard/server/chunk_counters.h"
#include "blockyard/server/outbox.h"
#include "blockyard/store/posix.h"
#include "blockyard/wire/batch.h"

namespace blockyard::server {

class Server::State final : private fabric::Receiver {
 public:
  State(fabric::Fabric& fabric, base::BufferPool& pool, const ServerOptions& options,
        store::Store* files)
      : fabric_(fabric),
        pool_(pool),
        outbox_(fabric),
        memory_(pool, options.budget_bytes,
                {files != nullptr ? *files : disks_, spill_path(options)},
                fmt::format("server {}", options.number), options.recording),
        table_(memory_, pool, options.check ? Identity::iteration : Identity::worker, outbox_,
               options.deterministic),
        recording_(options.recording) {
    for (const Lent& lent : options.lent) table_.lend(lent, options.number, options.servers);
  }

  void run() {
    const Receiving receiving(fabric_, this);
    std::vector<array::BlockId> arrived;
    while (!is_over_) {
      arrived.clear();
      if (memory_.settle(arrived)) table_.resume(arrived);
      auto message = fabric_.poll(patience());
      if (failure_) std::rethrow_exception(failure_);
      if (message) {
        wire::Any decoded = wire::decode(message->head);
        take_and_note({message->from, std::move(decoded), std::move(message->payload)});
      } else if (table_.is_waiting()) {
        base::require(memory_.is_in_transfer(), "requests wait for a transfer that is on its way");
        memory_.wait(glance_seconds);
      }
    }
  }

 private:
  // An abort wakes the poll: this only bounds one wait.
  static constexpr double idle_seconds = 3600;
  // While the disk works, messages and the disk are looked at in turn.
  static constexpr double glance_seconds = 1e-4;
  static constexpr double unhurried_seconds = 1e-2;

  /// Longer values are added by this rank's own thread, while workers compute.
  static constexpr std::size_t most_received_bytes = std::size_t{64} << 10;

  struct Receiving {
    Receiving(fabric::Fabric& of, fabric::Receiver* by) : fabric(of) { fabric.receive_by(by); }
    Receiving(const Receiving&) = delete;
    Receiving& operator=(const Receiving&) = delete;
    ~Receiving() { fabric.receive_by(nullptr); }
    fabric::Fabric& fabric;
  };

  // What fails is not the sender's failure: this rank ends with it.
  [[nodiscard]] Taken take(fabric::Message& message) override {
    if (failure_ || (message.payload && message.payload->size() > most_received_bytes))
      return Taken::no;
    try {
      wire::Any decoded = wire::decode(message.head);
      if (!is_quick(decoded)) return Taken::no;
      take_and_note({message.from, std::move(decoded), std::move(message.payload)});
    } catch (...) {
      failure_ = std::current_exception();
      return Taken::wakes;
    }
    return table_.is_waiting() || memory_.is_in_transfer() ? Taken::wakes : Taken::yes;
  }

  [[nodiscard]] static bool is_quick(const wire::Any& message) {
    if (const auto* scalar = std::get_if<wire::PutScalar>(&message))
      return scalar->count <= static_cast<std::int64_t>(most_received_bytes / sizeof(double));
    return std::holds_alternative<wire::GetBlock>(message) ||
           std::holds_alternative<wire::PutBlock>(message) ||
           std::holds_alternative<wire::Batch>(message) ||
           std::holds_alternative<wire::TakeChunk>(message);
  }

  static std::filesystem::path spill_path(const ServerOptions& options) {
    return options.scratch / fmt::format("blockyard-{}-server-{}", ::getpid(), options.number);
  }

  /// How long to listen for messages.
  [[nodiscard]] double patience() const {
    if (table_.is_waiting()) return 0;
    return memory_.is_in_transfer() ? unhurried_seconds : idle_seconds;
  }

  void take_and_note(Request request) {
    if (recording_ == nullptr) return take(std::move(request));
    const auto kind = static_cast<std::uint8_t>(request.message.index());
    base::UsualTime& usual = usual_[kind];
    if (!usual.is_due()) return take(std::move(request));
    const int from = request.from;
    const double begin = base::now_seconds();
    take(std::move(request));
    const double now = base::now_seconds();
    usual.add(now - begin);
    recording_->trace.add({begin, static_cast<float>(now - begin), from, 0, kind, 0});
    if (recording_->memory.is_due(now))
      recording_->memory.add({now, {static_cast<std::int64_t>(memory_.held_bytes())}});
  }

  void take(Request request) {
    if (const auto* chunk = std::get_if<wire::TakeChunk>(&request.message)) {
      const wire::Range range = chunk->near_last > 0
                                    ? counters_.take_near(*chunk)
                                    : counters_.take(chunk->counter, chunk->total, chunk->sharers);
      outbox_.reply(request.from, wire::Chunk{chunk->ticket, range.first, range.last});
    } else if (const auto* ask = std::get_if<wire::AskStatistics>(&request.message)) {
      outbox_.reply(request.from, statistics(ask->ticket));
    } else if (const auto* batch = std::get_if<wire::Batch>(&request.message)) {
      take_batch(request.from, *batch, request.payload);
    } else if (std::holds_alternative<wire::Shutdown>(request.message)) {
      is_over_ = true;
    } else {
      if (std::holds_alternative<wire::EndProgram>(request.message)) counters_.clear();
      table_.take(std::move(request));
    }
  }

  void take_batch(int from, const wire::Batch& batch, const fabric::Payload& payload) {
    const std::span<const std::byte> none;
    outbox_.begin_batch(from);
    for (wire::Part& part : wire::parts(batch, payload ? std::as_const(*payload).bytes() : none)) {
      Request request{from, std::move(part.put), nullptr};
      if (!part.values.empty()) {
        auto own = std::make_shared<base::Buffer>(pool_.allocate(part.values.size()));
        std::memcpy(own->data(), part.values.data(), part.values.size());
        request.payload = std::move(own);
      }
      table_.take(std::move(request));
    }
    outbox_.end_batch();
  }

  [[nodiscard]] wire::Statistics statistics(wire::Ticket ticket) const {
    wire::ServerCounts counts = outbox_.counts;
    counts.spilled_bytes = memory_.spilled_bytes();
    counts.read_back_bytes = memory_.read_back_bytes();
    counts.peak_bytes = memory_.peak_bytes();
    return {ticket, counts};
  }

  fabric::Fabric& fabric_;
  base::BufferPool& pool_;
  store::PosixStore disks_;
  Outbox outbox_;
  BlockMemory memory_;  // before table_, whose slots live in it
  BlockTable table_;
  ChunkCounters counters_;
  base::Recording* recording_;
  std::array<base::UsualTime, std::variant_size_v<wire::Any>> usual_;  ///< by kind of request
  bool is_over_ = false;
  std::exception_ptr failure_;  ///< of a request that its sender took
};

Server::Server(fabric::Fabric& fabric, base::BufferPool& pool, const ServerOptions& options)
    : state_(std::make_unique<State>(fabric, pool, options, nullptr)) {}

Server::Server(fabric::Fabric& fabric, base::BufferPool& pool, const ServerOptions& options,
               store::Store& files)
    : state_(std::make_unique<State>(fabric, pool, options, &files)) {}

Server::~Server() = default;

void Server::run() { state_->run(); }

}  // namespace blockyard::server
