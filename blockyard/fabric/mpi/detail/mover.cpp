// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/mover.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::fabric::detail {

namespace {

constexpr int envelope_tag = 0;
constexpr int piece_tag = 1;

constexpr std::size_t short_bytes = Mover::short_bytes;

bool is_lent(const Envelope& envelope) { return envelope.loan.number != Loan::none; }

/// How much of the payload the letter brings.
std::uint64_t carried_bytes(const Envelope& envelope) {
  return is_lent(envelope) ? 0 : envelope.payload_bytes;
}

bool is_short(const Envelope& envelope) {
  return envelope.head_bytes <= short_bytes &&
         carried_bytes(envelope) <= short_bytes - envelope.head_bytes;
}

}  // namespace

Mover::Mover(base::BufferPool& pool, Lending& lending, std::size_t piece_bytes, Announce announce,
             Name name, Deliver deliver)
    : pool_(pool),
      lending_(lending),
      piece_bytes_(piece_bytes),
      announce_(std::move(announce)),
      name_(std::move(name)),
      deliver_(std::move(deliver)) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
}

Mover::~Mover() {
  // Only a run that was given up leaves any.
  for (MPI_Request& request : requests_) MPI_Cancel(&request);
  if (requests_.empty()) MPI_Comm_free(&comm_);
}

void Mover::post(int process, Letter letter) {
  auto outgoing = std::make_shared<Outgoing>();
  outgoing->letter = std::move(letter);
  if (!waiting_.contains(process) && advance(process, outgoing)) return;
  waiting_[process].push_back(std::move(outgoing));
}

void Mover::post_last(int process, Letter letter) {
  auto outgoing = std::make_shared<Outgoing>();
  outgoing->letter = std::move(letter);
  outgoing->letter.head.resize(std::min(outgoing->letter.head.size(), short_bytes));
  close(process, outgoing, true);
}

void Mover::drop_waiting() noexcept { waiting_.clear(); }

bool Mover::post_waiting() {
  bool any = false;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    auto& [to, letters] = *at;
    while (!letters.empty() && advance(to, letters.front())) {
      letters.pop_front();
      any = true;
    }
    at = letters.empty() ? waiting_.erase(at) : std::next(at);
  }
  return any;
}

/// Sends what can be sent of it. False: the source has to write more before.
bool Mover::advance(int to, const std::shared_ptr<Outgoing>& outgoing) {
  if (!outgoing->is_open && !open(to, outgoing)) return false;
  Letter& letter = outgoing->letter;
  if (is_short(letter.envelope) || !letter.payload) return true;
  const std::size_t ready = letter.source ? letter.source->ready() : letter.payload->size();
  const std::byte* const place = letter.source ? letter.source->place() : nullptr;
  const std::span<const std::byte> all(place != nullptr ? place : letter.payload->data(),
                                       letter.payload->size());
  while (outgoing->posted < all.size()) {
    const std::size_t length =
        std::min<std::size_t>(letter.envelope.piece_bytes, all.size() - outgoing->posted);
    if (outgoing->posted + length > ready) return false;
    send_piece(to, outgoing, all.subspan(outgoing->posted, length));
    outgoing->posted += length;
  }
  // Memory that MPI reads on a device stays there until it is read: as long as the source.
  if (place == nullptr) letter.source.reset();
  return true;
}

/// Sends the envelope and the head. False: the payload has to be whole before, and is not.
bool Mover::open(int to, const std::shared_ptr<Outgoing>& outgoing) {
  Letter& letter = outgoing->letter;
  Envelope& envelope = letter.envelope;
  envelope.head_bytes = letter.head.size();
  envelope.has_payload = letter.payload != nullptr;
  envelope.payload_bytes = letter.payload ? letter.payload->size() : 0;
  envelope.piece_bytes = piece_bytes_;
  const bool is_on_device = letter.source && letter.source->place() != nullptr;
  if (is_on_device ||
      (letter.source && !is_short(envelope) && !lending_.could_lend(to, letter.payload))) {
    envelope.piece_bytes = std::min(piece_bytes_, letter.source->piece_bytes());
  } else if (letter.source) {
    if (letter.source->ready() < letter.payload->size()) return false;
    letter.source.reset();
  }
  if (letter.payload && !letter.source && !is_short(envelope))
    envelope.loan = lending_.lend(to, letter.payload);
  if (is_lent(envelope)) letter.payload.reset();
  close(to, outgoing);
  return true;
}

/// Closes the envelope and sends it, with what is short in it, and the head.
void Mover::close(int to, const std::shared_ptr<Outgoing>& outgoing, bool is_last) {
  Letter& letter = outgoing->letter;
  Envelope& envelope = letter.envelope;
  envelope.head_bytes = letter.head.size();
  const bool is_whole = is_short(envelope);
  std::vector<std::byte>& front = outgoing->front;
  front.reserve(sizeof envelope + (is_whole ? envelope.head_bytes + carried_bytes(envelope) : 0));
  const auto bytes = std::as_bytes(std::span(&envelope, 1));
  front.assign(bytes.begin(), bytes.end());
  if (is_whole) {
    front.insert(front.end(), letter.head.begin(), letter.head.end());
    if (letter.payload)
      front.insert(front.end(), letter.payload->bytes().begin(), letter.payload->bytes().end());
  }
  (is_last ? MPI_Issend : MPI_Isend)(front.data(), static_cast<int>(front.size()), MPI_BYTE, to,
                                     envelope_tag, comm_, new_send(outgoing));
  outgoing->is_open = true;
  announce_(to);
  if (is_whole) return;
  for (std::size_t at = 0; at < letter.head.size(); at += piece_bytes_)
    send_piece(to, outgoing,
               std::span(letter.head).subspan(at, std::min(piece_bytes_, letter.head.size() - at)));
}

MPI_Request* Mover::new_send(const std::shared_ptr<Outgoing>& outgoing) {
  owners_.push_back({nullptr, {}, outgoing});
  ++sends_;
  return &requests_.emplace_back(MPI_REQUEST_NULL);
}

void Mover::send_piece(int to, const std::shared_ptr<Outgoing>& outgoing,
                       std::span<const std::byte> piece) {
  MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, to, piece_tag, comm_,
            new_send(outgoing));
}

void Mover::receive_pieces(int from, Incoming& incoming, std::span<std::byte> into,
                           std::size_t piece, bool is_landing) {
  for (std::size_t at = 0; at < into.size(); at += piece) {
    const auto part = into.subspan(at, std::min(piece, into.size() - at));
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    owners_.push_back({&incoming, is_landing ? part : std::span<std::byte>(), nullptr});
    ++incoming.missing;
    MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, from, piece_tag, comm_,
              &request);
  }
}

bool Mover::progress() {
  const bool has_posted = post_waiting();
  const bool has_envelopes = take_envelopes();
  return take_finished() || has_envelopes || has_posted;
}

bool Mover::take_envelopes() {
  bool any = false;
  for (;;) {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, envelope_tag, comm_, &is_there, &message, &status);
    if (is_there == 0) return any;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::vector<std::byte> front(static_cast<std::size_t>(size));
    MPI_Mrecv(front.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    ++taken_;
    // Loans returned before this message was sent are now known to be returned.
    lending_.take_back();
    take(status.MPI_SOURCE, std::move(front));
    any = true;
  }
}

/// A letter arrives. The one that ends all waits for no other.
void Mover::take(int from, std::vector<std::byte> front) {
  auto& queue = incoming_[from];
  auto made = std::make_unique<Incoming>();
  Incoming& incoming = *made;
  incoming.from = from;
  Letter& letter = incoming.letter;
  base::require(front.size() >= sizeof(Envelope), "a letter has its envelope");
  std::memcpy(&letter.envelope, front.data(), sizeof(Envelope));
  const Envelope& envelope = letter.envelope;
  letter.head.resize(envelope.head_bytes);
  if (is_lent(envelope))
    letter.payload = lending_.borrow(from, envelope.loan, envelope.payload_bytes);
  else if (envelope.has_payload && !is_short(envelope))
    letter.landing = name_(envelope);
  if (envelope.has_payload && !letter.payload && !letter.landing)
    incoming.payload = std::make_shared<base::Buffer>(pool_.allocate(envelope.payload_bytes));
  queue.push_back(std::move(made));  // once it has its memory: without pieces it counts as complete
  const std::byte* rest = front.data() + sizeof(Envelope);
  if (is_short(envelope)) {
    std::copy_n(rest, envelope.head_bytes, letter.head.data());
    if (carried_bytes(envelope) > 0)
      std::copy_n(rest + envelope.head_bytes, envelope.payload_bytes, incoming.payload->data());
  } else {
    receive_pieces(from, incoming, letter.head, piece_bytes_);
    if (letter.landing)
      receive_pieces(from, incoming, {letter.landing->place(), letter.landing->bytes()},
                     envelope.piece_bytes, true);
    else if (incoming.payload)
      receive_pieces(from, incoming, incoming.payload->bytes(), envelope.piece_bytes);
  }
  if (envelope.subject == Subject::abort) {
    deliver_(from, std::move(letter));
    queue.pop_back();
    return;
  }
  deliver_complete(from);
}

bool Mover::take_finished() {
  if (requests_.empty()) return false;
  finished_.resize(requests_.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(),
               MPI_STATUSES_IGNORE);
  if (count <= 0) return false;  // MPI_UNDEFINED is negative
  for (int k = 0; k < count; ++k) {
    Owner& owner = owners_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(k)])];
    if (owner.incoming == nullptr) {
      --sends_;
    } else {
      note_come(owner);
      if (owner.incoming->missing == 0) complete_.push_back(owner.incoming->from);
    }
    owner = {};
  }
  std::size_t left = 0;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    if (requests_[k] == MPI_REQUEST_NULL) continue;
    if (left != k) {
      requests_[left] = requests_[k];
      owners_[left] = std::move(owners_[k]);
    }
    ++left;
  }
  requests_.resize(left);
  owners_.resize(left);
  for (const int from : complete_) deliver_complete(from);
  complete_.clear();
  return true;
}

/// A piece of a letter, or of its head, has come.
void Mover::note_come(const Owner& owner) {
  --owner.incoming->missing;
  if (owner.piece.empty()) return;
  Landing& landing = *owner.incoming->letter.landing;
  landing.came(static_cast<std::size_t>(owner.piece.data() - landing.place()), owner.piece.size());
}

/// Hands out the letters of a process that are complete, up to the first that is not.
bool Mover::deliver_complete(int from) {
  auto& queue = incoming_[from];
  bool any = false;
  while (!queue.empty() && queue.front()->missing == 0) {
    const std::unique_ptr<Incoming> incoming = std::move(queue.front());
    queue.pop_front();
    if (incoming->payload) incoming->letter.payload = std::move(incoming->payload);
    deliver_(from, std::move(incoming->letter));
    any = true;
  }
  return any;
}

void Mover::begin_barrier() { MPI_Ibarrier(comm_, &barrier_); }

bool Mover::is_barrier_over() {
  int is_over = 0;
  MPI_Test(&barrier_, &is_over, MPI_STATUS_IGNORE);
  return is_over != 0;
}

}  // namespace blockyard::fabric::detail
