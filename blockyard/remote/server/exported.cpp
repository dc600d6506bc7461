// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/exported.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/memory_left.h"
#include "blockyard/remote/extents.h"
#include "blockyard/remote/server/lane.h"

namespace blockyard::remote {

using base::Errc;
using base::Error;

namespace {

constexpr std::size_t max_allocations = std::size_t{1} << 20;

constexpr std::string_view timed = "timed=1";

/// Clients say how much memory they want to see and whether work is timed, nothing else: options
/// may name files. Those of the device itself.
std::string checked(const std::string& options) {
  std::string kept;
  for (std::string_view text = options; !text.empty();) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.starts_with("memory="))
      kept += fmt::format(" {}", word);
    else if (!word.empty() && word != timed)
      throw Error(Errc::bad_input,
                  fmt::format("unknown option '{}'; for a remote device a client can set server=, "
                              "token=, patience=, sockets=, timed=1 and memory=",
                              word));
  }
  return kept;
}

/// Bytes of the largest block of an operation that can be measured.
std::uint64_t largest_block(const blockyard_operation& operation) {
  std::uint64_t most = 0;
  for (const blockyard_operand* operand : {&operation.result, &operation.left, &operation.right})
    most = std::max(most, block_bytes(*operand, operation.element).value_or(0));
  return most;
}

[[noreturn]] void refuse(std::string_view what) { throw Error(Errc::bad_input, what); }

}  // namespace

Exported::Exported(const Export& source, std::uint32_t number, const std::string& options,
                   std::uint64_t limit_bytes, Seat& seat, Wire wire)
    : source_(source),
      number_(number),
      limit_bytes_(limit_bytes),
      seat_(seat),
      wire_(std::move(wire)),
      plans_([this](const Plan& asked, OpenPlan& made) { return make_plan(asked, made); }) {
  const std::string all = source.options + checked(options);
  is_timed_ = (options + " ").find(std::string(timed) + " ") != std::string::npos;
  blockyard_status status = source_.table->open(source.index, all.c_str(), &device_);
  if (status == BLOCKYARD_OK) status = source_.table->stream_open(device_, &wiping_);
  blockyard_description found{};
  found.size = sizeof found;
  if (status == BLOCKYARD_OK) status = source_.table->describe(device_, &found);
  is_host_memory_ = found.shares_host_memory != 0;
  memory_bytes_ = found.memory_bytes;
  if (status == BLOCKYARD_OK) return;
  const std::string why = device_ == nullptr ? "the device cannot be opened" : last_error();
  source_.table->close(device_);
  throw Error(Errc::device, why);
}

void Exported::end() noexcept {
  for (const auto& [number, lane] : lanes_) lane->end();
}

void Exported::stop() noexcept {
  end();
  for (const auto& [number, lane] : lanes_) lane->stop();
}

Exported::~Exported() {
  stop();
  lanes_.clear();
  plans_.end();
  source_.table->close(device_);
  seat_.give_memory(used_bytes_);
}

std::string Exported::last_error() const {
  char text[1024] = "";
  source_.table->last_error(device_, text, sizeof text);
  return text;
}

Answer Exported::answer(blockyard_status status) const {
  return {static_cast<std::uint32_t>(status), status == BLOCKYARD_OK ? "" : last_error(), 0, {}};
}

Answer Exported::describe() {
  let_go(true);
  blockyard_description found{};
  found.size = sizeof found;
  Answer said = answer(source_.table->describe(device_, &found));
  if (limit_bytes_ != 0 && (found.memory_bytes == 0 || found.memory_bytes > limit_bytes_))
    found.memory_bytes = limit_bytes_;
  if (const std::uint64_t common = source_.use->limit_bytes();
      common != 0 && (found.memory_bytes == 0 || found.memory_bytes > common)) {
    found.memory_bytes = common;
    found.free_bytes = seat_.load().free_bytes;
  }
  const std::uint64_t left =
      found.memory_bytes - std::min(found.memory_bytes, seat_.memory_bytes());
  if (found.free_bytes == 0 || found.free_bytes > left) found.free_bytes = left;
  said.description = found;
  return said;
}

/// Prevents clients from reading another client's data.
bool Exported::wipe(const Allocation& allocation) {
  constexpr double zero[2] = {0, 0};
  const std::uint64_t words = allocation.bytes / sizeof(float);
  return source_.table->fill(device_, wiping_, allocation.real, BLOCKYARD_F32, zero, words) ==
             BLOCKYARD_OK &&
         source_.table->stream_synchronise(device_, wiping_) == BLOCKYARD_OK;
}

/// Memory that this client has released comes first, then what others can do without.
Answer Exported::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t word = sizeof(float);
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  const Answer no_room{BLOCKYARD_NO_MEMORY, "the server's device is out of memory", 0, {}};
  if (bytes > most || allocations_.size() + leaving_.size() >= max_allocations) return no_room;
  const std::uint64_t wanted = (bytes + word - 1) / word * word;
  for (const bool waits : {false, true}) {
    let_go(waits);
    Answer made = allocate_now(wanted);
    if (made.status != BLOCKYARD_NO_MEMORY) return made;
  }
  const std::uint64_t held = seat_.memory_bytes();
  if (limit_bytes_ != 0 && (held > limit_bytes_ || wanted > limit_bytes_ - held)) return no_room;
  seat_.ask_others(wanted);
  Answer made = allocate_now(wanted);
  return made.status == BLOCKYARD_NO_MEMORY ? no_room : made;
}

Answer Exported::allocate_now(std::uint64_t bytes) {
  if (!seat_.take_memory(bytes, limit_bytes_)) return {BLOCKYARD_NO_MEMORY, "", 0, {}};
  Allocation made{0, bytes};
  blockyard_status status = source_.table->allocate(device_, bytes, &made.real);
  if (status == BLOCKYARD_OK && bytes > 0 && !wipe(made)) status = BLOCKYARD_FAILED;
  if (status != BLOCKYARD_OK) {
    seat_.give_memory(bytes);
    return answer(status);
  }
  const std::uint64_t address = next_address_;
  next_address_ += (bytes / 64 + 2) * 64;  // a gap: what leaves one is in no other
  used_bytes_ += bytes;
  allocations_.emplace(address, made);
  return {BLOCKYARD_OK, "", address, {}};
}

void Exported::give_back(const Allocation& allocation) {
  static_cast<void>(source_.table->release(device_, allocation.real));
  used_bytes_ -= allocation.bytes;
  seat_.give_memory(allocation.bytes);
}

bool Exported::is_read_by_others(std::uint64_t address) const {
  const auto found = allocations_.find(address);
  return found != allocations_.end() && found->second.use.use_count() > 1;
}

void Exported::release(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) refuse("memory that is not allocated was released");
  Leaving leaving{found->second, {}};
  for (const auto& [number, lane] : lanes_)
    if (!lane->has_reached(lane->last())) leaving.until[number] = lane->last();
  allocations_.erase(found);
  leaving_.push_back(std::move(leaving));
  let_go(false);
}

void Exported::let_go(bool waits) {
  std::erase_if(leaving_, [&](const Leaving& leaving) {
    for (const auto& [number, sequence] : leaving.until) {
      const auto found = lanes_.find(number);
      if (found == lanes_.end() || found->second->has_reached(sequence)) continue;
      if (!waits) return false;
      static_cast<void>(found->second->reach(sequence));
    }
    give_back(leaving.allocation);
    return true;
  });
}

void Exported::open_plan(const Plan& asked, Plans::Tell tell) {
  if (asked.operation.size != sizeof asked.operation || !is_measurable(asked.operation))
    return tell({BLOCKYARD_BAD_ARGUMENT, "an operation has extents that no block can have", 0, {}});
  if (!may_be_planned(largest_block(asked.operation)))
    return tell(
        {BLOCKYARD_UNSUPPORTED, "the operation has blocks larger than the client's memory", 0, {}});
  plans_.open(asked, std::move(tell));
}

/// Planning takes time and memory too: none for blocks that the client can never have.
bool Exported::may_be_planned(std::uint64_t largest_bytes) const {
  return std::ranges::all_of(
      std::initializer_list<std::uint64_t>{limit_bytes_, source_.use->limit_bytes(), memory_bytes_},
      [&](std::uint64_t limit) { return limit == 0 || largest_bytes <= limit; });
}

/// FFTW ends the process if it gets no memory for what it computes while it plans, which for some
/// lengths is as much as the block.
bool Exported::has_host_room(std::uint64_t largest_bytes) const {
  constexpr std::uint64_t small = std::uint64_t{64} << 20;
  return largest_bytes <= small ||
         largest_bytes <= base::memory_left().bytes + (is_host_memory_ ? seat_.memory_bytes() : 0);
}

/// On the thread of the plans.
Answer Exported::make_plan(const Plan& asked, OpenPlan& made) const {
  const double began = base::now_seconds();
  const bool is_possible = has_host_room(largest_block(asked.operation));
  if (is_host_memory_ && !is_possible)
    return {BLOCKYARD_UNSUPPORTED, "the server has too little memory for such blocks", 0, {}};
  blockyard_status status = source_.table->plan_open(device_, &asked.operation, &made.plan);
  if (status == BLOCKYARD_OK)
    status = source_.table->plan_workspace(device_, made.plan, &made.workspace_bytes);
  if (status == BLOCKYARD_UNSUPPORTED && source_.host && is_possible)
    made.substitute = Substitute::plan(*source_.host, made.operation);
  if (is_timed_) seat_.count_work(&WorkSeconds::plan, base::now_seconds() - began);
  if (status != BLOCKYARD_OK && !made.substitute) return answer(status);
  return {BLOCKYARD_OK, "", made.workspace_bytes, {}};
}

void Exported::close_plan(std::uint32_t plan) {
  const auto closed = plans_.take(plan);
  if (!closed) refuse("a plan that is not open was closed");
  finish();
  static_cast<void>(source_.table->plan_close(device_, closed->plan));
}

void Exported::open_stream(std::uint32_t stream) {
  if (lanes_.contains(stream)) refuse("a stream was opened twice");
  lanes_.emplace(stream, std::make_shared<Lane>(*this, stream));
}

void Exported::close_stream(std::uint32_t stream) {
  const auto found = lanes_.find(stream);
  if (found == lanes_.end()) refuse("a stream that is not open was closed");
  static_cast<void>(found->second->reach(found->second->last()));
  found->second->stop();
  lanes_.erase(found);
  for (Leaving& leaving : leaving_) leaving.until.erase(stream);  // another may have its number
}

void Exported::finish() {
  for (const auto& [number, lane] : lanes_) static_cast<void>(lane->reach(lane->last()));
}

std::map<std::uint64_t, Exported::Allocation>::const_iterator Exported::find(
    std::uint64_t address, std::uint64_t bytes) const {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) refuse("an address is not allocated");
  const auto found = std::prev(after);
  const std::uint64_t offset = address - found->first, all = found->second.bytes;
  if (offset > all || bytes > all - offset) refuse("work leaves the allocated memory");
  return found;
}

blockyard_address Exported::real(std::uint64_t address, std::uint64_t bytes) const {
  const auto found = find(address, bytes);
  return found->second.real + (address - found->first);
}

const std::shared_ptr<Lane>& Exported::find_lane(const Place& place) const {
  const auto found = lanes_.find(place.stream);
  if (found == lanes_.end()) refuse("a stream is not open");
  return found->second;
}

std::byte* Exported::landing(const Copy& copy) {
  const blockyard_address to = real(copy.to, copy.bytes);
  if (!is_host_memory_ || !find_lane(copy.place)->is_idle()) return nullptr;
  return reinterpret_cast<std::byte*>(to);
}

void Exported::copy_in(const Copy& copy, std::shared_ptr<std::vector<std::byte>> bytes) {
  Lane& lane = *find_lane(copy.place);
  seat_.count_received(copy.bytes);
  if (!bytes) return lane.add_landed(copy.place.sequence);
  const blockyard_address to = real(copy.to, copy.bytes);
  const auto from = reinterpret_cast<std::uintptr_t>(bytes->data());
  lane.add(
      copy.place.sequence,
      [this, &lane, to, from, length = copy.bytes] {
        lane.begin_kind(&WorkSeconds::to_device);
        return source_.table->copy(device_, lane.stream(), BLOCKYARD_TO_DEVICE, to, from, length);
      },
      std::move(bytes));
}

void Exported::copy_out(const Copy& copy) {
  Lane& lane = *find_lane(copy.place);
  const blockyard_address from = real(copy.from, copy.bytes);
  lane.add(copy.place.sequence, [this, &lane, from, copy] {
    std::vector<std::byte> staged(
        is_host_memory_ ? 0 : std::min<std::uint64_t>(piece_bytes, copy.bytes));
    for (std::uint64_t at = 0; at < copy.bytes; at += piece_bytes) {
      const std::size_t length = std::min<std::uint64_t>(piece_bytes, copy.bytes - at);
      const auto* data = reinterpret_cast<const std::byte*>(from + at);
      if (!is_host_memory_) {
        data = staged.data();
        const auto to = reinterpret_cast<std::uintptr_t>(staged.data());
        lane.begin_kind(&WorkSeconds::from_device);
        blockyard_status status =
            source_.table->copy(device_, lane.stream(), BLOCKYARD_TO_HOST, to, from + at, length);
        // Also after a failure nothing may still write into what goes away here.
        const blockyard_status end = source_.table->stream_synchronise(device_, lane.stream());
        lane.end_kind();
        if (status == BLOCKYARD_OK) status = end;
        if (status != BLOCKYARD_OK) return status;
      }
      wire_.send(frame_of(Kind::piece, Piece{copy.place, at}, 0, {data, length}));
      seat_.count_sent(length);
    }
    return BLOCKYARD_OK;
  });
}

void Exported::copy_within(const Copy& copy) {
  Lane& lane = *find_lane(copy.place);
  const blockyard_address to = real(copy.to, copy.bytes), from = real(copy.from, copy.bytes);
  lane.add(copy.place.sequence, [this, &lane, to, from, bytes = copy.bytes] {
    return source_.table->copy(device_, lane.stream(), BLOCKYARD_WITHIN_DEVICE, to, from, bytes);
  });
}

void Exported::copy_from(Exported& other, const Copy& copy) {
  Lane& lane = *find_lane(copy.place);
  const blockyard_address to = real(copy.to, copy.bytes);
  const auto& [begin, read] = *other.find(copy.from, copy.bytes);
  const blockyard_address from = read.real + (copy.from - begin);
  const bool is_near = source_.table == other.source_.table;
  lane.add(
      copy.place.sequence,
      [this, &lane, &other, to, from, is_near, bytes = copy.bytes] {
        if (is_near) {
          const blockyard_status status =
              source_.table->copy_peer(device_, lane.stream(), to, other.device_, from, bytes);
          if (status != BLOCKYARD_UNSUPPORTED) return status;
        }
        return copy_by_host(lane, to, other, from, bytes);
      },
      read.use);
}

/// Between devices that do not reach each other: through the memory of the server.
blockyard_status Exported::copy_by_host(Lane& lane, blockyard_address to, Exported& other,
                                        blockyard_address from, std::uint64_t bytes) {
  constexpr std::uint64_t piece = 4 * piece_bytes;
  std::vector<std::byte> staged(std::min(piece, bytes));
  const auto host = reinterpret_cast<std::uintptr_t>(staged.data());
  blockyard_stream* theirs = nullptr;
  const blockyard_device_table& there = *other.source_.table;
  blockyard_status status = there.stream_open(other.device_, &theirs);
  for (std::uint64_t at = 0; at < bytes && status == BLOCKYARD_OK; at += piece) {
    const std::uint64_t length = std::min(piece, bytes - at);
    status = there.copy(other.device_, theirs, BLOCKYARD_TO_HOST, host, from + at, length);
    // Also after a failure nothing may still write into what goes away here.
    const blockyard_status end = there.stream_synchronise(other.device_, theirs);
    if (status != BLOCKYARD_OK || end != BLOCKYARD_OK) {
      static_cast<void>(there.stream_close(other.device_, theirs));
      throw Error(Errc::device, other.last_error());
    }
    status =
        source_.table->copy(device_, lane.stream(), BLOCKYARD_TO_DEVICE, to + at, host, length);
    const blockyard_status here = source_.table->stream_synchronise(device_, lane.stream());
    if (status == BLOCKYARD_OK) status = here;
  }
  static_cast<void>(there.stream_close(other.device_, theirs));
  return status;
}

void Exported::fill(const Fill& fill) {
  Lane& lane = *find_lane(fill.place);
  const std::uint64_t each = element_bytes(fill.element);
  if (each == 0 || fill.count > (std::uint64_t{1} << 60) / each) refuse("invalid fill");
  const blockyard_address to = real(fill.to, fill.count * each);
  lane.add(fill.place.sequence, [this, &lane, to, fill] {
    return source_.table->fill(device_, lane.stream(), to,
                               static_cast<blockyard_element>(fill.element), fill.value.data(),
                               fill.count);
  });
}

void Exported::run(const Run& run) {
  Lane& lane = *find_lane(run.place);
  const auto found = plans_.find(run.plan);
  if (!found) refuse("a plan is not open");
  const OpenPlan& plan = *found;
  const auto block = [&](std::uint64_t address, const blockyard_operand& operand) {
    return real(address, *block_bytes(operand, plan.operation.element));
  };
  blockyard_run work{};
  work.size = sizeof work;
  std::ranges::copy(run.alpha, work.alpha);
  std::ranges::copy(run.beta, work.beta);
  work.result = block(run.result, plan.operation.result);
  work.left = block(run.left, plan.operation.left);
  if (has_right(plan.operation)) work.right = block(run.right, plan.operation.right);
  if (plan.workspace_bytes > 0) work.workspace = real(run.workspace, plan.workspace_bytes);
  lane.add_part(run.place.sequence, [this, &lane, plan, work, ticket = seat_.queue()] {
    if (plan.substitute) return plan.substitute->run(*source_.table, device_, lane.stream(), work);
    return source_.table->plan_run(device_, plan.plan, lane.stream(), &work);
  });
}

void Exported::record(const Place& place) { find_lane(place)->tell(place.sequence); }

void Exported::wait(const Wait& wait) {
  Lane& lane = *find_lane(wait.place);
  const auto& other = find_lane({wait.place.device, wait.other_stream, 0});
  if (&lane == other.get() || wait.other_sequence > other->last())
    refuse("a stream waits for work that was never enqueued");
  lane.add(
      wait.place.sequence,
      [&lane, other, sequence = wait.other_sequence] {
        if (!other->has_reached(sequence)) lane.leave_turn();
        // The other one may wait for what this one has enqueued and not looked after since.
        if (const blockyard_status status = lane.settle(); status != BLOCKYARD_OK) return status;
        if (!other->reach(sequence)) throw Error(Errc::device, "work on another stream failed");
        return BLOCKYARD_OK;
      },
      {}, true);
}

}  // namespace blockyard::remote
