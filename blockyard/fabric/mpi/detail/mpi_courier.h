// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "blockyard/fabric/letters/letter.h"

namespace blockyard::fabric::detail {

/// Letters over MPI's two-sided messages. A letter is one message of its front followed by a short
/// body, or of its front and then the pieces of a long body, from and into its memory where a
/// piece lies there without gaps. Pieces need no names: MPI keeps the order of sends and of
/// receives, and both follow that of the fronts.
class MpiCourier final : public letters::Courier {
 public:
  /// Collective. `communicator` may be freed afterwards. `desk` lasts longer.
  MpiCourier(MPI_Comm communicator, letters::Desk& desk);
  ~MpiCourier() override;
  MpiCourier(const MpiCourier&) = delete;
  MpiCourier& operator=(const MpiCourier&) = delete;

  void post(int to, letters::Way way, letters::Letter letter) override;
  bool progress() override;
  [[nodiscard]] bool is_sending() const noexcept override {
    return !requests_.empty() || !sending_lanes_.empty();
  }
  void begin_barrier() override;
  [[nodiscard]] bool is_barrier_over() override;

 private:
  static constexpr std::size_t ways = 2, ring_length = 16, pieces_ahead = 3;
  static constexpr std::size_t front_bytes = sizeof(letters::Front) + letters::short_bytes;
  using Bytes = std::vector<std::byte>;

  struct Outgoing {
    letters::Letter letter;
    Cutter cutter;
    bool is_open = false;
    bool is_posted = false;
    int pieces = 0;  ///< being sent
  };
  /// What goes to a process one way.
  struct OutLane {
    int to = -1;
    std::size_t way = 0;
    std::deque<std::shared_ptr<Outgoing>> waiting = {};
  };
  /// A message being sent.
  struct Sending {
    std::shared_ptr<Outgoing> outgoing;  ///< of a piece; shared by its pieces
    Bytes copy;                          ///< null: sent from where it lies
  };
  struct Expected {
    MPI_Request request = MPI_REQUEST_NULL;
    Cut cut;
    Bytes copy;  ///< empty: straight into its memory
  };
  struct Incoming {
    letters::Front front;
    letters::Intake intake;
    Cutter cutter;
    bool is_cut = false;
    std::deque<Expected> pieces = {};
  };
  struct Waiting {
    letters::Front front;
    Bytes body;
  };
  /// What comes from a process one way.
  struct InLane {
    int from = -1;
    std::size_t way = 0;
    std::optional<Incoming> open = {};
    std::deque<Waiting> waiting = {};
  };
  struct Ring {
    alignas(64) std::array<std::array<std::byte, front_bytes>, ring_length> buffers;
    std::array<MPI_Request, ring_length> requests;
    std::size_t next = 0;
  };

  static int before_finalize(MPI_Comm comm, int key, void* courier, void* extra);
  void listen(std::size_t way, std::size_t slot);
  bool take_fronts(std::size_t way);
  void arrive(InLane& lane, const letters::Front& front, std::span<const std::byte> body);
  void deliver(InLane& lane, const letters::Front& front, std::span<const std::byte> body);
  void expect_pieces(InLane& lane);
  /// True if a piece came.
  bool take_pieces(InLane& lane);
  void send_front(const OutLane& lane, const letters::Letter& letter);
  bool advance(OutLane& lane);
  void send_pieces(const OutLane& lane, const std::shared_ptr<Outgoing>& outgoing);
  bool take_sent();
  void drop_pieces() noexcept;
  [[nodiscard]] Bytes buffer(std::size_t bytes);
  void keep(Bytes buffer);

  letters::Desk& desk_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int key_ = MPI_KEYVAL_INVALID;  ///< of what MPI_Finalize calls first
  bool is_over_ = false;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  std::array<std::unique_ptr<Ring>, ways> rings_;
  /// By process that was ever written to, or wrote: of many processes few talk to this one.
  std::array<std::unordered_map<int, OutLane>, ways> out_;
  std::array<std::unordered_map<int, InLane>, ways> in_;
  std::vector<OutLane*> sending_lanes_;  ///< with letters waiting
  std::vector<InLane*> open_lanes_;      ///< with a long body coming in
  std::vector<MPI_Request> requests_;
  std::vector<Sending> sendings_;  ///< of requests_, one each
  std::vector<int> finished_;      ///< scratch
  std::vector<Bytes> buffers_;     ///< to be used again
};

}  // namespace blockyard::fabric::detail
