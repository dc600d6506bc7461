// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/mover.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::fabric::detail {

namespace {

constexpr int envelope_tag = 0;
constexpr int piece_tag = 1;

/// Heads and payloads that are no longer than this together travel with the envelope. As long as
/// what the shared-memory transports of Open MPI and MPICH send without asking.
constexpr std::size_t short_bytes = 3072;

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

Mover::Mover(base::BufferPool& pool, Lending& lending, std::size_t piece_bytes, Deliver deliver)
    : pool_(pool), lending_(lending), piece_bytes_(piece_bytes), deliver_(std::move(deliver)) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  int processes = 0;
  MPI_Comm_size(comm_, &processes);
  incoming_.resize(static_cast<std::size_t>(processes));
}

Mover::~Mover() {
  // Only a run that was given up leaves any.
  for (MPI_Request& request : requests_) MPI_Cancel(&request);
  if (requests_.empty()) MPI_Comm_free(&comm_);
}

void Mover::post(int process, Letter letter, bool is_urgent) {
  auto outgoing = std::make_shared<Outgoing>();
  outgoing->letter = std::move(letter);
  Envelope& envelope = outgoing->letter.envelope;
  Letter& sent = outgoing->letter;
  envelope.head_bytes = sent.head.size();
  envelope.has_payload = sent.payload != nullptr;
  envelope.payload_bytes = sent.payload ? sent.payload->size() : 0;
  if (sent.payload && !is_short(envelope)) envelope.loan = lending_.lend(process, sent.payload);
  if (is_lent(envelope)) sent.payload.reset();
  const bool is_whole = is_short(envelope);
  std::vector<std::byte>& front = outgoing->front;
  front.reserve(sizeof envelope + (is_whole ? envelope.head_bytes + carried_bytes(envelope) : 0));
  const auto bytes = std::as_bytes(std::span(&envelope, 1));
  front.assign(bytes.begin(), bytes.end());
  if (is_whole) {
    front.insert(front.end(), sent.head.begin(), sent.head.end());
    if (sent.payload)
      front.insert(front.end(), sent.payload->bytes().begin(), sent.payload->bytes().end());
  }
  MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
  owners_.push_back({nullptr, outgoing});
  ++sends_;
  (is_urgent ? MPI_Issend : MPI_Isend)(front.data(), static_cast<int>(front.size()), MPI_BYTE,
                                       process, envelope_tag, comm_, &request);
  if (is_whole) return;
  send_pieces(process, outgoing, sent.head.data(), sent.head.size());
  if (sent.payload) send_pieces(process, outgoing, sent.payload->data(), sent.payload->size());
}

void Mover::send_pieces(int to, const std::shared_ptr<Outgoing>& outgoing, const std::byte* data,
                        std::size_t size) {
  for (std::size_t at = 0; at < size; at += piece_bytes_) {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    owners_.push_back({nullptr, outgoing});
    ++sends_;
    MPI_Isend(data + at, static_cast<int>(std::min(piece_bytes_, size - at)), MPI_BYTE, to,
              piece_tag, comm_, &request);
  }
}

void Mover::receive_pieces(int from, Incoming& incoming, std::byte* data, std::size_t size) {
  for (std::size_t at = 0; at < size; at += piece_bytes_) {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    owners_.push_back({&incoming, nullptr});
    ++incoming.missing;
    MPI_Irecv(data + at, static_cast<int>(std::min(piece_bytes_, size - at)), MPI_BYTE, from,
              piece_tag, comm_, &request);
  }
}

bool Mover::progress() {
  const bool has_envelopes = take_envelopes();
  return take_finished() || has_envelopes;
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
    // Who gave back before it sent this is known to have done so.
    lending_.take_back();
    open(status.MPI_SOURCE, std::move(front));
    any = true;
  }
}

void Mover::open(int from, std::vector<std::byte> front) {
  auto& queue = incoming_[static_cast<std::size_t>(from)];
  Incoming& incoming = *queue.emplace_back(std::make_unique<Incoming>());
  Letter& letter = incoming.letter;
  base::require(front.size() >= sizeof(Envelope), "a letter has its envelope");
  std::memcpy(&letter.envelope, front.data(), sizeof(Envelope));
  const Envelope& envelope = letter.envelope;
  letter.head.resize(envelope.head_bytes);
  if (is_lent(envelope))
    letter.payload = lending_.borrow(from, envelope.loan, envelope.payload_bytes);
  else if (envelope.has_payload)
    incoming.payload = std::make_shared<base::Buffer>(pool_.allocate(envelope.payload_bytes));
  const std::byte* rest = front.data() + sizeof(Envelope);
  if (is_short(envelope)) {
    std::copy_n(rest, envelope.head_bytes, letter.head.data());
    if (carried_bytes(envelope) > 0)
      std::copy_n(rest + envelope.head_bytes, envelope.payload_bytes, incoming.payload->data());
  } else {
    receive_pieces(from, incoming, letter.head.data(), envelope.head_bytes);
    if (incoming.payload)
      receive_pieces(from, incoming, incoming.payload->data(), envelope.payload_bytes);
  }
  deliver_complete(static_cast<std::size_t>(from));
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
    if (owner.incoming != nullptr)
      --owner.incoming->missing;
    else
      --sends_;
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
  for (std::size_t from = 0; from < incoming_.size(); ++from) deliver_complete(from);
  return true;
}

/// Hands out the letters of a process that are complete, up to the first that is not.
bool Mover::deliver_complete(std::size_t from) {
  auto& queue = incoming_[from];
  bool any = false;
  while (!queue.empty() && queue.front()->missing == 0) {
    const std::unique_ptr<Incoming> incoming = std::move(queue.front());
    queue.pop_front();
    if (incoming->payload) incoming->letter.payload = std::move(incoming->payload);
    deliver_(static_cast<int>(from), std::move(incoming->letter));
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
