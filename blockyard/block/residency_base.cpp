// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/residency_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

using base::Errc;
using base::Error;

ResidencyBase::ResidencyBase(device::Device& device, const Options& options)
    : device_(device),
      options_(options),
      pool_(device, options.budget_bytes, options.keeps_memory),
      sends_(pool_) {
  try {
    lanes_.emplace(device, options.trace, options.streams);
  } catch (const Error& error) {
    is_retired_ = true;
    failure_ = error.what();
    ++counts_.failures;
  }
}

/// A device that refuses twice does nothing any more.
void ResidencyBase::settle(Lanes::Lane lane) noexcept {
  for (int attempts = lanes_ ? 2 : 0; attempts > 0; --attempts) try {
      lanes_->stream(lane).synchronise();
      lanes_->note_done(lane);
      return;
    } catch (const Error&) {
    }
  if (lanes_) try {
      lanes_->reopen(lane);  // closing it waits for what had begun
    } catch (const Error&) {
    }
}

void ResidencyBase::settle_all() noexcept {
  for (std::size_t lane = 0; lane < Lanes::count; ++lane) settle(static_cast<Lanes::Lane>(lane));
}

ResidentCopy* ResidencyBase::use(FrameKey key) noexcept {
  const auto found = copies_.find(key);
  if (found == copies_.end()) return nullptr;
  order_.splice(order_.end(), order_, found->second);
  return &*found->second;
}

void ResidencyBase::add_operand(ResidentCopy& copy, Use use) {
  ++copy.pins;
  operands_.push_back({&copy, use});
}

void ResidencyBase::note_saved(std::size_t size) noexcept {
  ++counts_.saved_copies;
  counts_.saved_bytes += size;
}

ResidentCopy& ResidencyBase::add(const SharedFrame& frame, bool keeps, Piece piece) {
  finish_sending(frame->data());
  order_.push_back({frame->data(), keeps ? frame : nullptr, frame->size(), std::move(piece)});
  copies_.emplace(frame->data(), std::prev(order_.end()));
  return order_.back();
}

void ResidencyBase::erase(Order::iterator at) {
  leave(*at);
  copies_.erase(at->key);
  order_.erase(at);
}

std::optional<device::Address> ResidencyBase::scratch(std::size_t size) {
  if (is_retired_) return std::nullopt;
  auto piece = allocate(size);
  if (!piece) {
    ++counts_.fallbacks;
    return std::nullopt;
  }
  scratch_.push_back(std::move(*piece));
  return scratch_.back().memory.address();
}

Lanes::Lane ResidencyBase::begin_work() {
  const Lanes::Lane lane = lanes_->next_kernel();
  for (const Operand& operand : operands_)
    lanes_->wait(lane,
                 operand.use == Use::read ? operand.copy->piece.written : operand.copy->piece.used);
  for (const Piece& piece : scratch_) lanes_->wait(lane, piece.used);
  return lane;
}

void ResidencyBase::end_work(Lanes::Lane lane) {
  std::uint64_t point = 0;
  try {
    point = lanes_->mark(lane, pc_);
  } catch (...) {
    for (const Operand& operand : operands_) operand.copy->is_lost = operand.use == Use::update;
    throw;
  }
  Lanes::Points here{};
  here[lane] = point;
  for (const Operand& operand : operands_) {
    operand.copy->piece.used[lane] = point;
    if (operand.use != Use::read) operand.copy->piece.written = here;
  }
  for (Piece& piece : scratch_) piece.written = piece.used = here;
  ++counts_.runs;
}

void ResidencyBase::read_back(device::Address from, std::span<std::byte> to) {
  const double begin = base::now_seconds();
  const auto piece =
      std::ranges::find(scratch_, from, [](const Piece& one) { return one.memory.address(); });
  base::require(piece != scratch_.end(), "what is read back is scratch memory of the run");
  lanes_->wait(Lanes::out, piece->written);
  lanes_->stream(Lanes::out).copy_out(to, from);
  const std::uint64_t point = lanes_->mark(Lanes::out, Lanes::kilobytes(to.size()));
  piece->used[Lanes::out] = point;
  lanes_->finish(Lanes::out, point);
  ++counts_.copies_out;
  counts_.bytes_out += to.size();
  counts_.wait_seconds += base::now_seconds() - begin;
}

void ResidencyBase::finish_runs() {
  for (const Lanes::Lane lane : {Lanes::first_kernel, Lanes::second_kernel})
    lanes_->stream(lane).synchronise();
}

void ResidencyBase::end_run(bool is_done) {
  for (const auto& [copy, use] : operands_) {
    --copy->pins;
    if (!is_done) continue;
    copy->is_valid = true;
    // Without intents even an operand that is only read counts as changed, unless it has no owner.
    if (use != Use::read || (!options_.honours_use && !copy->kept)) copy->is_modified = true;
  }
  for (const Operand& operand : operands_)
    if (const auto found = copies_.find(operand.copy->key);
        !is_done && operand.copy->pins == 0 && !operand.copy->is_valid)
      erase(found->second);
  operands_.clear();
  for (Piece& piece : scratch_) pool_.recycle(std::move(piece));
  scratch_.clear();
}

void ResidencyBase::look_after() {
  try {
    sends_.take();
  } catch (const Error& error) {
    retire(error.what());
  }
}

void ResidencyBase::retire(const std::string& why) {
  if (is_retired_) return;
  is_retired_ = true;
  failure_ = why;
  ++counts_.failures;
  std::size_t lost = begin_recovery();
  lost += sends_.recover([this](DeviceSend& send) { return recover(send); });
  for (ResidentCopy& copy : order_)
    if (copy.is_lost || (copy.is_modified && !recover(copy))) ++lost;
  settle(Lanes::in);
  end_recovery();
  operands_.clear();
  scratch_.clear();
  while (!order_.empty()) erase(order_.begin());
  sends_.drop();
  if (lost > 0)
    throw Error(Errc::device,
                fmt::format("{}; {} block(s) that only the device held are lost with it. Run again "
                            "with --device none, or resume from the last checkpoint",
                            why, lost));
}

ResidencyCounts ResidencyBase::take_counts() {
  const ResidencyCounts all = counts();
  return base::since(device_metrics(), all, std::exchange(taken_, all));
}

ResidencyCounts ResidencyBase::counts() const {
  ResidencyCounts all = counts_;
  all.pool_requests = pool_.requests();
  all.pool_hits = pool_.hits();
  if (options_.locks != nullptr)
    all.locked_bytes = static_cast<std::uint64_t>(options_.locks->peak_bytes());
  all.peak_bytes = static_cast<std::uint64_t>(pool_.peak_bytes());
  return all;
}

}  // namespace blockyard::block
