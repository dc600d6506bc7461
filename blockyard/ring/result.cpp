// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/result.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "blockyard/base/error.h"
#include "blockyard/ring/detail/messages.h"

namespace blockyard::ring {

namespace {

constexpr double look_seconds = 1.0;

template <class T>
void add_values(std::span<std::byte> into, std::span<const std::byte> from) {
  auto* to = reinterpret_cast<T*>(into.data());
  const auto* values = reinterpret_cast<const T*>(from.data());
  for (std::size_t i = 0; i < into.size() / sizeof(T); ++i) to[i] += values[i];
}

/// Moves units between the ranks of a run, after its rings.
class Mover {
 public:
  Mover(Member& member, base::BufferPool& pool)
      : fabric_(member.fabric), pool_(pool), epoch_(++member.rings) {
    fabric_.barrier();
  }

  void send(int to, Extent unit, std::span<const std::byte> bytes) {
    base::Buffer copy = pool_.allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
    fabric::Message message;
    message.head = RingMessage{MessageKind::unit, epoch_, 0, 0, unit, {}}.encode();
    message.payload = std::make_shared<const base::Buffer>(std::move(copy));
    fabric_.send(to, std::move(message));
  }

  void ask(int from, Extent unit) {
    fabric::Message message;
    message.head = RingMessage{MessageKind::credit, epoch_, 0, 0, unit, {}}.encode();
    fabric_.send(from, std::move(message));
  }

  /// Collective. Ensures that sent messages arrived: without it a rank that next waits in another
  /// library may hold messages back that others wait for.
  void end() { fabric_.barrier(); }

  /// The next message of this move.
  struct Heard {
    int from = 0;
    RingMessage what;
    fabric::Payload payload;
  };
  Heard hear() {
    for (;;) {
      auto message = fabric_.poll(look_seconds);
      if (!message) continue;
      RingMessage what = RingMessage::decode(message->head);
      if (what.epoch < epoch_) continue;  // a credit of an earlier ring
      base::require(what.epoch == epoch_, "a message came of a ring that is not begun here");
      return {message->from, std::move(what), std::move(message->payload)};
    }
  }

 private:
  fabric::Fabric& fabric_;
  base::BufferPool& pool_;
  std::uint32_t epoch_;
};

/// Answers requests for units of this rank until as many were requested as it has.
void lend(Mover& mover, std::span<const std::byte> slice, const Range& mine,
          std::size_t unit_bytes) {
  for (Extent left = mine.count(); left > 0; --left) {
    const auto heard = mover.hear();
    const Extent unit = heard.what.number;
    base::require(unit >= mine.begin && unit < mine.end, "a unit is asked for where it is");
    mover.send(heard.from, unit,
               slice.subspan(static_cast<std::size_t>(unit - mine.begin) * unit_bytes, unit_bytes));
  }
}

}  // namespace

AddUnit add_doubles() { return add_values<double>; }
AddUnit add_integers() { return add_values<std::int64_t>; }

void add_rings(Member& member, const Layout& layout, base::BufferPool& pool,
               std::span<std::byte> slice, const AddUnit& add) {
  if (layout.rings() == 1) return;
  Mover mover(member, pool);
  const Seat seat = layout.seat(member.fabric.rank());
  const Range mine = layout.range(seat);
  const std::size_t unit_bytes =
      mine.count() > 0 ? slice.size() / static_cast<std::size_t>(mine.count()) : 0;
  if (seat.ring != 0) {
    lend(mover, slice, mine, unit_bytes);
    return mover.end();
  }
  for (Extent unit = mine.begin; unit < mine.end; ++unit)
    for (int ring = 1; ring < layout.rings(); ++ring) {
      mover.ask(layout.rank({ring, layout.place_of(ring, unit)}), unit);
      const auto heard = mover.hear();
      add(slice.subspan(static_cast<std::size_t>(unit - mine.begin) * unit_bytes, unit_bytes),
          heard.payload->bytes());
    }
  mover.end();
}

void visit_units(Member& member, const Layout& layout, base::BufferPool& pool,
                 std::span<const std::byte> slice,
                 const std::function<void(Extent unit, std::span<const std::byte>)>& visit) {
  Mover mover(member, pool);
  const Seat seat = layout.seat(member.fabric.rank());
  if (seat.ring != 0) return mover.end();
  const Range mine = layout.range(seat);
  const std::size_t unit_bytes = slice.size() / static_cast<std::size_t>(mine.count());
  if (seat.place != 0) {
    lend(mover, slice, mine, unit_bytes);
    return mover.end();
  }
  for (Extent unit = 0; unit < layout.units(); ++unit) {
    if (unit < mine.end) {
      visit(unit, slice.subspan(static_cast<std::size_t>(unit) * unit_bytes, unit_bytes));
      continue;
    }
    mover.ask(layout.rank({0, layout.place_of(0, unit)}), unit);
    visit(unit, mover.hear().payload->bytes());
  }
  mover.end();
}

void visit_groups(Member& member, const Layout& layout, base::BufferPool& pool,
                  std::span<const std::byte> slice, int groups, const AddUnit& add,
                  const std::function<void(Extent unit, std::span<const std::byte>)>& visit) {
  Mover mover(member, pool);
  const Range mine = layout.range(layout.seat(member.fabric.rank()));
  const std::size_t unit_bytes =
      mine.count() > 0 ? slice.size() / static_cast<std::size_t>(mine.count()) : 0;
  if (member.fabric.rank() != 0) {
    lend(mover, slice, mine, unit_bytes);
    return mover.end();
  }
  std::vector<std::byte> all(unit_bytes * static_cast<std::size_t>(groups));
  for (Extent unit = 0; unit < layout.units(); ++unit) {
    std::ranges::fill(all, std::byte{0});
    for (int ring = 0; ring < layout.rings(); ++ring) {
      const auto group = static_cast<std::size_t>(group_of(ring, layout.rings(), groups));
      const auto sums = std::span(all).subspan(group * unit_bytes, unit_bytes);
      const int rank = layout.rank({ring, layout.place_of(ring, unit)});
      if (rank == 0) {
        add(sums, slice.subspan(static_cast<std::size_t>(unit) * unit_bytes, unit_bytes));
        continue;
      }
      mover.ask(rank, unit);
      const auto heard = mover.hear();
      add(sums, heard.payload->bytes());
    }
    visit(unit, all);
  }
  mover.end();
}

void visit_ranks(Member& member, base::BufferPool& pool, std::span<const std::byte> bytes,
                 const std::function<void(int rank, std::span<const std::byte>)>& visit) {
  Mover mover(member, pool);
  if (member.fabric.rank() != 0) {
    mover.send(mover.hear().from, 0, bytes);
    return mover.end();
  }
  visit(0, bytes);
  for (int rank = 1; rank < member.fabric.size(); ++rank) {
    mover.ask(rank, 0);
    const auto heard = mover.hear();
    visit(rank, heard.payload ? heard.payload->bytes() : std::span<const std::byte>());
  }
  mover.end();
}

std::vector<std::vector<std::byte>> gather(Member& member, base::BufferPool& pool,
                                           std::span<const std::byte> bytes) {
  std::vector<std::vector<std::byte>> all;
  visit_ranks(member, pool, bytes, [&](int, std::span<const std::byte> of_rank) {
    all.emplace_back(of_rank.begin(), of_rank.end());
  });
  return all;
}

}  // namespace blockyard::ring
