// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/flow/bind.h"
#include "blockyard/flow/home_bytes.h"

namespace blockyard::flow {

/// Which process each fabric rank lives in: the workers, then the servers. Empty: all in one.
struct Layout {
  int workers = 1;
  int servers = 1;
  std::vector<std::int32_t> process_of;

  [[nodiscard]] std::int32_t process_of_worker(int worker) const;
  [[nodiscard]] std::int32_t process_of_server(int server) const;
  [[nodiscard]] std::int32_t processes() const;
};

/// Gives each iteration of a pardo to a worker that is near its blocks: one of the process that is
/// home of the most bytes of those that the body gets or puts, in all turns of the loops in it. No
/// process gets more than its workers' share of all iterations: it keeps those with the largest
/// surplus of bytes at home there, and the others fill up the processes with too few. The
/// workers of a process share theirs in even runs of neighbours, which have blocks in common; what
/// others would rather have had comes last, where thieves begin. Every worker comes to the same
/// lists. One thread.
class NearLists {
 public:
  NearLists(const program::Program& program, const Tables& tables, Layout layout);

  /// Steps that an iteration takes at most, to within a factor.
  [[nodiscard]] std::int64_t steps_of_iteration() const noexcept {
    return std::max(layout_.servers, processes_);
  }
  /// A pardo begins.
  void begin(std::int32_t pardo);
  /// The next iteration, in the order of settings: its number, and the values of all indexes.
  void add(std::int64_t setting, std::span<const std::int64_t> values);
  /// All were added.
  void end();

  /// Settings, list after list.
  [[nodiscard]] const std::vector<std::int64_t>& order() const noexcept { return order_; }
  /// Length of the list of each worker.
  [[nodiscard]] const std::vector<std::int64_t>& lengths() const noexcept { return lengths_; }
  /// The workers of the process of `worker`: first .. last-1.
  [[nodiscard]] std::pair<int, int> neighbours(int worker) const;

 private:
  /// An iteration, and how many bytes more are at home in its process than in the second best.
  struct Near {
    std::int64_t setting;
    std::int64_t more;
  };
  using Settings = std::vector<std::int64_t>;
  void find_touched(std::int32_t body);
  void deal();
  void append(const Settings& settings, std::size_t mine, std::size_t workers);

  const program::Program& program_;
  const Tables& tables_;
  Layout layout_;
  std::int32_t processes_;
  std::vector<std::int32_t> process_of_server_;
  std::vector<std::int32_t> touched_;      ///< selectors
  std::vector<HomeBytes> homes_;           ///< of what is touched; made with the first iteration
  std::vector<std::uint8_t> is_seen_;      ///< by pc
  std::vector<std::int64_t> bytes_;        ///< by process
  std::vector<std::vector<int>> workers_;  ///< of each process
  std::vector<std::vector<Near>> wanted_;  ///< by process, in the order of settings
  Settings free_;                          ///< near to none, or one too many
  std::vector<Settings> kept_;             ///< by process: near to it
  std::vector<Settings> dealt_;            ///< by process: of the free ones
  Settings order_;
  std::vector<std::int64_t> lengths_;
};

}  // namespace blockyard::flow
