// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/ring/detail/messages.h"
#include "blockyard/ring/detail/slots.h"

namespace blockyard::ring {

using base::Errc;
using base::Error;

namespace {

/// A call of the fabric waits at most so long; then the state is looked at again.
constexpr double look_seconds = 1.0;
/// Nothing wakes a rank when work of its device is done.
constexpr double device_look_seconds = 2e-5;
/// Updates that a device has before it: one that it does, one to go on with.
constexpr std::size_t most_updates = 2;

struct Key {
  int lane = 0;
  ItemName name;
  friend auto operator<=>(const Key&, const Key&) = default;
};

/// With a device, the slot has the item; the payload too, if it came from or to the host.
struct Held {
  std::vector<std::byte> head;
  fabric::Payload payload;
  std::shared_ptr<Slot> slot;
  bool is_used = false;
};

/// An item that has come, whose copy to the device may not be done.
struct Arrival {
  int from = 0;
  Key key;
  Held item;
};

/// An update that is enqueued.
struct Batch {
  std::vector<Key> keys;
  device::Event done;
  double begin = 0;
};

std::span<const std::byte> bytes_of(const fabric::Payload& payload) {
  return payload ? payload->bytes() : std::span<const std::byte>();
}

std::int64_t length_of(const Held& item) {
  return static_cast<std::int64_t>(item.slot ? item.slot->bytes() : bytes_of(item.payload).size());
}

}  // namespace

class Ring::State {
 public:
  State(Member& member, const Layout& layout, const Options& options, Update& update,
        const Slice& slice)
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
    if (slice.device != nullptr) open_device();
    agree();
    history_.begin(base::now_seconds(), flows_.size());
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!slots_) return;
    fabric_.land_by({});
    slots_->rest();  // as the streams of updates do, whose slots go afterwards
  }

  void give(std::span<const std::byte> head, fabric::Payload payload) {
    check(head);
    serve();
    std::shared_ptr<Slot> slot;
    if (slots_ && payload) slot = slots_->fill(payload);
    give_item(head, std::move(payload), std::move(slot));
  }
  void give(std::span<const std::byte> head, Extent bytes,
            const std::function<void(device::Address, device::Stream&)>& write) {
    check(head);
    base::require(slots_ != nullptr, "items are made on the device that has the slice");
    serve();
    std::shared_ptr<Slot> slot =
        slots_->fill(static_cast<std::size_t>(bytes),
                     [&](Slot& into, device::Stream& stream) { write(into.address(), stream); });
    // No send before it: the network ignores streams, and so do copies to other devices.
    is_making_ = true;
    work_until([&] { return slot->written().is_done(); }, counts_.wait_for_slots_seconds,
               History::Row::wait_for_slots_seconds);
    is_making_ = false;
    give_item(head, nullptr, std::move(slot));
  }

  void serve() {
    while (auto message = fabric_.poll(0)) take(std::move(*message));
    advance();
    act();
    while (apply_some())
      while (auto message = fabric_.poll(0)) take(std::move(*message));
  }

  void finish() {
    for (const auto& flow : flows_) flow->end_giving();
    act();
    work_until([&] { return is_over(); }, counts_.wait_for_items_seconds,
               History::Row::wait_for_items_seconds);
    if (!slots_) return;
    fabric_.land_by({});  // what comes from now on is of something else
    stream_->synchronise();
    counts_.peak_slot_bytes = slots_->peak_bytes();
  }

  [[nodiscard]] const Seat& seat() const noexcept { return seat_; }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  /// Also a barrier, so that no rank hears of this ring while it is in an earlier one.
  void agree() {
    const std::array<std::uint64_t, 5> mine{
        layout_.checksum(), static_cast<std::uint64_t>(options_.route),
        static_cast<std::uint64_t>(options_.direction), static_cast<std::uint64_t>(options_.lanes),
        static_cast<std::uint64_t>(options_.slots)};
    std::array<std::uint64_t, 5> first = mine;
    fabric_.broadcast(std::as_writable_bytes(std::span(first)), 0);
    std::array<double, 1> others{mine == first ? 0.0 : 1.0};
    fabric_.reduce(others);
    if (others[0] == 0) return;
    throw Error(
        Errc::bad_input,
        fmt::format("{} of {} ranks have other rings than rank 0: give the same array, size "
                    "of rings, route, lanes, slots and speeds at all of them",
                    others[0], fabric_.size()));
  }

  void open_device() {
    slots_ = std::make_shared<Slots>(*slice_.device);
    stream_.emplace(slice_.device->open_stream());
    fabric_.land_by([slots = slots_](std::size_t bytes, bool writes_to_devices) {
      return slots->land(bytes, writes_to_devices);
    });
  }

  static void check(std::span<const std::byte> head) {
    if (head.size() > most_head_bytes)
      throw Error(Errc::bad_input,
                  fmt::format("the head of an item has {} bytes; at most {} are allowed: put the "
                              "rest into the payload",
                              head.size(), most_head_bytes));
  }

  void give_item(std::span<const std::byte> head, fabric::Payload payload,
                 std::shared_ptr<Slot> slot) {
    const auto lane = static_cast<std::size_t>(counts_.given % options_.lanes);
    work_until([&] { return flows_[lane]->may_give(); }, counts_.wait_for_slots_seconds,
               History::Row::wait_for_slots_seconds);
    const ItemName name = flows_[lane]->give();
    ++counts_.given;
    ++counts_.lanes[lane].given;
    hold({static_cast<int>(lane), name},
         {std::vector(head.begin(), head.end()), std::move(payload), std::move(slot), false});
    act();
  }

  [[nodiscard]] bool is_over() const {
    return std::ranges::all_of(flows_, [](const auto& flow) { return flow->is_over(); });
  }

  template <class Predicate>
  void work_until(const Predicate& holds, double& waited_seconds, History::Row row) {
    while (!holds()) {
      while (auto message = fabric_.poll(0)) take(std::move(*message));
      act();
      if (advance() || apply_some() || holds()) continue;
      const double begin = base::now_seconds();
      if (auto message = fabric_.poll(has_device_work() ? device_look_seconds : look_seconds))
        take(std::move(*message));
      const double end = base::now_seconds();
      waited_seconds += end - begin;
      history_.spend(row, begin, end);
      act();
    }
  }

  void hold(const Key& key, Held item) {
    note_held(key, length_of(item));
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
      case MessageKind::item: {
        std::shared_ptr<Slot> slot = slot_of(message);
        Held item{std::move(what.head), std::move(message.payload), std::move(slot), false};
        arriving_.push_back({from, {what.lane, name}, std::move(item)});
        advance();
        break;
      }
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

  /// Where an item that has come is on the device. Without one, it is brought to the host.
  [[nodiscard]] std::shared_ptr<Slot> slot_of(fabric::Message& message) {
    const auto slot = std::dynamic_pointer_cast<Slot>(message.landing);
    if (!slots_) {
      if (slot && !message.payload) message.payload = Slots::on_host(slot);
      return nullptr;
    }
    if (slot && (!message.payload || &slot->device() == slice_.device)) return slots_->fill(slot);
    return message.payload ? slots_->fill(message.payload) : nullptr;
  }

  /// Whether it can be sent on: on the device only, it has to be written, for neither the network
  /// nor copies between devices wait for that.
  [[nodiscard]] bool is_here(const Held& item) {
    if (!item.slot || item.payload) return true;
    if (!item.slot->written().is_done()) return false;
    if (item.slot->is_of(*slots_)) item.slot->forget_source();
    return true;
  }

  [[nodiscard]] bool has_device_work() const {
    return is_making_ || !arriving_.empty() || !under_way_.empty();
  }

  /// Notes what the device has done. False if there is nothing new.
  bool advance() {
    bool is_new = false;
    for (; !arriving_.empty() && is_here(arriving_.front().item); is_new = true) {
      Arrival arrival = std::move(arriving_.front());
      arriving_.pop_front();
      flows_.at(static_cast<std::size_t>(arrival.key.lane))->arrive(arrival.from, arrival.key.name);
      hold(arrival.key, std::move(arrival.item));
    }
    for (; !under_way_.empty() && under_way_.front().done.is_done(); is_new = true) {
      const Batch batch = std::move(under_way_.front());
      under_way_.pop_front();
      retire(batch.keys, batch.begin);
    }
    if (slots_) slots_->check();
    return is_new;
  }

  /// Sends all that may be sent.
  void act() {
    for (std::size_t lane = 0; lane < flows_.size(); ++lane) {
      Flow& flow = *flows_[lane];
      const auto number = static_cast<int>(lane);
      while (const auto send = flow.next_send()) send_item(number, *send);
      while (const auto ending = flow.next_ending())
        tell(ending->to, {MessageKind::ending, epoch_, number, ending->origin, ending->count, {}});
      while (const auto credit = flow.next_credit())
        tell(credit->to, {MessageKind::credit, epoch_, number, 0, credit->slots, {}});
    }
  }

  void send_item(int lane, const Send& send) {
    const Key key{lane, send.item};
    const Held& item = held_.at(key);
    fabric::Message message;
    if (options_.route == Route::direct) message.payload = update_.part(view(key, item), send.to);
    if (!message.payload) attach(message, send.to, item);
    const std::int64_t bytes =
        static_cast<std::int64_t>(item.head.size()) +
        (message.payload ? static_cast<std::int64_t>(message.payload->size()) : length_of(item));
    LaneCounts& of_lane = counts_.lanes[static_cast<std::size_t>(lane)];
    ++counts_.sent;
    ++of_lane.sent;
    counts_.sent_bytes += bytes;
    of_lane.sent_bytes += bytes;
    history_.count(History::LaneRow::sent_bytes, static_cast<std::size_t>(lane),
                   base::now_seconds(), bytes);
    tell(send.to, {MessageKind::item, epoch_, lane, send.item.origin, send.item.number, item.head},
         std::move(message));
    let_go(key);
  }

  /// Within a process a slot passes as a pointer, as a payload does.
  void attach(fabric::Message& message, int place, const Held& item) {
    const int rank = layout_.rank({seat_.ring, place});
    message.payload = item.payload;
    if (!item.slot) return;
    if (!fabric_.is_remote(rank))
      message.landing = item.slot;
    else if (!message.payload)
      slots_->put_into(message, item.slot, fabric_.reads_devices(rank, item.slot->bytes()));
  }

  void tell(int place, const RingMessage& what, fabric::Message message = {}) {
    message.head = what.encode();
    fabric_.send(layout_.rank({seat_.ring, place}), std::move(message));
  }

  [[nodiscard]] Item view(const Key& key, const Held& item) const {
    return {layout_.rank({seat_.ring, key.name.origin}),
            key.name.number * options_.lanes + key.lane,
            item.head,
            bytes_of(item.payload),
            length_of(item),
            item.slot ? item.slot->address() : 0};
  }

  /// One update of what has come. False if nothing has, or the device has enough to do.
  bool apply_some() {
    const std::size_t count =
        std::min(to_use_.size(), static_cast<std::size_t>(std::max(1, options_.batch)));
    if (count == 0 || under_way_.size() >= most_updates) return false;
    std::vector<Key> keys(to_use_.begin(), to_use_.begin() + static_cast<std::ptrdiff_t>(count));
    to_use_.erase(to_use_.begin(), to_use_.begin() + static_cast<std::ptrdiff_t>(count));
    items_.clear();
    for (const Key& key : keys) {
      const Held& item = held_.at(key);
      if (item.slot) stream_->wait(item.slot->written());
      items_.push_back(view(key, item));
    }
    const double begin = base::now_seconds();
    update_.apply(items_, slice_, stream_ ? &*stream_ : nullptr);
    ++counts_.updates;
    if (stream_) {
      under_way_.push_back({std::move(keys), slice_.device->open_event(), begin});
      stream_->record(under_way_.back().done);
      return true;
    }
    retire(keys, begin);
    act();
    return true;
  }

  /// An update is done: the slots of its items may go.
  void retire(const std::vector<Key>& keys, double begin) {
    const double end = base::now_seconds();
    begin = std::max(begin, last_update_end_);  // the device does one after the other
    last_update_end_ = end;
    counts_.update_seconds += end - begin;
    history_.spend(History::Row::update_seconds, begin, end);
    counts_.applied += static_cast<std::int64_t>(keys.size());
    for (const Key& key : keys) {
      held_.at(key).is_used = true;
      ++counts_.lanes[static_cast<std::size_t>(key.lane)].applied;
      history_.count(History::LaneRow::applied, static_cast<std::size_t>(key.lane), end, 1);
      flows_[static_cast<std::size_t>(key.lane)]->used(key.name);
      let_go(key);
    }
  }

  void let_go(const Key& key) {
    const auto found = held_.find(key);
    if (found == held_.end() || !found->second.is_used) return;
    if (flows_[static_cast<std::size_t>(key.lane)]->is_to_send(key.name)) return;
    note_held(key, -length_of(found->second));
    held_.erase(found);
  }

  fabric::Fabric& fabric_;
  History& history_;
  const Layout& layout_;
  Options options_;
  Seat seat_;
  Update& update_;
  Slice slice_;
  std::uint32_t epoch_ = 0;
  std::shared_ptr<Slots> slots_;  ///< with a device; messages and ranks of this process share it
  std::vector<std::unique_ptr<Flow>> flows_;  ///< by lane
  std::map<Key, Held> held_;
  std::deque<Key> to_use_;  ///< in the order of arrival
  std::deque<Arrival> arriving_;
  std::deque<Batch> under_way_;
  bool is_making_ = false;  ///< an item, on the device
  double last_update_end_ = 0;
  std::vector<Item> items_;
  Counts counts_;
  std::int64_t own_bytes_ = 0;  ///< of items that are held, given here
  std::int64_t visiting_bytes_ = 0;
  std::optional<device::Stream> stream_;  ///< of updates; ends first, which waits for them
};

Counts& Counts::operator+=(const Counts& more) {
  given += more.given;
  applied += more.applied;
  updates += more.updates;
  sent += more.sent;
  sent_bytes += more.sent_bytes;
  peak_items = std::max(peak_items, more.peak_items);
  peak_slot_bytes = std::max(peak_slot_bytes, more.peak_slot_bytes);
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
           const Slice& slice)
    : state_(std::make_unique<State>(member, layout, options, update, slice)) {}
Ring::~Ring() = default;

void Ring::give(std::span<const std::byte> head, fabric::Payload payload) {
  state_->give(head, std::move(payload));
}
void Ring::give(std::span<const std::byte> head, Extent bytes,
                const std::function<void(device::Address, device::Stream&)>& write) {
  state_->give(head, bytes, write);
}
void Ring::serve() { state_->serve(); }
void Ring::finish() { state_->finish(); }
const Seat& Ring::seat() const noexcept { return state_->seat(); }
const Counts& Ring::counts() const noexcept { return state_->counts(); }

}  // namespace blockyard::ring
