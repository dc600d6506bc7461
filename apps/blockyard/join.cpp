// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/join.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "apps/blockyard/failure.h"
#include "blockyard/base/error.h"

namespace blockyard::app {

namespace {

/// How many processes the launcher says there are; 0 if no launcher of MPI started this one.
int launched_processes() {
  constexpr std::array names = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (const char* name : names) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    int count = 0;
    std::from_chars(text, text + std::strlen(text), count);
    return std::max(count, 1);
  }
  return std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr ? 1 : 0;
}

}  // namespace

void add_fabric_option(CLI::App& command, std::string& fabric) {
  command
      .add_option("--fabric", fabric,
                  "auto (MPI where mpirun started this), loopback (this process alone), or mpi")
      ->check(CLI::IsMember({"auto", "loopback", "mpi"}));
}

std::unique_ptr<fabric::MpiSession> join_processes(const std::string& fabric) {
  const int launched = launched_processes();
  if (fabric == "loopback" || (fabric != "mpi" && launched == 0)) return nullptr;
  auto session = std::make_unique<fabric::MpiSession>();
  if (session->processes() == 1 && launched > 1)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("mpirun started {} processes, but this blockyard sees none of the others: it "
                    "was built with another MPI; use the mpirun of that one, or --fabric loopback",
                    launched));
  return session;
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
