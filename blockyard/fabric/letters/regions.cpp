// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/letters/regions.h"

#include <cstring>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/fabric/node/futex.h"

namespace blockyard::fabric::letters {

namespace {

/// The offsets that a list begins with. Letters lie at any address.
std::vector<std::int64_t> offsets_in(const Front& front, std::span<const std::byte> body) {
  std::vector<std::int64_t> offsets(front.count);
  std::memcpy(offsets.data(), body.data(), front.count * sizeof(std::int64_t));
  return offsets;
}

node::TicketLock& mutex_at(std::byte* place) noexcept {
  return *reinterpret_cast<node::TicketLock*>(place);
}

}  // namespace

Regions::Regions(Office& office, node::NodeMemory& node) : office_(office), node_(node) {}

void Regions::answer(int to, std::uint64_t ticket, std::int64_t value, Body body,
                     std::uint64_t piece_bytes) {
  Letter letter;
  letter.front.ticket = ticket;
  letter.front.value = value;
  letter.front.piece_bytes = piece_bytes;
  letter.body = std::move(body);
  office_.answer(to, std::move(letter));
}

void Regions::add(const Front& front, const Strided& rows, std::size_t offset,
                  const std::byte* near) {
  const Shared& region = shared(front.region);
  static_cast<void>(node_.accumulate(region.here, region.me_here, offset, rows, near, front.element,
                                     front.factor.data()));
}

void Regions::serve(int from, const Front& front, std::span<const std::byte> body) {
  if (front.kind == Kind::fence) return answer(from, front.ticket);
  if (front.kind == Kind::lock || front.kind == Kind::unlock) return serve_mutex(from, front);
  const Shared& region = shared(front.region);
  std::byte* place = region.mine + front.offset;
  const Strided rows = packed(front.rows, front.rows.far_strides);
  switch (front.kind) {
    case Kind::get:
      return answer(from, front.ticket, 0, {rows, place}, front.piece_bytes);
    case Kind::put:
      return copy_to_far(rows, place, body.data());
    case Kind::accumulate:
      return add(front, rows, front.offset, body.data());
    case Kind::fetch_and_add:
      return answer(from, front.ticket,
                    node_.fetch_and_add(region.here, region.me_here, front.offset, front.element,
                                        front.value));
    default:
      return serve_list(from, front, body);
  }
}

void Regions::serve_list(int from, const Front& front, std::span<const std::byte> body) {
  const Shared& region = shared(front.region);
  const auto offsets = offsets_in(front, body);
  const std::byte* values = body.data() + front.count * sizeof(std::int64_t);
  if (front.kind == Kind::gather) {
    std::vector<std::byte> found(front.count * front.width);
    node_.gather(region.here, region.me_here, offsets, front.width, found.data());
    answer(from, front.ticket, 0, Body::of(std::move(found)), front.piece_bytes);
  } else if (front.kind == Kind::scatter) {
    node_.scatter(region.here, region.me_here, offsets, front.width, values);
  } else {
    node_.scatter_add(region.here, region.me_here, offsets, values, front.element,
                      front.factor.data());
  }
}

void Regions::serve_mutex(int from, const Front& front) {
  const Shared& region = shared(front.region);
  std::byte* place = region.mine + front.offset;
  if (front.kind == Kind::unlock) {
    const bool was_locked = node_.unlock(region.here, region.me_here, front.offset);
    return answer(from, front.ticket, was_locked ? 1 : 0);
  }
  waiting_.push_back({from, front.ticket, place, mutex_at(place).next.fetch_add(1)});
}

bool Regions::serve_waiting() {
  std::erase_if(waiting_, [this](const Waiting& lock) {
    if (mutex_at(lock.place).serving.word.load() != lock.number) return false;
    answer(lock.from, lock.ticket);
    return true;
  });
  return !waiting_.empty();
}

Intake Regions::open(int /*from*/, const Front& front) {
  const Shared& region = shared(front.region);
  const Strided rows = packed(front.rows, front.rows.far_strides);
  if (front.kind == Kind::put) return {{rows, region.mine + front.offset}};
  if (front.kind != Kind::accumulate) return {Body::of(std::vector<std::byte>(front.body_bytes))};
  return {{rows, region.mine + front.offset}, [this, front](const Cut& cut, const std::byte* near) {
            add(front, cut.rows, front.offset + static_cast<std::size_t>(cut.far), near);
          }};
}

void Regions::close(int from, const Front& front, Intake& intake) {
  if (front.kind != Kind::put && front.kind != Kind::accumulate)
    serve_list(from, front, intake.body.owned);
}

}  // namespace blockyard::fabric::letters
