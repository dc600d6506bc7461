// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "blockyard/fabric/mpi/session.h"
#include "blockyard/lattice/g4_run.h"
#include "blockyard/ring/team.h"

namespace blockyard::app {

/// The ranks of a run over rings, which signals end; `ranks` of each process, 0: one per core, or
/// under mpirun one.
[[nodiscard]] ring::Team make_team(fabric::MpiSession* session, int ranks);

/// The memory of each rank, in bytes: of that of each process, or of 70 % of what is free.
[[nodiscard]] std::int64_t memory_of_rank(std::optional<std::int64_t> memory_bytes,
                                          const ring::Team& team);

/// "auto", "sample" or "g", and back.
[[nodiscard]] lattice::Travel parse_travel(const std::string& text);
[[nodiscard]] std::string name_of(lattice::Travel travel);

/// What the rings of a run were and did, by rank.
[[nodiscard]] nlohmann::ordered_json ring_json(const lattice::G4Report& report);

/// Writes the JSON of a run, and for `blockyard report` the same with what its ranks did over
/// time; nothing where a path is empty.
void write_ring_json(const nlohmann::ordered_json& json, const lattice::G4Report& report,
                     const std::string& json_path, const std::string& report_path);

/// The same for people.
[[nodiscard]] std::string ring_text(const lattice::G4Report& report);

/// What the error of the average sign supposes: empty where bins allow for correlation.
[[nodiscard]] std::string sign_error_note(const lattice::G4Report& report);

/// Of sums that could not be divided by the average sign.
void warn_of_undivided(const lattice::G4Report& report, const std::string& output);

}  // namespace blockyard::app
