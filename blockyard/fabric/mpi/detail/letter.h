// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "blockyard/fabric/fabric.h"
#include "blockyard/fabric/mpi/detail/lending.h"

namespace blockyard::fabric::detail {

/// What a letter between two processes is about. The head of all but `message` is ours.
enum class Subject : std::uint32_t {
  message,  ///< from rank to rank
  abort,    ///< head: the cause
  offer,    ///< what a rank and those below it bring to a collective, to its parent
  result,   ///< what came of it, to a child
  text,     ///< of World::say
  get,      ///< window operations between processes that share no memory
  put,
  accumulate,
  done,
};

/// The fixed front of a letter. Both ends are the same program: sent as it lies in memory.
struct Envelope {
  Subject subject = Subject::message;
  std::int32_t from = -1;  ///< rank, if it is about ranks
  std::int32_t to = -1;
  std::int32_t window = -1;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t ticket = 0;
  std::uint64_t head_bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t piece_bytes = 0;  ///< a payload of its own message or messages: their length
  bool has_payload = false;
  Loan loan;  ///< the payload stays where it is, if there is one
};

struct Letter {
  Envelope envelope;
  std::vector<std::byte> head;
  Payload payload;
  std::shared_ptr<Source> source;
  std::shared_ptr<Landing> landing;
};

[[nodiscard]] inline Letter letter_of(Subject subject, std::string_view text) {
  Letter letter;
  letter.envelope.subject = subject;
  const auto bytes = std::as_bytes(std::span(text));
  letter.head.assign(bytes.begin(), bytes.end());
  return letter;
}

}  // namespace blockyard::fabric::detail
