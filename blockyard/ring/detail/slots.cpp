// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/detail/slots.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::ring {

namespace {

constexpr std::size_t kept_bytes = std::size_t{1} << 30;
constexpr std::int64_t most_locked_bytes = std::int64_t{1} << 29;
/// The network sends a piece while the device writes the next one.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

}  // namespace

Slot::~Slot() { slots_->give_back(*this); }

device::Device& Slot::device() const noexcept { return slots_->device_; }

void Slot::came(std::size_t offset, std::size_t count) {
  if (pieces_.size() == 0) return;  // on the device already
  const std::lock_guard lock(slots_->in_mutex_);
  try {
    slots_->in_.copy_in(address() + offset, pieces_.bytes().subspan(offset, count));
  } catch (const base::Error&) {
    slots_->note_failure();
  }
}

/// Brings a slot to the host in pieces, or shows where the network reads it. Holds it as long.
class Slots::Sending final : public fabric::Source {
 public:
  Sending(std::shared_ptr<Slot> slot, const std::byte* place)
      : slot_(std::move(slot)), place_(place) {}
  Sending(std::shared_ptr<Slot> slot, std::span<std::byte> into) : slot_(std::move(slot)) {
    Slots& slots = *slot_->slots_;
    const std::lock_guard lock(slots.out_mutex_);
    for (std::size_t at = 0; at < into.size(); at += piece_bytes_) {
      const auto piece = into.subspan(at, std::min(piece_bytes_, into.size() - at));
      slots.out_.copy_out(piece, slot_->address() + at);
      slots.out_.record(pieces_.emplace_back(slots.device_.open_event()));
    }
  }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  /// What was enqueued writes to the payload, which is there as long.
  ~Sending() override {
    try {
      if (!pieces_.empty()) pieces_.back().wait();
    } catch (const base::Error&) {
      slot_->slots_->note_failure();
    }
  }

  [[nodiscard]] std::size_t ready() noexcept override {
    if (place_ != nullptr) return slot_->bytes();
    const std::lock_guard lock(mutex_);
    try {
      while (done_ < pieces_.size() && pieces_[done_].is_done()) ++done_;
    } catch (const base::Error&) {
      slot_->slots_->note_failure();
    }
    return std::min(slot_->bytes(), done_ * piece_bytes_);
  }
  [[nodiscard]] std::size_t piece_bytes() const noexcept override { return piece_bytes_; }
  [[nodiscard]] const std::byte* place() override { return place_; }
  void finish() override {
    if (!pieces_.empty()) pieces_.back().wait();
  }

 private:
  static constexpr std::size_t piece_bytes_ = ring::piece_bytes;
  std::shared_ptr<Slot> slot_;
  const std::byte* place_ = nullptr;
  std::mutex mutex_;
  std::vector<device::Event> pieces_;
  std::size_t done_ = 0;
};

Slots::Slots(device::Device& device)
    : device_(device), pool_(kept_bytes), in_(device.open_stream()), out_(device.open_stream()) {
  if (device.describe().lock_page_bytes == 0) return;
  locks_.emplace(device, most_locked_bytes, [this] { pool_.free_kept(); });
  pool_.on_leave([this](const std::byte* data) { locks_->unlock(data); });
}

Slots::~Slots() {
  rest();
  spare_.clear();
  pool_.free_kept();
  pool_.on_leave({});
}

void Slots::rest() noexcept {
  for (auto [mutex, stream] : {std::pair(&in_mutex_, &in_), std::pair(&out_mutex_, &out_)}) try {
      const std::lock_guard lock(*mutex);
      stream->synchronise();
    } catch (const base::Error&) {
      note_failure();
    }
}

void Slots::note_failure() noexcept {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
}

void Slots::check() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

std::int64_t Slots::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

/// The smallest that is long enough, and not twice as long.
std::optional<Slots::Spare> Slots::find(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = spare_.lower_bound(bytes);
  if (found == spare_.end() || found->first > 2 * bytes) return std::nullopt;
  Spare spare = std::move(found->second);
  spare_.erase(found);
  return spare;
}

std::shared_ptr<Slot> Slots::take(std::size_t bytes) {
  const std::size_t needed = std::max<std::size_t>(bytes, 64);
  std::optional<Spare> spare = find(needed);
  if (!spare) {
    const auto length = static_cast<base::Extent>(needed);
    auto memory = device_.allocate(length);
    if (!memory) {  // of other lengths
      const std::lock_guard lock(mutex_);
      for (const auto& [spare_bytes, unused] : spare_)
        bytes_ -= static_cast<std::int64_t>(spare_bytes);
      spare_.clear();
      memory = device_.allocate(length);
    }
    if (!memory)
      throw base::Error(base::Errc::no_memory,
                        fmt::format("device {} has no room for an item of {}: take fewer slots or "
                                    "lanes, or longer rings",
                                    device_.describe().name, base::format_bytes(length)));
    const std::lock_guard lock(mutex_);
    bytes_ += length;
    peak_bytes_ = std::max(peak_bytes_, bytes_);
    spare.emplace(Spare{std::move(*memory), device_.open_event()});
  }
  return std::make_shared<Slot>(shared_from_this(), bytes, std::move(spare->memory),
                                std::move(spare->event));
}

void Slots::give_back(Slot& slot) noexcept {
  try {
    if (!slot.is_sealed_) seal(slot);
    slot.written_.wait();
    const std::lock_guard lock(mutex_);
    const auto bytes = static_cast<std::size_t>(slot.memory_.bytes());
    spare_.emplace(bytes, Spare{std::move(slot.memory_), std::move(slot.written_)});
  } catch (...) {  // its memory is released, not used again
    note_failure();
  }
}

base::Buffer Slots::pieces(std::size_t bytes) {
  base::Buffer pieces = pool_.allocate(bytes);
  if (locks_) (void)locks_->lock(pieces.data(), base::BufferPool::charge(bytes));
  return pieces;
}

void Slots::seal(Slot& slot) {
  const std::lock_guard lock(in_mutex_);
  in_.record(slot.written_);
  slot.is_sealed_ = true;
}

std::shared_ptr<Slot> Slots::fill(const fabric::Payload& payload) {
  return fill(payload->size(), [&](Slot& slot, device::Stream& stream) {
    slot.source_ = payload;
    if (payload->size() > 0) stream.copy_in(slot.address(), payload->bytes());
  });
}

std::shared_ptr<Slot> Slots::fill(const std::shared_ptr<Slot>& other) {
  if (!other->is_sealed_) other->slots_->seal(*other);
  if (&other->device() == &device_) return other;
  return fill(other->bytes(), [&](Slot& slot, device::Stream& stream) {
    slot.source_ = other;
    const auto bytes = static_cast<base::Extent>(other->bytes());
    if (stream.copy_from(other->device(), slot.address(), other->address(), bytes)) return;
    slot.pieces_ = pieces(other->bytes());
    other->slots_->copy_out(*other, slot.pieces_.bytes());
    stream.copy_in(slot.address(), slot.pieces_.bytes());
  });
}

void Slots::copy_out(const Slot& slot, std::span<std::byte> into) {
  const std::lock_guard lock(out_mutex_);
  out_.copy_out(into, slot.address());
  out_.synchronise();
}

std::shared_ptr<fabric::Landing> Slots::land(std::size_t bytes, bool writes_to_devices) try {
  const std::shared_ptr<Slot> slot = take(bytes);
  if (writes_to_devices)
    slot->place_ = const_cast<std::byte*>(
        device_.network_pointer(slot->address(), static_cast<base::Extent>(bytes)));
  if (slot->place_ == nullptr) {
    slot->pieces_ = pieces(bytes);
    slot->place_ = slot->pieces_.data();
  }
  return slot;
} catch (const base::Error&) {
  return nullptr;  // the payload comes to the host, and its rank finds out why
}

void Slots::put_into(fabric::Message& message, const std::shared_ptr<Slot>& slot,
                     bool reads_devices) {
  const auto bytes = static_cast<base::Extent>(slot->bytes());
  const std::byte* const place =
      reads_devices ? device_.network_pointer(slot->address(), bytes) : nullptr;
  if (place != nullptr) {
    message.source = std::make_shared<Sending>(slot, place);
    message.payload = std::make_shared<const base::Buffer>(
        base::Buffer::lent(const_cast<std::byte*>(place), slot->bytes()));
    return;
  }
  const auto payload = shared_pieces(slot->bytes());
  message.source = std::make_shared<Sending>(slot, payload->bytes());
  message.payload = payload;
}

fabric::Payload Slots::on_host(const std::shared_ptr<Slot>& slot) {
  auto payload = slot->slots_->shared_pieces(slot->bytes());
  slot->slots_->copy_out(*slot, payload->bytes());
  return payload;
}

std::shared_ptr<base::Buffer> Slots::shared_pieces(std::size_t bytes) {
  struct Pieces {
    std::shared_ptr<Slots> slots;
    base::Buffer buffer;
  };
  auto made = std::make_shared<Pieces>(Pieces{shared_from_this(), pieces(bytes)});
  base::Buffer* const buffer = &made->buffer;
  return {std::move(made), buffer};
}

}  // namespace blockyard::ring
