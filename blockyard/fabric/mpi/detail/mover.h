// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/fabric/mpi/detail/lending.h"
#include "blockyard/fabric/mpi/detail/letter.h"

namespace blockyard::fabric::detail {

/// Moves letters between processes by MPI's two-sided messages. Letters between two processes
/// arrive in the order of posting. One thread at a time.
///
/// A letter is one message of its envelope followed by the short parts, and then, if it is long,
/// its head and, unless it is lent, its payload in pieces, straight from and into their memory.
/// They need no tags of their own: MPI keeps the order of sends and of receives, and both follow
/// that of the envelopes. So a letter whose payload is still being written delays those after
/// it.
class Mover {
 public:
  using Deliver = std::function<void(int from_process, Letter letter)>;

  using Announce = std::function<void(int to_process)>;
  /// Memory for the payload of a letter to come, or null.
  using Name = std::function<std::shared_ptr<Landing>(const Envelope& envelope)>;

  /// Heads and payloads that are no longer than this together travel with the envelope. As long as
  /// what the shared-memory transports of Open MPI and MPICH send without asking.
  static constexpr std::size_t short_bytes = 3072;

  /// `piece_bytes`: the longest message. `announce` is told of every letter whose envelope is sent,
  /// `name` is asked where long payloads are to go, `deliver` gets what arrived, during progress().
  Mover(base::BufferPool& pool, Lending& lending, std::size_t piece_bytes, Announce announce,
        Name name, Deliver deliver);
  ~Mover();
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  void post(int process, Letter letter);
  /// A short one that goes before those that wait for a source. is_sending() stays true until the
  /// other side received it.
  void post_last(int process, Letter letter);
  /// Gives up what waits for a source, also if a part was sent: the run ends.
  void drop_waiting() noexcept;
  /// True if anything moved.
  bool progress();
  /// Sends are under way / sends or receives are.
  [[nodiscard]] bool is_sending() const noexcept { return sends_ > 0 || !waiting_.empty(); }
  [[nodiscard]] bool is_busy() const noexcept { return !requests_.empty() || !waiting_.empty(); }
  /// How many letters arrived, at least in their front.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

  /// Collective among processes. Begins a barrier that progress() carries on; true once all came.
  void begin_barrier();
  [[nodiscard]] bool is_barrier_over();

 private:
  struct Outgoing {
    Letter letter;
    std::vector<std::byte> front;
    bool is_open = false;    ///< the envelope is sent
    std::size_t posted = 0;  ///< bytes of the payload
  };
  struct Incoming {
    Letter letter;
    std::shared_ptr<base::Buffer> payload;
    int from = -1;
    int missing = 0;  ///< pieces
  };
  /// The owner of a request.
  struct Owner {
    Incoming* incoming = nullptr;        ///< of a receive
    std::span<std::byte> piece;          ///< of a landing, that is received
    std::shared_ptr<Outgoing> outgoing;  ///< of a send; shared by its pieces
  };

  bool advance(int to, const std::shared_ptr<Outgoing>& outgoing);
  bool open(int to, const std::shared_ptr<Outgoing>& outgoing);
  void close(int to, const std::shared_ptr<Outgoing>& outgoing, bool is_last = false);
  bool post_waiting();
  MPI_Request* new_send(const std::shared_ptr<Outgoing>& outgoing);
  bool take_envelopes();
  bool take_finished();
  void take(int from, std::vector<std::byte> front);
  void receive_pieces(int from, Incoming& incoming, std::span<std::byte> into, std::size_t piece,
                      bool is_landing = false);
  static void note_come(const Owner& owner);
  void send_piece(int to, const std::shared_ptr<Outgoing>& outgoing,
                  std::span<const std::byte> piece);
  bool deliver_complete(int from);

  base::BufferPool& pool_;
  Lending& lending_;
  std::size_t piece_bytes_;
  Announce announce_;
  Name name_;
  Deliver deliver_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> requests_;
  std::vector<Owner> owners_;  ///< of requests_, one each
  std::vector<int> finished_;  ///< scratch
  std::vector<int> complete_;  ///< scratch
  std::size_t sends_ = 0;
  /// Those that wait for a source, by process; no process has none.
  std::map<int, std::deque<std::shared_ptr<Outgoing>>> waiting_;
  std::uint64_t taken_ = 0;
  /// By process that ever sent any, in order: of many processes few talk to this one.
  std::unordered_map<int, std::deque<std::unique_ptr<Incoming>>> incoming_;
};

}  // namespace blockyard::fabric::detail
