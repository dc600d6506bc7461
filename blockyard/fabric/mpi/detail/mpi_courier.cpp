// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/mpi_courier.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::fabric::detail {

using letters::Front;
using letters::Letter;
using letters::Way;

namespace {

int front_tag(std::size_t way) { return static_cast<int>(2 * way); }
int piece_tag(std::size_t way) { return static_cast<int>(2 * way + 1); }

void check(int code) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw base::Error(base::Errc::comm, std::string("MPI: ") + text.data());
}

/// Pieces are shorter than the largest int.
int to_int(std::size_t bytes) { return static_cast<int>(bytes); }

bool is_short(const Front& front) { return front.body_bytes <= letters::short_bytes; }

}  // namespace

MpiCourier::MpiCourier(MPI_Comm communicator, letters::Desk& desk) : desk_(desk) {
  check(MPI_Comm_dup(communicator, &comm_));
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  for (std::size_t way = 0; way < ways; ++way) {
    rings_[way] = std::make_unique<Ring>();
    for (std::size_t slot = 0; slot < ring_length; ++slot) listen(way, slot);
  }
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &MpiCourier::before_finalize, &key_, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key_, this);
}

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
int MpiCourier::before_finalize(MPI_Comm /*comm*/, int /*key*/, void* courier, void* /*extra*/) {
  auto& self = *static_cast<MpiCourier*>(courier);
  if (!self.is_over_) self.desk_.end();
  self.is_over_ = true;
  return MPI_SUCCESS;
}

MpiCourier::~MpiCourier() {
  if (is_over_) return;
  is_over_ = true;
  MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
  MPI_Comm_free_keyval(&key_);
  for (auto& ring : rings_)
    for (MPI_Request& request : ring->requests) {
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  drop_pieces();
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
  MPI_Comm_free(&comm_);
}

/// Only an aborted run leaves any. Nothing may come into memory that ends now; a piece that is
/// half-way is waited for, unless its sender has stopped.
void MpiCourier::drop_pieces() noexcept {
  constexpr double patience_seconds = 1;
  const double end = base::now_seconds() + patience_seconds;
  for (InLane* lane : open_lanes_)
    for (Expected& piece : lane->open->pieces) {
      if (piece.request != MPI_REQUEST_NULL) MPI_Cancel(&piece.request);
      int is_over = 0;
      do MPI_Test(&piece.request, &is_over, MPI_STATUS_IGNORE);
      while (is_over == 0 && base::now_seconds() < end);
    }
}

void MpiCourier::listen(std::size_t way, std::size_t slot) {
  Ring& ring = *rings_[way];
  check(MPI_Irecv(ring.buffers[slot].data(), to_int(front_bytes), MPI_BYTE, MPI_ANY_SOURCE,
                  front_tag(way), comm_, &ring.requests[slot]));
}

MpiCourier::Bytes MpiCourier::buffer(std::size_t bytes) {
  Bytes found;
  if (!buffers_.empty()) {
    found = std::move(buffers_.back());
    buffers_.pop_back();
  }
  found.resize(bytes);
  return found;
}

void MpiCourier::keep(Bytes buffer) {
  constexpr std::size_t most = 64;
  if (buffers_.size() < most && buffer.capacity() > 0) buffers_.push_back(std::move(buffer));
}

void MpiCourier::post(int to, Way way, Letter letter) {
  const auto at = static_cast<std::size_t>(way);
  OutLane& lane = out_[at].try_emplace(to, to, at).first->second;
  if (lane.waiting.empty() && is_short(letter.front)) {
    send_front(lane, letter);
    return;
  }
  if (is_short(letter.front) && letter.body.owned.empty() && letter.front.body_bytes > 0) {
    // It has to wait, but its memory shall not.
    Bytes copy(letter.front.body_bytes);
    copy_to_near(letter.body.rows, letter.body.place, copy.data());
    letter.body = letters::Body::of(std::move(copy));
  }
  if (lane.waiting.empty()) sending_lanes_.push_back(&lane);
  const Cutter cutter(letter.body.rows, letter.front.piece_bytes);
  lane.waiting.push_back(std::make_shared<Outgoing>(Outgoing{std::move(letter), cutter}));
}

void MpiCourier::send_front(const OutLane& lane, const Letter& letter) {
  const bool has_body = is_short(letter.front) && letter.front.body_bytes > 0;
  Bytes bytes = buffer(sizeof(Front) + (has_body ? letter.front.body_bytes : 0));
  std::memcpy(bytes.data(), &letter.front, sizeof(Front));
  if (has_body) copy_to_near(letter.body.rows, letter.body.place, bytes.data() + sizeof(Front));
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(bytes.data(), to_int(bytes.size()), MPI_BYTE, lane.to, front_tag(lane.way), comm_,
                  &request));
  int is_done = 0;
  check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
  if (is_done != 0) {
    keep(std::move(bytes));
    return;
  }
  requests_.push_back(request);
  sendings_.push_back({nullptr, std::move(bytes)});
}

void MpiCourier::send_pieces(const OutLane& lane, const std::shared_ptr<Outgoing>& outgoing) {
  letters::Body& body = outgoing->letter.body;
  for (Cut cut; outgoing->pieces < static_cast<int>(pieces_ahead);) {
    if (!outgoing->cutter.next(cut)) {
      outgoing->is_posted = true;
      return;
    }
    const std::size_t bytes = cut.rows.byte_count();
    const std::byte* from = body.place + cut.far;
    Bytes copy;
    if (cut.rows.levels > 0) {
      copy = buffer(bytes);
      copy_to_near(cut.rows, from, copy.data());
      from = copy.data();
    }
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(from, to_int(bytes), MPI_BYTE, lane.to, piece_tag(lane.way), comm_, &request));
    requests_.push_back(request);
    sendings_.push_back({outgoing, std::move(copy)});
    ++outgoing->pieces;
  }
}

/// Sends what can be sent of the lane's letters. True if anything was.
bool MpiCourier::advance(OutLane& lane) {
  bool any = false;
  while (!lane.waiting.empty()) {
    const auto outgoing = lane.waiting.front();
    if (!outgoing->is_open) {
      send_front(lane, outgoing->letter);
      outgoing->is_open = any = true;
      outgoing->is_posted = is_short(outgoing->letter.front);
    }
    const int before = outgoing->pieces;
    if (!outgoing->is_posted) send_pieces(lane, outgoing);
    any = any || outgoing->pieces != before;
    if (!outgoing->is_posted) break;
    if (outgoing->pieces == 0 && outgoing->letter.was_sent) outgoing->letter.was_sent();
    lane.waiting.pop_front();
  }
  return any;
}

bool MpiCourier::take_sent() {
  if (requests_.empty()) return false;
  finished_.resize(requests_.size());
  int count = 0;
  check(MPI_Testsome(to_int(requests_.size()), requests_.data(), &count, finished_.data(),
                     MPI_STATUSES_IGNORE));
  if (count <= 0) return false;
  std::sort(finished_.begin(), finished_.begin() + count, std::greater<>());
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(finished_[static_cast<std::size_t>(i)]);
    Sending sent = std::move(sendings_[at]);
    requests_[at] = requests_.back();
    requests_.pop_back();
    if (at + 1 < sendings_.size()) sendings_[at] = std::move(sendings_.back());
    sendings_.pop_back();
    keep(std::move(sent.copy));
    if (!sent.outgoing) continue;
    Outgoing& outgoing = *sent.outgoing;
    if (--outgoing.pieces == 0 && outgoing.is_posted && outgoing.letter.was_sent)
      outgoing.letter.was_sent();
  }
  return true;
}

bool MpiCourier::take_fronts(std::size_t way) {
  Ring& ring = *rings_[way];
  bool any = false;
  for (;;) {
    const std::size_t slot = ring.next;
    int is_here = 0;
    MPI_Status status;
    check(MPI_Test(&ring.requests[slot], &is_here, &status));
    if (is_here == 0) return any;
    any = true;
    ring.next = (slot + 1) % ring_length;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    Front front;
    std::memcpy(&front, ring.buffers[slot].data(), sizeof(front));
    arrive(in_[way].try_emplace(status.MPI_SOURCE, status.MPI_SOURCE, way).first->second, front,
           std::span(ring.buffers[slot])
               .subspan(sizeof(front), static_cast<std::size_t>(bytes) - sizeof(front)));
    listen(way, slot);
  }
}

void MpiCourier::arrive(InLane& lane, const Front& front, std::span<const std::byte> body) {
  if (lane.open || !lane.waiting.empty())
    lane.waiting.push_back({front, {body.begin(), body.end()}});
  else
    deliver(lane, front, body);
}

void MpiCourier::deliver(InLane& lane, const Front& front, std::span<const std::byte> body) {
  if (is_short(front)) {
    desk_.take(lane.from, front, body);
    return;
  }
  letters::Intake intake = desk_.open(lane.from, front);
  const Cutter cutter(intake.body.rows, front.piece_bytes);
  lane.open.emplace(Incoming{front, std::move(intake), cutter});
  open_lanes_.push_back(&lane);
  expect_pieces(lane);
}

void MpiCourier::expect_pieces(InLane& lane) {
  Incoming& open = *lane.open;
  for (Cut cut; !open.is_cut && open.pieces.size() < pieces_ahead;) {
    if (!open.cutter.next(cut)) {
      open.is_cut = true;
      return;
    }
    Expected& piece = open.pieces.emplace_back();
    piece.cut = cut;
    const std::size_t bytes = cut.rows.byte_count();
    std::byte* into = open.intake.body.place + cut.far;
    if (cut.rows.levels > 0 || open.intake.apply) {
      piece.copy = buffer(bytes);
      into = piece.copy.data();
    }
    check(MPI_Irecv(into, to_int(bytes), MPI_BYTE, lane.from, piece_tag(lane.way), comm_,
                    &piece.request));
  }
}

bool MpiCourier::take_pieces(InLane& lane) {
  bool any = false;
  while (lane.open) {
    Incoming& open = *lane.open;
    while (!open.pieces.empty()) {
      Expected& piece = open.pieces.front();
      int is_here = 0;
      check(MPI_Test(&piece.request, &is_here, MPI_STATUS_IGNORE));
      if (is_here == 0) return any;
      any = true;
      if (open.intake.apply)
        open.intake.apply(piece.cut, piece.copy.data());
      else if (!piece.copy.empty())
        copy_to_far(piece.cut.rows, open.intake.body.place + piece.cut.far, piece.copy.data());
      keep(std::move(piece.copy));
      open.pieces.pop_front();
      expect_pieces(lane);
    }
    desk_.close(lane.from, open.front, open.intake);
    lane.open.reset();
    std::erase(open_lanes_, &lane);
    while (!lane.open && !lane.waiting.empty()) {
      const Waiting next = std::move(lane.waiting.front());
      lane.waiting.pop_front();
      deliver(lane, next.front, next.body);
    }
  }
  return any;
}

bool MpiCourier::progress() {
  bool any = false;
  for (std::size_t way = 0; way < ways; ++way)
    if (take_fronts(way)) any = true;
  for (std::size_t i = open_lanes_.size(); i-- > 0;)
    if (i < open_lanes_.size() && take_pieces(*open_lanes_[i])) any = true;
  if (take_sent()) any = true;
  for (std::size_t i = sending_lanes_.size(); i-- > 0;) {
    OutLane& lane = *sending_lanes_[i];
    if (advance(lane)) any = true;
    if (lane.waiting.empty()) std::erase(sending_lanes_, &lane);
  }
  return any;
}

void MpiCourier::begin_barrier() { check(MPI_Ibarrier(comm_, &barrier_)); }

bool MpiCourier::is_barrier_over() {
  int is_over = 0;
  check(MPI_Test(&barrier_, &is_over, MPI_STATUS_IGNORE));
  return is_over != 0;
}

}  // namespace blockyard::fabric::detail
