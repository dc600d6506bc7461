// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/ring/detail/messages.h"

namespace blockyard::ring {

using base::Errc;
using base::Error;

namespace {

/// A call of the fabric waits at most so long; then the state is looked at again.
constexpr double look_seconds = 1.0;

struct Key {
  int lane = 0;
  ItemName name;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Held {
  std::vector<std::byte> head;
  fabric::Payload payload;
  bool is_used = false;
};

std::span<const std::byte> bytes_of(const fabric::Payload& payload) {
  return payload ? payload->bytes() : std::span<const std::byte>();
}

}  // namespace

class Ring::State {
 public:
  State(Member& member, const Layout& layout, const Options& options, Update& update,
        std::span<std::byte> slice)
      : fabric_(member.fabric),
        history_(member.history),
        layout_(layout),
        options_(options),
        seat_(layout.seat(member.fabric.rank())),
        update_(update),
        slice_(slice) {
    const int places = layout.places(seat_.ring);
    for (int lane = 0; lane < options.lanes; ++lane)
      flows_.push_back(
          make_flow(options.route, {seat_.place, places, options.slots,
                                    options.direction == Direction::both && lane % 2 == 1}));
    counts_.lanes.resize(flows_.size());
    epoch_ = ++member.rings;
    fabric_.barrier();  // so that no rank hears of this ring while it is in an earlier one
    history_.begin(base::now_seconds(), flows_.size());
  }

  void give(std::span<const std::byte> head, fabric::Payload payload) {
    if (head.size() > most_head_bytes)
      throw Error(Errc::bad_input,
                  fmt::format("the head of an item has {} bytes; at most {} are allowed: put the "
                              "rest into the payload",
                              head.size(), most_head_bytes));
    const auto lane = static_cast<std::size_t>(counts_.given % options_.lanes);
    serve();
    work_until([&] { return flows_[lane]->may_give(); }, counts_.wait_for_slots_seconds,
               History::Row::wait_for_slots_seconds);
    const ItemName name = flows_[lane]->give();
    ++counts_.given;
    ++counts_.lanes[lane].given;
    hold({static_cast<int>(lane), name},
         {std::vector(head.begin(), head.end()), std::move(payload), false});
    act();
  }

  void serve() {
    while (auto message = fabric_.poll(0)) take(std::move(*message));
    act();
    while (apply_some())
      while (auto message = fabric_.poll(0)) take(std::move(*message));
  }

  void finish() {
    for (const auto& flow : flows_) flow->end_giving();
    act();
    work_until([&] { return is_over(); }, counts_.wait_for_items_seconds,
               History::Row::wait_for_items_seconds);
  }

  [[nodiscard]] const Seat& seat() const noexcept { return seat_; }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  [[nodiscard]] bool is_over() const {
    return std::ranges::all_of(flows_, [](const auto& flow) { return flow->is_over(); });
  }

  template <class Predicate>
  void work_until(const Predicate& holds, double& waited_seconds, History::Row row) {
    while (!holds()) {
      while (auto message = fabric_.poll(0)) take(std::move(*message));
      act();
      if (apply_some() || holds()) continue;
      const double begin = base::now_seconds();
      if (auto message = fabric_.poll(look_seconds)) take(std::move(*message));
      const double end = base::now_seconds();
      waited_seconds += end - begin;
      history_.spend(row, begin, end);
      act();
    }
  }

  void hold(const Key& key, Held item) {
    note_held(key, static_cast<std::int64_t>(bytes_of(item.payload).size()));
    held_[key] = std::move(item);
    to_use_.push_back(key);
    counts_.peak_items = std::max(counts_.peak_items, static_cast<std::int64_t>(held_.size()));
  }

  /// `bytes`: of an item that came, or negative, of one that went.
  void note_held(const Key& key, std::int64_t bytes) {
    const bool is_own = key.name.origin == seat_.place;
    std::int64_t& held = is_own ? own_bytes_ : visiting_bytes_;
    held += bytes;
    history_.hold(is_own ? History::Row::own_bytes : History::Row::visiting_bytes,
                  base::now_seconds(), held);
  }

  void take(fabric::Message message) {
    RingMessage what = RingMessage::decode(message.head);
    if (what.epoch < epoch_) return;  // a credit of an earlier ring
    base::require(what.epoch == epoch_, "a message came of a ring that is not begun here");
    const int from = layout_.seat(message.from).place;
    Flow& flow = *flows_.at(static_cast<std::size_t>(what.lane));
    const ItemName name{what.origin, what.number};
    switch (what.kind) {
      case MessageKind::item:
        flow.arrive(from, name);
        hold({what.lane, name}, {std::move(what.head), std::move(message.payload), false});
        break;
      case MessageKind::credit:
        flow.take_credit(from, static_cast<int>(what.number));
        break;
      case MessageKind::ending:
        flow.hear_ending(what.origin, what.number);
        break;
      case MessageKind::unit:
        base::require(false, "a unit of the result came before the ring was over");
    }
  }

  /// Sends all that may be sent.
  void act() {
    for (std::size_t lane = 0; lane < flows_.size(); ++lane) {
      Flow& flow = *flows_[lane];
      const auto number = static_cast<int>(lane);
      while (const auto send = flow.next_send()) send_item(number, *send);
      while (const auto ending = flow.next_ending())
        tell(ending->to, {MessageKind::ending, epoch_, number, ending->origin, ending->count, {}},
             nullptr);
      while (const auto credit = flow.next_credit())
        tell(credit->to, {MessageKind::credit, epoch_, number, 0, credit->slots, {}}, nullptr);
    }
  }

  void send_item(int lane, const Send& send) {
    const Key key{lane, send.item};
    const Held& item = held_.at(key);
    fabric::Payload payload = item.payload;
    if (options_.route == Route::direct)
      if (fabric::Payload part = update_.part(view(key, item), send.to)) payload = std::move(part);
    const auto bytes = static_cast<std::int64_t>(bytes_of(payload).size() + item.head.size());
    LaneCounts& of_lane = counts_.lanes[static_cast<std::size_t>(lane)];
    ++counts_.sent;
    ++of_lane.sent;
    counts_.sent_bytes += bytes;
    of_lane.sent_bytes += bytes;
    history_.count(History::LaneRow::sent_bytes, static_cast<std::size_t>(lane),
                   base::now_seconds(), bytes);
    tell(send.to, {MessageKind::item, epoch_, lane, send.item.origin, send.item.number, item.head},
         std::move(payload));
    let_go(key);
  }

  void tell(int place, const RingMessage& what, fabric::Payload payload) {
    fabric::Message message;
    message.head = what.encode();
    message.payload = std::move(payload);
    fabric_.send(layout_.rank({seat_.ring, place}), std::move(message));
  }

  [[nodiscard]] Item view(const Key& key, const Held& item) const {
    return {layout_.rank({seat_.ring, key.name.origin}),
            key.name.number * options_.lanes + key.lane, item.head, bytes_of(item.payload)};
  }

  /// One update of what has come. False if nothing has.
  bool apply_some() {
    const std::size_t count =
        std::min(to_use_.size(), static_cast<std::size_t>(std::max(1, options_.batch)));
    if (count == 0) return false;
    items_.clear();
    for (std::size_t k = 0; k < count; ++k)
      items_.push_back(view(to_use_[k], held_.at(to_use_[k])));
    const double begin = base::now_seconds();
    update_.apply(items_, slice_);
    const double end = base::now_seconds();
    counts_.update_seconds += end - begin;
    history_.spend(History::Row::update_seconds, begin, end);
    ++counts_.updates;
    counts_.applied += static_cast<std::int64_t>(count);
    for (std::size_t k = 0; k < count; ++k) {
      const Key key = to_use_.front();
      to_use_.pop_front();
      held_.at(key).is_used = true;
      ++counts_.lanes[static_cast<std::size_t>(key.lane)].applied;
      history_.count(History::LaneRow::applied, static_cast<std::size_t>(key.lane), end, 1);
      flows_[static_cast<std::size_t>(key.lane)]->used(key.name);
      let_go(key);
    }
    act();
    return true;
  }

  void let_go(const Key& key) {
    const auto found = held_.find(key);
    if (found == held_.end() || !found->second.is_used) return;
    if (flows_[static_cast<std::size_t>(key.lane)]->is_to_send(key.name)) return;
    note_held(key, -static_cast<std::int64_t>(bytes_of(found->second.payload).size()));
    held_.erase(found);
  }

  fabric::Fabric& fabric_;
  History& history_;
  const Layout& layout_;
  Options options_;
  Seat seat_;
  Update& update_;
  std::span<std::byte> slice_;
  std::uint32_t epoch_ = 0;
  std::vector<std::unique_ptr<Flow>> flows_;  ///< by lane
  std::map<Key, Held> held_;
  std::deque<Key> to_use_;  ///< in the order of arrival
  std::vector<Item> items_;
  Counts counts_;
  std::int64_t own_bytes_ = 0;  ///< of items that are held, given here
  std::int64_t visiting_bytes_ = 0;
};

Counts& Counts::operator+=(const Counts& more) {
  given += more.given;
  applied += more.applied;
  updates += more.updates;
  sent += more.sent;
  sent_bytes += more.sent_bytes;
  peak_items = std::max(peak_items, more.peak_items);
  update_seconds += more.update_seconds;
  wait_for_items_seconds += more.wait_for_items_seconds;
  wait_for_slots_seconds += more.wait_for_slots_seconds;
  lanes.resize(std::max(lanes.size(), more.lanes.size()));
  for (std::size_t lane = 0; lane < more.lanes.size(); ++lane) {
    lanes[lane].given += more.lanes[lane].given;
    lanes[lane].applied += more.lanes[lane].applied;
    lanes[lane].sent += more.lanes[lane].sent;
    lanes[lane].sent_bytes += more.lanes[lane].sent_bytes;
  }
  return *this;
}

Ring::Ring(Member& member, const Layout& layout, const Options& options, Update& update,
           std::span<std::byte> slice)
    : state_(std::make_unique<State>(member, layout, options, update, slice)) {}
Ring::~Ring() = default;

void Ring::give(std::span<const std::byte> head, fabric::Payload payload) {
  state_->give(head, std::move(payload));
}
void Ring::serve() { state_->serve(); }
void Ring::finish() { state_->finish(); }
const Seat& Ring::seat() const noexcept { return state_->seat(); }
const Counts& Ring::counts() const noexcept { return state_->counts(); }

}  // namespace blockyard::ring
