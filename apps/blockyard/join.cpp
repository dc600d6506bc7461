// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "apps/blockyard/failure.h"
#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"
#include "blockyard/fabric/mpi/agree.h"

namespace blockyard::app {

namespace {

/// The number in an environment variable; 0 if there is none.
int number_in(const char* name) {
  const char* text = std::getenv(name);
  int number = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

/// How many processes the step of Slurm has in which this one runs; 0 if srun did not start it.
int processes_of_srun() { return number_in("SLURM_STEP_NUM_TASKS"); }

/// How many processes the launcher says there are; 0 if no launcher of MPI started this one.
int launched_processes() {
  constexpr std::array names = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (const char* name : names)
    if (const int count = number_in(name); count > 0) return count;
  const bool has_rank = std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
  return has_rank ? std::max(processes_of_srun(), 1) : 0;
}

/// Without this, each of the processes would run the whole job and overwrite the others' files.
[[noreturn]] void refuse_strangers(int count, bool by_srun) {
  if (by_srun)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("srun started {} processes, but each of them sees none of the others: use "
                    "'srun --mpi=pmix' or another kind that 'srun --mpi=list' shows, or mpirun; "
                    "--fabric loopback runs the whole job in each (docs/clusters.md)",
                    count));
  throw base::Error(
      base::Errc::bad_input,
      fmt::format("mpirun started {} processes, but this blockyard sees none of the others: it "
                  "was built with another MPI; use the mpirun of that one, or --fabric loopback",
                  count));
}

}  // namespace

void add_fabric_option(CLI::App& command, std::string& fabric) {
  command
      .add_option("--fabric", fabric,
                  "how ranks communicate: auto (MPI under mpirun or srun), loopback (this process "
                  "alone) or mpi")
      ->check(CLI::IsMember({"auto", "loopback", "mpi"}));
}

bool is_launched() { return launched_processes() > 0; }

std::unique_ptr<fabric::MpiSession> join_processes(const std::string& fabric) {
  const int launched = launched_processes();
  const int by_srun = processes_of_srun();
  if (fabric == "loopback") return nullptr;
  // One process needs no MPI, and may not be the first program of its slot: MPI starts once in one.
  if (fabric != "mpi" && launched <= 1) {
    if (launched == 0 && by_srun > 1) refuse_strangers(by_srun, true);
    return nullptr;
  }
  auto session = std::make_unique<fabric::MpiSession>();
  if (session->processes() == 1 && launched > 1) refuse_strangers(launched, by_srun == launched);
  return session;
}

std::string share_text(fabric::MpiSession* session, const std::function<std::string()>& make) {
  const auto bytes = fabric::share(session, [&] {
    base::FieldWriter out;
    out.field(make());
    return out.take();
  });
  std::string text;
  base::FieldReader(bytes).field(text);
  return text;
}

int run_quietly(const fabric::MpiSession* session, const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::exception&) {
    // Here, not when the session has ended: mpirun ends all processes at once when the first has
    // ended with an error.
    return end_by_exception(session == nullptr || session->process() == 0);
  }
}

}  // namespace blockyard::app
