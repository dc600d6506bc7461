// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/device_products.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::blas {

namespace {

constexpr std::int64_t part_bytes = std::int64_t{8} << 20;  // of an operand or a result
constexpr std::int64_t least_width = 64;                    // of a part
constexpr std::int64_t most_part_bytes = std::int64_t{32} << 20;
constexpr std::int64_t least_bytes = std::int64_t{256} << 10;  // of them, where there are more
constexpr std::int64_t wanted_parts = 16;  // of a result: sending, computing and returning overlap
/// The first part is wider, so that the device has more to do while the shared operand is under
/// way.
constexpr std::int64_t first_widths = 3, many_widths = 8;
constexpr std::int64_t least_sums = 64, most_sums = 16;  // of an operand; steps of the first part
constexpr std::int64_t most_packed_bytes = std::int64_t{128} << 20;
constexpr std::int64_t long_column_bytes = std::int64_t{64} << 10;  // sent as it lies

template <class T>
std::complex<double> wide(T value) {
  return std::complex<double>(value);
}

/// Without a limit of its own a device gives so much to operands of earlier calls.
constexpr std::int64_t usual_kept_bytes = std::int64_t{1} << 30;

std::int64_t half_of(device::Device& device) {
  const blockyard_description found = device.describe();
  return found.memory_bytes == 0 ? usual_kept_bytes
                                 : static_cast<std::int64_t>(found.free_bytes / 2);
}

/// Of the memory of a device, for an operand or a result of a part: several are under way.
constexpr std::int64_t part_share = 32;
/// A result lies on the device as a whole only if it takes at most this share of the memory.
constexpr std::int64_t whole_share = 8;

/// Of what a triangle is multiplied with: its other triangle is sent as zeros, and the routine
/// multiplies nothing by those.
template <class T>
bool has_finite_result(const Call<T>& call) {
  for (std::int64_t j = 0; j < call.n; ++j)
    for (std::int64_t i = 0; i < call.m; ++i)
      if (!is_finite(call.c[i + j * call.ldc])) return false;
  return true;
}

/// The first part is not computed before it has been sent, nor the last one sent back before it is
/// computed: many parts make that short, and few keep what each costs by itself small.
template <class T>
std::int64_t part_width(const Call<T>& call, std::int64_t memory_bytes) {
  const std::int64_t extent = split_extent(call);
  const std::int64_t bytes = part_elements(call) * static_cast<std::int64_t>(sizeof(T));
  // Parts of columns that are very long are narrower: three are in the memory of the program.
  const std::int64_t narrow = std::clamp<std::int64_t>(most_part_bytes / bytes, 1, least_width);
  const std::int64_t least = std::max(narrow, least_bytes / bytes);
  const std::int64_t most = std::max(least, part_bytes / bytes);
  const std::int64_t width = std::clamp(extent / wanted_parts, least, most);
  const std::int64_t fitting = std::max<std::int64_t>(memory_bytes / part_share / bytes, 1);
  return std::min(extent, memory_bytes > 0 ? std::min(width, fitting) : width);
}

}  // namespace

DeviceProducts::DeviceProducts(const device::Table& table, const std::string& options,
                               std::optional<std::int64_t> kept_bytes, int index,
                               bool is_deterministic)
    : is_deterministic_(is_deterministic),
      device_(table, index, options),
      memory_bytes_(static_cast<std::int64_t>(device_.describe().memory_bytes)),
      in_(device_.open_stream()),
      work_(device_.open_stream()),
      out_(device_.open_stream()),
      kept_(device_, kept_bytes ? *kept_bytes : half_of(device_)),
      slots_{open_slot(), open_slot(), open_slot()} {}

DeviceProducts::Slot DeviceProducts::open_slot() {
  return {.sent = device_.open_event(),
          .computed = device_.open_event(),
          .returned = device_.open_event()};
}

/// Memory stays between calls: allocating makes a round trip, and the server clears it.
bool DeviceProducts::reserve(std::optional<device::Memory>& memory, std::int64_t bytes) {
  if (memory && memory->bytes() >= bytes) return true;
  memory.reset();
  memory = kept_.allocate(bytes);
  return memory.has_value();
}

/// The elements that count as they lie, or packed. Empty: there are too many to pack.
template <class T>
std::span<const std::byte> DeviceProducts::dense(const View<T>& view,
                                                 std::vector<std::byte>& packed) const {
  const auto bytes = static_cast<std::size_t>(view.bytes());
  if (view.is_plain() && view.leading == view.rows)
    return {reinterpret_cast<const std::byte*>(view.at), bytes};
  if (view.bytes() > most_packed_bytes) return {};
  packed.resize(bytes);
  pack(view, reinterpret_cast<T*>(packed.data()));
  return packed;
}

/// Of what is too much to pack at once: one copy for each column, or for as many short ones as are
/// packed at a time.
template <class T>
void DeviceProducts::send_columns(device::Address to, const View<T>& view) {
  constexpr std::int64_t short_column_bytes = 4096, together_bytes = std::int64_t{32} << 20;
  const std::int64_t column_bytes = view.rows * static_cast<std::int64_t>(sizeof(T));
  if (column_bytes > 0 && column_bytes < short_column_bytes) {
    const std::int64_t together = together_bytes / column_bytes;
    std::vector<T> packed(static_cast<std::size_t>(std::min(together, view.columns) * view.rows));
    View<T> some = view;
    for (std::int64_t j = 0; j < view.columns; j += together) {
      some.at = view.at + j * view.leading;
      some.columns = std::min(together, view.columns - j);
      pack(some, packed.data());
      in_.copy_in(to + static_cast<device::Address>(j * column_bytes),
                  {reinterpret_cast<const std::byte*>(packed.data()),
                   static_cast<std::size_t>(some.bytes())});
      in_.synchronise();
    }
    return;
  }
  for (std::int64_t j = 0; j < view.columns; ++j)
    in_.copy_in(to + static_cast<device::Address>(j * column_bytes),
                {reinterpret_cast<const std::byte*>(view.at + j * view.leading),
                 static_cast<std::size_t>(column_bytes)});
}

/// Exactly the elements that count. False: they are too many to pack.
template <class T>
bool DeviceProducts::send(const View<T>& view, device::Address to, std::vector<std::byte>& packed) {
  const bool has_long_columns =
      view.rows * static_cast<std::int64_t>(sizeof(T)) >= long_column_bytes;
  const std::span<const std::byte> bytes =
      view.is_plain() && view.leading != view.rows && has_long_columns
          ? std::span<const std::byte>()
          : dense(view, packed);
  if (!bytes.empty())
    in_.copy_in(to, bytes);
  else if (view.is_plain())
    send_columns(to, view);
  else
    return false;
  return true;
}

/// An operand goes only if the device has not got one of the same content. Its content is looked at
/// while that finds anything. No operand: there is no room.
template <class T>
DeviceProducts::Wanted DeviceProducts::find_operand(const View<T>& view,
                                                    std::vector<std::byte>& packed) {
  Wanted wanted{.bytes = dense(view, packed)};
  if (wanted.bytes.empty() && !view.is_plain()) return wanted;
  const std::optional<base::Fingerprint> content = kept_.content_of(wanted.bytes);
  wanted.operand = content ? kept_.find(*content) : nullptr;
  wanted.is_there = wanted.operand != nullptr;
  if (wanted.is_there) return wanted;
  wanted.operand = kept_.make(view.bytes(), content);
  return wanted;
}

template <class T>
void DeviceProducts::send_operand(const View<T>& view, const Wanted& wanted) {
  if (wanted.operand == nullptr || wanted.is_there) return;
  if (wanted.bytes.empty())
    send_columns(wanted.operand->memory.address(), view);
  else
    in_.copy_in(wanted.operand->memory.address(), wanted.bytes);
}

template <class T>
Kept::Operand* DeviceProducts::send_operand(const View<T>& view, std::vector<std::byte>& packed) {
  const Wanted wanted = find_operand(view, packed);
  send_operand(view, wanted);
  return wanted.operand;
}

template <class T>
bool DeviceProducts::run(const Step<T>& step, const Slot& slot) {
  const auto plan = device_.open_plan(step.operation);
  if (!plan) return false;
  const std::int64_t needed = plan->workspace_bytes();
  if (needed > 0 && (!workspace_ || workspace_->bytes() < needed)) {
    work_.synchronise();  // what runs may still use the old one
    if (!reserve(workspace_, needed)) return false;
  }
  const auto place = [&](const Source& source) -> device::Address {
    using Where = Source::Where;
    const auto offset = static_cast<device::Address>(source.offset) * sizeof(T);
    if (source.where == Where::part) return slot.operand_at + offset;
    const Kept::Operand* const operand = shared_[source.where == Where::second ? 1 : 0];
    return operand == nullptr ? 0 : operand->memory.address() + offset;
  };
  work_.run(*plan, {.alpha = wide(step.alpha),
                    .beta = wide(step.beta),
                    .result = slot.result_at,
                    .left = place(step.left),
                    .right = place(step.right),
                    .workspace = workspace_ ? workspace_->address() : 0});
  return true;
}

/// Only results that are columns of the whole one can lie in it. Of a product, and of what is
/// solved, all are; so is the other operand of a product, unless it is transposed.
template <class T>
void DeviceProducts::open_result(const Call<T>& call, std::int64_t width, bool is_alone) {
  result_ = {};
  whole_operand_ = nullptr;
  if (!kept_.is_on() || is_rank_update(call.form) || call.side == 'R') return;
  const auto contiguous = [](const T* at, std::int64_t rows, std::int64_t columns) {
    return std::as_bytes(std::span(at, static_cast<std::size_t>(rows * columns)));
  };
  const std::int64_t column_bytes = call.m * static_cast<std::int64_t>(sizeof(T));
  const bool is_dense = call.ldc == call.m, is_read = part_of(call, 0, width).is_read;
  result_.element_bytes = column_bytes;
  if (is_alone && is_dense && is_read)  // others would write to it by now
    result_.operand = kept_.find_result(contiguous(call.c, call.m, call.n));
  result_.is_there = result_.operand != nullptr;
  if (result_.is_there) result_.operand->content.reset();
  if (call.form == Form::gemm && call.op_b == 'N' && call.ldb == call.k)
    whole_operand_ = kept_.find_result(contiguous(call.b, call.k, call.n));
  const std::int64_t bytes = column_bytes * call.n;
  const bool has_room = memory_bytes_ == 0 || bytes <= memory_bytes_ / whole_share;
  if (!result_.is_there && is_alone && has_room && kept_.wants_result(bytes))
    result_.operand = kept_.make(bytes, {});
  if (result_.operand != nullptr) result_.content.emplace(kept_.seed());
}

/// What the device has of a result is known if all of it was written from there.
void DeviceProducts::close_result(std::int64_t extent) {
  if (result_.operand != nullptr && result_.next == extent)
    kept_.keep_result(*result_.operand, result_.content->fingerprint());
}

/// False: there is no room.
template <class T>
bool DeviceProducts::place_result(const Part<T>& part, std::int64_t from, Slot& slot) {
  if (result_.operand != nullptr) {
    slot.result_at = result_.operand->memory.address() +
                     static_cast<device::Address>(from * result_.element_bytes);
  } else {
    if (!reserve(slot.result, part.result.bytes())) return false;
    slot.result_at = slot.result->address();
  }
  return !part.is_read || result_.is_there || send(part.result, slot.result_at, slot.packed_result);
}

/// False: nothing of it comes back.
template <class T>
bool DeviceProducts::start(const Part<T>& part, std::int64_t from, Slot& slot) {
  if (part.operand && whole_operand_ != nullptr) {
    slot.operand_at = whole_operand_->memory.address() +
                      static_cast<device::Address>(from * part.operand->rows) * sizeof(T);
  } else if (part.operand) {
    slot.operand = send_operand(*part.operand, slot.packed_operand);
    if (slot.operand == nullptr) return false;
    slot.operand_at = slot.operand->memory.address();
  }
  if (!place_result(part, from, slot)) return false;
  in_.record(slot.sent);
  work_.wait(slot.sent);
  for (const Step<T>& step : part.steps)
    if (!run(step, slot)) return false;
  fetch(slot, part.result.bytes());
  return true;
}

void DeviceProducts::fetch(Slot& slot, std::int64_t bytes) {
  work_.record(slot.computed);
  out_.wait(slot.computed);
  slot.arrived.resize(static_cast<std::size_t>(bytes));
  out_.copy_out(slot.arrived, slot.result_at);
  out_.record(slot.returned);
}

/// The first part, which sends the shared operand along: the device works on what has come of both
/// while the rest is under way. False: as `start`.
template <class T>
bool DeviceProducts::start_by_sums(const Call<T>& call, std::int64_t width, Slot& slot) {
  const Part<T> part = part_of(call, 0, width);
  const Wanted shared = find_operand(shared_operands(call)[0], packed_shared_[0]);
  if (shared.operand == nullptr) return false;
  shared_[0] = shared.operand;
  const std::int64_t count = std::clamp<std::int64_t>(call.k / least_sums, 1, most_sums);
  const auto steps = steps_by_sums(call, width, count);
  if (shared.bytes.empty() || steps.empty()) {
    send_operand(shared_operands(call)[0], shared);
    return start(part, 0, slot);
  }
  const Wanted own = find_operand(*part.operand, slot.packed_operand);
  if (own.operand == nullptr) return false;
  slot.operand = own.operand;
  slot.operand_at = own.operand->memory.address();
  if (!place_result(part, 0, slot)) return false;
  const auto send_range = [&](const Wanted& wanted, std::int64_t from, std::int64_t to,
                              std::int64_t elements) {
    if (wanted.is_there) return;
    const auto at = static_cast<std::size_t>(from * elements) * sizeof(T);
    const auto bytes = static_cast<std::size_t>((to - from) * elements) * sizeof(T);
    in_.copy_in(wanted.operand->memory.address() + at, wanted.bytes.subspan(at, bytes));
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t from = call.k * i / count, to = call.k * (i + 1) / count;
    send_range(own, from, to, width);
    send_range(shared, from, to, call.m);
    in_.record(slot.sent);
    work_.wait(slot.sent);
    if (!run(steps[static_cast<std::size_t>(i)], slot)) return false;
  }
  fetch(slot, part.result.bytes());
  return true;
}

/// False: there is no room.
template <class T>
bool DeviceProducts::send_shared(const Call<T>& call) {
  const auto shared = shared_operands(call);
  for (std::size_t k = 0; k < shared.size(); ++k) {
    shared_[k] = send_operand(shared[k], packed_shared_[k]);
    if (shared_[k] == nullptr) return false;
  }
  return true;
}

template <class T>
void DeviceProducts::finish(const Call<T>& call, Slot& slot, Shares& shares) {
  if (slot.part.to == 0) return;
  slot.returned.wait();
  if (shares.begin_write(slot.part.from)) {
    const View<T> view = part_of(call, slot.part.from, slot.part.to).result;
    unpack(view, reinterpret_cast<const T*>(slot.arrived.data()), call.c + (view.at - call.c));
    shares.end_write(slot.part.from);
    if (result_.content && slot.part.from == result_.next) {
      result_.content->add(slot.arrived);
      result_.next = slot.part.to;
    }
  }
  slot.part = {};
  kept_.let_go(slot.operand);
  slot.operand = nullptr;
}

/// Nothing on its way reads or writes memory of the caller any more.
void DeviceProducts::drain(bool has_failed) noexcept {
  for (device::Stream* stream : {&in_, &work_, &out_}) try {
      stream->synchronise();
    } catch (const std::exception&) {  // it has failed, and touches nothing
      has_failed = true;
    }
  for (Slot& slot : slots_) slot.part = {}, slot.operand = nullptr;
  shared_ = {};
  result_ = {};
  whole_operand_ = nullptr;
  kept_.end_call(has_failed || std::exchange(has_unsent_, false));
}

/// On a lost link the answer is unknown.
bool DeviceProducts::has_left(const device::Event& sent) noexcept try {
  return sent.is_done();
} catch (const std::exception&) {
  return false;
}

template <class T>
void DeviceProducts::compute_parts(const Call<T>& call, Shares& shares, std::int64_t width,
                                   int device, bool is_alone) {
  kept_.begin_call();
  lacked_room_ = false;
  if (call.form == Form::trmm && !has_finite_result(call)) return;
  for (const Step<T>& step : part_of(call, 0, width).steps)
    if (!device_.open_plan(step.operation)) return;  // before anything is sent for it
  const std::int64_t first_width =
      split_extent(call) >= many_widths * width ? first_widths * width : width;
  bool has_room = true, is_first = true;
  std::size_t number = 0;
  open_result(call, width, is_alone);
  const bool is_whole = is_deterministic_ || whole_operand_ != nullptr;
  for (; has_room; ++number) {
    Slot& slot = slots_[number % slots];
    finish(call, slot, shares);
    const auto range = shares.take_front(is_first ? first_width : width, device);
    if (!range) break;
    const bool sends_along = is_first && call.form == Form::gemm && range->from == 0 && !is_whole;
    has_room =
        (!is_first || sends_along || send_shared(call)) &&
        (sends_along ? start_by_sums(call, range->to, slot)
                     : start(part_of(call, range->from, range->to, is_whole), range->from, slot));
    if (sends_along && !has_room) has_unsent_ = true;
    is_first = false;
    lacked_room_ = !has_room;
    if (!has_room) continue;
    slot.part = *range;
    shares.note_under_way(range->from, [&slot] { return has_left(slot.sent); });
  }
  for (std::size_t k = 0; k < slots; ++k) finish(call, slots_[(number + k) % slots], shares);
  close_result(split_extent(call));
}

template <class T>
std::int64_t DeviceProducts::room_bytes(const Call<T>& call, std::int64_t memory_bytes) {
  std::int64_t bytes = 0;
  for (const View<T>& view : shared_operands(call)) {
    if (!view.is_plain() && view.bytes() > most_packed_bytes)
      return std::numeric_limits<std::int64_t>::max();
    bytes += view.bytes();
  }
  const Part<T> part = part_of(call, 0, part_width(call, memory_bytes));
  const std::int64_t each = part.result.bytes() + (part.operand ? part.operand->bytes() : 0);
  return bytes + (static_cast<std::int64_t>(slots) + first_widths) * each;
}

template <class T>
void DeviceProducts::compute(const Call<T>& call, Shares& shares, int device) {
  const std::int64_t width = part_width(call, memory_bytes_);
  try {
    compute_parts(call, shares, width, device, false);
  } catch (...) {
    drain(true);
    throw;
  }
  drain(false);
}

template <class T>
void DeviceProducts::compute(const Call<T>& call, std::int64_t& complete) {
  const std::int64_t extent = split_extent(call);
  const std::int64_t width = part_width(call, memory_bytes_);
  Shares shares(extent);
  complete = 0;
  try {
    compute_parts(call, shares, width, 0, true);
  } catch (...) {
    drain(true);
    complete = shares.front_complete();
    throw;
  }
  drain(false);
  complete = shares.front_complete();
}

template void DeviceProducts::compute(const Call<float>&, std::int64_t&);
template std::int64_t DeviceProducts::room_bytes(const Call<float>&, std::int64_t);
template void DeviceProducts::compute(const Call<double>&, std::int64_t&);
template std::int64_t DeviceProducts::room_bytes(const Call<double>&, std::int64_t);
template void DeviceProducts::compute(const Call<c64>&, std::int64_t&);
template std::int64_t DeviceProducts::room_bytes(const Call<c64>&, std::int64_t);
template void DeviceProducts::compute(const Call<c128>&, std::int64_t&);
template std::int64_t DeviceProducts::room_bytes(const Call<c128>&, std::int64_t);
template void DeviceProducts::compute(const Call<float>&, Shares&, int);
template void DeviceProducts::compute(const Call<double>&, Shares&, int);
template void DeviceProducts::compute(const Call<c64>&, Shares&, int);
template void DeviceProducts::compute(const Call<c128>&, Shares&, int);

}  // namespace blockyard::blas
