// SPDX-License-Identifier: Apache-2.0
// The part of MpiState that takes what other processes sent. With moving_mutex_.
#include <cstring>

#include "blockyard/base/error.h"
#include "blockyard/fabric/mpi/detail/state.h"

namespace blockyard::fabric {

using detail::Letter;
using detail::Subject;

void MpiState::deliver(int from, Letter letter) {
  const detail::Envelope& envelope = letter.envelope;
  const std::string_view text(reinterpret_cast<const char*>(letter.head.data()),
                              letter.head.size());
  if (envelope.subject == Subject::abort) {
    note_abort(text);
    is_woken_ = true;
    return;
  }
  if (is_aborted_) return;
  switch (envelope.subject) {
    case Subject::message:
      return mailbox(envelope.to)
          .put({envelope.from, std::move(letter.head), std::move(letter.payload), nullptr,
                std::move(letter.landing)});
    case Subject::offer:
      return take_offer(letter);
    case Subject::result:
      return take_result(letter);
    case Subject::text:
      texts_.emplace_back(text);
      return;
    case Subject::done:
      return take_answer(letter);
    default:
      return answer(from, letter);
  }
}

std::shared_ptr<Landing> MpiState::name_landing(const detail::Envelope& envelope) const {
  if (envelope.subject != Subject::message) return nullptr;
  const NameLanding& name = names_[static_cast<std::size_t>(envelope.to)];
  return name ? name(envelope.payload_bytes, options_.reads_devices) : nullptr;
}

void MpiState::take_offer(const Letter& letter) {
  {
    const std::lock_guard lock(meeting_mutex_);
    meetings_.take_offer(letter.envelope.from, letter.envelope.to, detail::decode(letter.head));
  }
  met_.notify_all();
}

void MpiState::take_result(const Letter& letter) {
  {
    const std::lock_guard lock(meeting_mutex_);
    meetings_.take_result(letter.envelope.to,
                          std::make_shared<const detail::Offer>(detail::decode(letter.head)));
  }
  met_.notify_all();
}

/// Does what another process asks of a window here.
void MpiState::answer(int from, const Letter& letter) {
  const detail::Envelope& asked = letter.envelope;
  detail::Window* window = nullptr;
  {
    const std::lock_guard lock(window_mutex_);
    window = windows_.at(static_cast<std::size_t>(asked.window)).get();
  }
  Letter answer;
  answer.envelope.subject = Subject::done;
  answer.envelope.ticket = asked.ticket;
  const std::span<const std::byte> values =
      letter.payload ? letter.payload->bytes() : std::span<const std::byte>();
  if (asked.subject == Subject::get && asked.length > 0) {
    auto bytes = std::make_shared<base::Buffer>(pool_.allocate(asked.length));
    window->get(asked.to, asked.offset, bytes->bytes());
    answer.payload = std::move(bytes);
  } else if (asked.subject == Subject::put) {
    window->put(asked.to, asked.offset, values, is_aborted_);
  } else if (asked.subject == Subject::accumulate) {
    window->accumulate(asked.to, asked.offset, values, is_aborted_);
  }
  leave(from, std::move(answer));
}

void MpiState::take_answer(Letter& letter) {
  const std::lock_guard lock(window_mutex_);
  const auto asked = asked_.find(letter.envelope.ticket);
  base::require(asked != asked_.end(), "an answer has its question");
  if (letter.payload)
    std::memcpy(asked->second.data(), letter.payload->data(), asked->second.size());
  asked_.erase(asked);
}

}  // namespace blockyard::fabric
