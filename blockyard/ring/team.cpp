// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/team.h"

#include <exception>
#include <memory>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/fabric/mpi/mpi_world.h"
#include "blockyard/fabric/rank_threads.h"

namespace blockyard::ring {

namespace {

/// The ranks of this process.
class Here {
 public:
  Here(const Team& team, base::BufferPool& pool)
      : team_(team), process_(team.session != nullptr ? team.session->process() : 0) {
    if (team.session != nullptr) {
      std::vector<int> process_of;
      for (int rank = 0; rank < team.ranks(); ++rank) process_of.push_back(rank / team.ranks_here);
      fabric::MpiOptions options;
      options.reads_devices = team.reads_devices;
      world_ = std::make_unique<fabric::MpiWorld>(*team.session, pool, process_of, options);
    } else {
      world_ = std::make_unique<fabric::LoopbackWorld>(team.ranks(), team.delivery_seed);
    }
    for (int k = 0; k < team.ranks_here; ++k) {
      endpoints_.push_back(world_->endpoint(process_ * team.ranks_here + k));
      if (team.delay)
        endpoints_.back() = fabric::delayed(std::move(endpoints_.back()), *team.delay);
    }
  }

  void run(const std::function<void(fabric::Fabric&)>& work) {
    fabric::RankThreads ranks(*world_, [&] {
      if (team_.give_up) team_.give_up(ranks.cause());
    });
    for (const auto& endpoint : endpoints_)
      ranks.start(*endpoint, [&work, &endpoint] { work(*endpoint); });
    ranks.watch([&] {
      const std::string reason = team_.stop_reason ? team_.stop_reason() : "";
      if (!reason.empty())
        ranks.fail(*endpoints_.front(),
                   std::make_exception_ptr(base::Error(base::Errc::comm, reason)));
    });
    ranks.end();
    if (const std::exception_ptr error = ranks.error()) std::rethrow_exception(error);
  }

 private:
  const Team& team_;
  int process_;
  std::unique_ptr<fabric::World> world_;
  std::vector<std::unique_ptr<fabric::Fabric>> endpoints_;
};

}  // namespace

void run_team(const Team& team, base::BufferPool& pool,
              const std::function<void(fabric::Fabric&)>& work) {
  Here(team, pool).run(work);
}

}  // namespace blockyard::ring
