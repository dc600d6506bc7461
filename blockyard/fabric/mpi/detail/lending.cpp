// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/detail/lending.h"

#include <mpi.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::fabric::detail {

/// Loans given back: a list that many put on and one takes as a whole.
struct Lending::Returns {
  using Number = std::atomic<std::uint32_t>;
  Number first;

  /// The successor of each loan, by number, in the memory that follows this object.
  [[nodiscard]] Number& next(std::uint32_t number) noexcept {
    return reinterpret_cast<Number*>(this + 1)[number];
  }
  void put(std::uint32_t number) noexcept {
    std::uint32_t head = first.load(std::memory_order_relaxed);
    do next(number).store(head, std::memory_order_relaxed);
    while (!first.compare_exchange_weak(head, number, std::memory_order_release,
                                        std::memory_order_relaxed));
  }
};

/// This process's view of another: its blocks, and the list for returning them.
struct Lending::Neighbour {
  base::SharedMemory arena;
  base::SharedMemory returns;
};

struct Lending::Borrowed {
  base::Buffer buffer;
  std::shared_ptr<Neighbour> from;
  std::uint32_t number;

  Borrowed(base::Buffer lent, std::shared_ptr<Neighbour> lender, std::uint32_t loan) noexcept
      : buffer(std::move(lent)), from(std::move(lender)), number(loan) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { reinterpret_cast<Returns*>(from->returns.data())->put(number); }
};

void Lending::make_memory() noexcept {
  try {
    returns_memory_ = base::SharedMemory(sizeof(Returns) + most_loans_ * sizeof(Returns::Number));
    returns_ = reinterpret_cast<Returns*>(returns_memory_.data());
    returns_->first = Loan::none;
    arena_ = pool_.share();
  } catch (const base::Error&) {  // the system gives none: payloads are sent
  }
}

Lending::Lending(const Node& node, base::BufferPool& pool, std::uint32_t most_loans)
    : pool_(pool),
      most_loans_(most_loans),
      may_borrow_(static_cast<std::size_t>(node.processes())),
      neighbours_(may_borrow_.size()) {
  struct Offer {
    base::MemoryAddress arena;
    base::MemoryAddress returns;
  };
  Offer mine;
  if (node.has_neighbours()) make_memory();
  if (arena_ != nullptr) mine = {arena_->address(), returns_memory_.address()};
  std::vector<Offer> all(may_borrow_.size());
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  std::vector<char> borrows(may_borrow_.size(), 0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (static_cast<int>(k) == node.process() || !node.reaches(static_cast<int>(k))) continue;
    using Access = base::SharedMemory::Access;
    auto from = std::make_shared<Neighbour>(
        Neighbour{base::SharedMemory::open(all[k].arena, Access::read),
                  base::SharedMemory::open(all[k].returns, Access::update)});
    if (!from->arena || !from->returns) continue;
    neighbours_[k] = std::move(from);
    borrows[k] = 1;
  }
  MPI_Alltoall(borrows.data(), 1, MPI_CHAR, may_borrow_.data(), 1, MPI_CHAR, MPI_COMM_WORLD);
}

/// The payload, or a copy if it is short, in memory that others see; null if it is not there.
Payload Lending::lendable(const Payload& payload) {
  if (arena_->holds(payload->data())) return payload;
  if (payload->size() >= base::BufferPool::shared_from) return nullptr;
  auto copy = std::make_shared<base::Buffer>(pool_.allocate(base::BufferPool::shared_from));
  std::memcpy(copy->data(), payload->data(), payload->size());
  return arena_->holds(copy->data()) ? copy : nullptr;
}

bool Lending::could_lend(int process, const Payload& payload) const noexcept {
  return may_borrow_[static_cast<std::size_t>(process)] != 0 &&
         (payload->size() < base::BufferPool::shared_from || arena_->holds(payload->data()));
}

bool Lending::could_lend(int process, std::size_t bytes) const noexcept {
  return may_borrow_[static_cast<std::size_t>(process)] != 0 &&
         (bytes < base::BufferPool::shared_from || pool_.is_shared(bytes));
}

Loan Lending::lend(int process, const Payload& given) {
  if (may_borrow_[static_cast<std::size_t>(process)] == 0) return {};
  const Payload payload = lendable(given);
  if (!payload) return {};
  Loan loan{Loan::none, arena_->offset_of(payload->data())};
  if (!unused_.empty()) {
    loan.number = unused_.back();
    unused_.pop_back();
    lent_[loan.number] = payload;
  } else if (lent_.size() < most_loans_) {
    loan.number = static_cast<std::uint32_t>(lent_.size());
    lent_.push_back(payload);
    unused_.reserve(lent_.capacity());  // take_back() must not fail
  }
  return loan;
}

void Lending::take_back() noexcept {
  if (returns_ == nullptr || returns_->first.load(std::memory_order_relaxed) == Loan::none) return;
  std::uint32_t number = returns_->first.exchange(Loan::none, std::memory_order_acquire);
  while (number != Loan::none) {
    const std::uint32_t next = returns_->next(number).load(std::memory_order_relaxed);
    lent_[number].reset();
    unused_.push_back(number);
    number = next;
  }
}

Payload Lending::borrow(int process, const Loan& loan, std::size_t bytes) const {
  const auto& from = neighbours_[static_cast<std::size_t>(process)];
  base::require(from && loan.offset + bytes <= from->arena.size(), "what is lent can be reached");
  auto borrowed = std::make_shared<Borrowed>(
      base::Buffer::lent(from->arena.data() + loan.offset, bytes), from, loan.number);
  const base::Buffer* const buffer = &borrowed->buffer;
  if (bytes < base::BufferPool::shared_from) {
    auto copy = std::make_shared<base::Buffer>(pool_.allocate(bytes));
    std::memcpy(copy->data(), buffer->data(), bytes);
    return copy;
  }
  return {std::move(borrowed), buffer};
}

}  // namespace blockyard::fabric::detail
