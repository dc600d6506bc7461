// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/collective.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <ranges>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/fabric/rank_tree.h"

namespace blockyard::worker::detail {

namespace {

const char* name_of(Collective kind) {
  switch (kind) {
    case Collective::barrier:
      return "a barrier";
    case Collective::sum:
      return "a collective sum";
    case Collective::assert_same:
      return "assert_same";
    case Collective::broadcast:
      return "broadcast_from";
    case Collective::persist:
      return "a delete or restore_persistent";
    case Collective::checkpoint:
      return "a checkpoint";
    case Collective::end:
      return "the end of the program";
  }
  return "?";
}

}  // namespace

Collected join_the_only(std::span<Collected> parts) {
  Collected only;
  for (Collected& part : parts) {
    if (part.bytes().empty()) continue;
    if (!only.bytes().empty())
      throw base::Error(base::Errc::bad_input,
                        "broadcast_from: workers name different workers or arrays");
    only = std::move(part);
  }
  return only;
}

Collectives::Collectives(fabric::Fabric& fabric, block::FramePool& frames, const Options& options,
                         const wire::Access& here, std::function<void()> wait)
    : fabric_(fabric),
      frames_(frames),
      options_(options),
      here_(here),
      wait_(std::move(wait)),
      children_(fabric::children_of(options.worker, options.workers)) {
  if (!children_.empty()) fabric.receive_by(this);
}

Collectives::~Collectives() {
  if (!children_.empty()) fabric_.receive_by(nullptr);
}

Collected Collectives::collect(Collective kind, std::vector<std::byte> mine,
                               const Combine& combine) {
  Meeting meeting{combine};
  struct Cleared {
    Meeting*& pointer;
    ~Cleared() { pointer = nullptr; }
  } const cleared{meeting_};
  parts_[++step_].emplace(options_.worker, Part{kind, here_.pc, Collected(std::move(mine))});
  meeting_ = &meeting;
  send_up_when_complete();
  while (!meeting.is_over()) wait_();
  if (meeting.failure) std::rethrow_exception(meeting.failure);
  return std::move(*meeting.result);
}

void Collectives::take_part(int worker, wire::Collect& part, fabric::Payload payload) {
  Collected values = payload ? Collected(std::move(payload)) : Collected(std::move(part.bytes));
  parts_[part.step].emplace(worker,
                            Part{static_cast<Collective>(part.kind), part.pc, std::move(values)});
  if (meeting_ != nullptr && part.step == step_) send_up_when_complete();
}

void Collectives::take_result(wire::Spread& result, fabric::Payload payload) {
  base::require(meeting_ != nullptr && result.step == step_, "a result comes to who gave a part");
  send_down(payload ? Collected(std::move(payload)) : Collected(std::move(result.bytes)));
}

fabric::Receiver::Taken Collectives::take(fabric::Message& message) {
  if (meeting_ == nullptr) return Taken::no;
  wire::Any any = wire::decode(message.head);
  if (auto* const part = std::get_if<wire::Collect>(&any); part && part->step == step_)
    take_part(message.from, *part, std::move(message.payload));
  else if (auto* const result = std::get_if<wire::Spread>(&any))
    take_result(*result, std::move(message.payload));
  else
    return Taken::no;
  return meeting_->is_over() ? Taken::wakes : Taken::yes;
}

/// The part of this worker is among those it waits for.
void Collectives::send_up_when_complete() try {
  Parts& parts = parts_.at(step_);
  if (parts.size() < 1 + children_.size()) return;
  const auto kind = static_cast<std::uint8_t>(parts.at(options_.worker).kind);
  Collected joined = join(parts);
  parts_.erase(step_);
  if (options_.worker == 0) {
    const auto& conclude = meeting_->combine.conclude;
    return send_down(packed(conclude ? conclude(std::move(joined)) : std::move(joined)));
  }
  joined = packed(std::move(joined));
  const wire::Collect part{step_, kind, here_.pc, joined.own()};
  fabric_.send(fabric::parent_of(options_.worker),
               {.from = -1, .head = wire::encode(part), .payload = joined.shared()});
} catch (...) {
  meeting_->failure = std::current_exception();
}

/// To those with most below them first.
void Collectives::send_down(Collected result) try {
  for (const int child : std::views::reverse(children_))
    fabric_.send(child, {.from = -1,
                         .head = wire::encode(wire::Spread{step_, result.own()}),
                         .payload = result.shared()});
  meeting_->result = std::move(result);
} catch (...) {
  meeting_->failure = std::current_exception();
}

Collected Collectives::join(Parts& parts) const {
  const auto& [first_worker, first] = *parts.begin();
  std::vector<Collected> values;
  for (auto& [worker, part] : parts) {
    if (part.kind != first.kind)
      throw base::Error(
          base::Errc::bad_input,
          fmt::format("workers wait for each other at different places: worker {} at {} ({}), "
                      "worker {} at {} ({}); every worker must come to the same one",
                      first_worker, name_of(first.kind), naming_ ? naming_->place(first.pc) : "",
                      worker, name_of(part.kind), naming_ ? naming_->place(part.pc) : ""));
    values.push_back(std::move(part.values));
  }
  return meeting_->combine.join(values);
}

/// Long ones in memory that can be shared, if there is anybody to share it with.
Collected Collectives::packed(Collected values) const {
  const auto bytes = values.bytes();
  if (values.shared() || bytes.size() <= most_bytes || options_.workers == 1) return values;
  auto copy = std::make_shared<base::Buffer>(frames_.uncharged(bytes.size()));
  std::memcpy(copy->data(), bytes.data(), bytes.size());
  return Collected(fabric::Payload(std::move(copy)));
}

}  // namespace blockyard::worker::detail
