// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "blockyard/block/block_source.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/wire/messages.h"
#include "blockyard/worker/detail/collective.h"
#include "blockyard/worker/detail/joined_puts.h"
#include "blockyard/worker/detail/transport_counts.h"
#include "blockyard/worker/flow_names.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// The worker's side of all messages. One thread, but see Collectives.
class Transport : public block::BlockSource {
 public:
  /// `here`: the origin of every get and put, kept up to date by the interpreter.
  Transport(fabric::Fabric& fabric, block::FramePool& frames, const Options& options,
            const wire::Access& here);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Names for error messages while a program runs; null between programs.
  void set_naming(const Naming* naming) noexcept {
    naming_ = naming;
    collectives_.set_naming(naming);
  }

  // BlockSource
  void fetch(const array::BlockId& id, const block::Asker& asker, block::Arrival& into) override;
  bool wait() override;
  void abandon() noexcept override;
  /// The block, waited for. Null: it was never written.
  [[nodiscard]] block::SharedFrame fetch_now(const array::BlockId& id);

  /// Starts a put; the frame must not be changed until it has no other holder. Waits while
  /// more than the allowed bytes are in flight.
  /// `source`: still writes the frame.
  void put(const array::BlockId& id, wire::PutMode mode, block::SharedFrame frame,
           array::ElementType type, std::shared_ptr<fabric::Source> source = nullptr);
  /// Whether a put may have a source: it goes to another process, and alone. And whether this one
  /// may have a place.
  [[nodiscard]] bool sends_as_it_comes(const array::BlockId& id, std::size_t bytes) const noexcept;
  [[nodiscard]] bool reads_devices(const array::BlockId& id, std::size_t bytes) const noexcept {
    return fabric_.reads_devices(home_rank(id), bytes);
  }
  /// Waits while too many puts are in flight.
  void put_scalar(const array::BlockId& id, wire::PutMode mode, std::complex<double> value,
                  std::int64_t count, array::ElementType type);
  /// Returns when all puts are acknowledged.
  void settle();

  /// Sends a request (its ticket is set here) to one server and waits for the reply.
  wire::Any ask(int server, wire::Any request);
  /// The same without the wait.
  [[nodiscard]] wire::Ticket start(int server, wire::Any request);
  /// What all workers do together: each sends the servers of its share their requests, whose
  /// tickets are set here, and does not wait. Each server is in the share of one worker.
  std::vector<wire::Ticket> start_share(const std::function<wire::Any(int server)>& request);
  /// Waits for the reply.
  wire::Any answer_to(wire::Ticket ticket);
  std::vector<wire::Any> answers_to(const std::vector<wire::Ticket>& tickets);
  /// Only looks whether it came.
  [[nodiscard]] std::optional<wire::Any> answer_so_far(wire::Ticket ticket);
  /// The same request to every server, answers in their order.
  std::vector<wire::Any> ask_all(const wire::Any& request);
  /// The same request to the servers of the share of this worker, as in start_share.
  std::vector<wire::Any> ask_share(const wire::Any& request);
  /// The server that has a block.
  [[nodiscard]] int home_of(const array::BlockId& id) const noexcept {
    return array::home_of(id, options_.servers);
  }
  /// Sends a message that needs no reply.
  void tell(int server, const wire::Any& message, fabric::Payload payload = nullptr,
            std::shared_ptr<fabric::Source> source = nullptr);
  /// Called again and again while this waits and `is_needed()`.
  void while_waiting(std::function<bool()> is_needed, std::function<void()> look_after) {
    is_needed_ = std::move(is_needed);
    look_after_ = std::move(look_after);
  }

  /// Collective among workers: as Collectives say.
  Collected collect(Collective kind, std::vector<std::byte> mine, const Combine& combine);
  /// Collective among workers. Returns when all came.
  void meet(Collective kind);
  /// Collective among workers: a sum in an order that their number determines.
  std::complex<double> sum(std::complex<double> mine);

  /// Takes a message if there is one. Throws Error{comm} if the run was aborted.
  void look_around() {
    if (auto message = fabric_.poll(0)) handle(std::move(*message));
  }

  void begin_counts();  ///< from zero
  [[nodiscard]] const TransportCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::size_t put_bytes() const noexcept { return put_bytes_; }  ///< under way

 private:
  struct PendingPut {
    array::BlockId id;
    std::int32_t pc;
    std::size_t bytes;
  };
  struct Fetch {
    array::BlockId id;
    std::int32_t pc;
    block::Arrival* into;  ///< null: nobody waits for it any more
  };
  /// Until `is_enough`, or all are acknowledged.
  template <class Enough>
  void wait_for_puts(const Enough& is_enough);
  void handle(fabric::Message message);
  void take(wire::BlockData& data, fabric::Payload payload);
  void take(wire::Failed& failed);
  [[noreturn]] void report_race(const wire::Failed& failed, const array::BlockId& id,
                                std::int32_t pc) const;
  void take(const wire::Done& done);
  /// Asks servers first, first + step, ...
  std::vector<wire::Ticket> start_each(int first, int step,
                                       const std::function<wire::Any(int server)>& request);
  [[nodiscard]] int rank_of(int server) const noexcept { return options_.workers + server; }
  [[nodiscard]] int home_rank(const array::BlockId& id) const noexcept {
    return rank_of(home_of(id));
  }

  fabric::Fabric& fabric_;
  block::FramePool& frames_;
  const Options& options_;
  const wire::Access& here_;
  TransportCounts counts_;
  const Naming* naming_ = nullptr;
  std::function<bool()> is_needed_;
  std::function<void()> look_after_;
  wire::Ticket last_ticket_ = 0;
  std::size_t put_bytes_ = 0;  ///< under way
  Doing waits_for_ = Doing::block;
  std::unordered_map<wire::Ticket, PendingPut> puts_;
  std::unordered_map<wire::Ticket, Fetch> fetches_;
  std::unordered_map<wire::Ticket, wire::Any> answers_;
  JoinedPuts joined_;
  Collectives collectives_;
};

}  // namespace blockyard::worker::detail
