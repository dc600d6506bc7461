// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/base/shared_memory.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/fabric/mpi/detail/node.h"

namespace blockyard::fabric::detail {

/// Where a borrower finds a payload.
struct Loan {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t number = none;
  std::uint64_t offset = 0;
};

/// Payloads that processes of one node read in each other's memory. The lender holds it, as one
/// of its sharers, until the borrower returns it: so the rules for payloads within a process hold
/// between processes too. Giving back sends nothing: the number of the loan is put on a list in
/// shared memory, which the lender empties when it moves letters. Short payloads are copied to such
/// memory and from there, which takes less than MPI does.
class Lending {
 public:
  /// Collective among processes. From here on `pool` makes memory that can be lent, if there is
  /// a neighbour to lend to. At most `most_loans` at one time.
  Lending(const Node& node, base::BufferPool& pool, std::uint32_t most_loans);

  // The lender; one thread at a time.
  /// Whether the process could read the payload here.
  [[nodiscard]] bool could_lend(int process, const Payload& payload) const noexcept;
  /// The same of payloads of this length, mostly: memory for them may not be had. Any thread.
  [[nodiscard]] bool could_lend(int process, std::size_t bytes) const noexcept;
  /// A loan that the process can borrow, or none: then the payload has to be sent.
  [[nodiscard]] Loan lend(int process, const Payload& payload);
  /// Lets go of what was given back.
  void take_back() noexcept;

  /// The payload that a process lends to this one. May outlive the Lending, on either side, but is
  /// changed then.
  [[nodiscard]] Payload borrow(int process, const Loan& loan, std::size_t bytes) const;

 private:
  struct Returns;
  struct Neighbour;
  struct Borrowed;

  void make_memory() noexcept;
  [[nodiscard]] Payload lendable(const Payload& payload);

  base::BufferPool& pool_;
  std::uint32_t most_loans_;
  const base::SharedArena* arena_ = nullptr;  ///< null: nothing can be lent
  base::SharedMemory returns_memory_;
  Returns* returns_ = nullptr;
  std::vector<char> may_borrow_;  ///< by process
  std::vector<Payload> lent_;     ///< by number
  std::vector<std::uint32_t> unused_;
  std::vector<std::shared_ptr<Neighbour>> neighbours_;  ///< by process; loans hold them too
};

}  // namespace blockyard::fabric::detail
