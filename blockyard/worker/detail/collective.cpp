// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/collective.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <utility>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"

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

/// The part of a collective that says where its sender is.
struct Where {
  Collective kind;
  std::int32_t pc;
};

}  // namespace

Collectives::Collectives(fabric::Fabric& fabric, block::FramePool& frames, const Options& options,
                         const wire::Access& here, std::function<void()> wait)
    : fabric_(fabric), frames_(frames), options_(options), here_(here), wait_(std::move(wait)) {
  if (options.worker == 0 && options.workers > 1) fabric.receive_by(this);
}

Collectives::~Collectives() {
  if (options_.worker == 0 && options_.workers > 1) fabric_.receive_by(nullptr);
}

Collected Collectives::collect(Collective kind, std::vector<std::byte> mine,
                               const Combine& combine) {
  if (options_.workers == 1) return Collected(combine(std::span(&mine, 1)));
  ++step_;
  base::ByteWriter part;
  part.value(Where{kind, here_.pc});
  part.raw(mine);
  if (options_.worker == 0) return gather(part.take(), combine);
  fabric_.send(
      0, {.from = -1, .head = wire::encode(wire::Collect{step_, part.take()}), .payload = nullptr});
  while (!results_.contains(step_)) wait_();
  return std::move(results_.extract(step_).mapped());
}

Collected Collectives::gather(std::vector<std::byte> mine, const Combine& combine) {
  auto& arrived_parts = parts_[step_];
  arrived_parts[0] = std::move(mine);
  Gathering gathering{combine};
  gathering_ = &gathering;
  struct Cleared {
    Gathering*& pointer;
    ~Cleared() { pointer = nullptr; }
  } const cleared{gathering_};
  while (!gathering.result && !gathering.failure) {
    if (std::ssize(arrived_parts) == options_.workers)
      finish(gathering);
    else
      wait_();
  }
  parts_.erase(step_);
  if (gathering.failure) std::rethrow_exception(gathering.failure);
  return std::move(*gathering.result);
}

fabric::Receiver::Taken Collectives::take(fabric::Message& message) {
  if (gathering_ == nullptr || message.payload) return Taken::no;
  wire::Any any = wire::decode(message.head);
  auto* const part = std::get_if<wire::Collect>(&any);
  if (part == nullptr || part->step != step_) return Taken::no;
  auto& arrived_parts = parts_[step_];
  arrived_parts[message.from] = std::move(part->bytes);
  if (std::ssize(arrived_parts) < options_.workers) return Taken::yes;
  finish(*gathering_);
  return Taken::wakes;
}

void Collectives::finish(Gathering& gathering) try {
  std::vector<std::byte> bytes = combine_parts(gathering.combine);
  fabric::Payload shared;
  if (bytes.size() > most_bytes) {
    auto copy = std::make_shared<base::Buffer>(frames_.uncharged(bytes.size()));
    std::memcpy(copy->data(), bytes.data(), bytes.size());
    bytes = std::vector<std::byte>();
    shared = std::move(copy);
  }
  for (int worker = 1; worker < options_.workers; ++worker)
    fabric_.send(worker,
                 {.from = -1, .head = wire::encode(wire::Spread{step_, bytes}), .payload = shared});
  gathering.result = shared ? Collected(std::move(shared)) : Collected(std::move(bytes));
} catch (...) {
  gathering.failure = std::current_exception();
}

std::vector<std::byte> Collectives::combine_parts(const Combine& combine) {
  auto& arrived_parts = parts_[step_];
  std::vector<std::vector<std::byte>> parts;
  Where first{};
  for (auto& [worker, bytes] : arrived_parts) {
    base::ByteReader reader(bytes);
    const auto where = reader.value<Where>();
    if (worker == 0) first = where;
    if (where.kind != first.kind)
      throw base::Error(
          base::Errc::bad_input,
          fmt::format("workers wait for each other at different places: worker 0 at {} ({}), "
                      "worker {} at {} ({}); every worker must come to the same one",
                      name_of(first.kind), naming_ ? naming_->place(first.pc) : "", worker,
                      name_of(where.kind), naming_ ? naming_->place(where.pc) : ""));
    const auto rest = reader.raw(reader.left());
    parts.emplace_back(rest.begin(), rest.end());
    bytes = std::vector<std::byte>();  // {} would keep the memory
  }
  return combine(parts);
}

}  // namespace blockyard::worker::detail
