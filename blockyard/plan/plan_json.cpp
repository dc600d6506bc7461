// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "blockyard/job/version.h"
#include "blockyard/plan/plan.h"
#include "blockyard/program/print.h"

namespace blockyard::plan {

namespace {

using Json = nlohmann::ordered_json;

Json work_json(const Work& work) {
  return {{"iterations", work.iterations},
          {"block_operations", work.block_operations},
          {"flops", work.flops},
          {"gets", work.gets},
          {"cache_hits", work.cache_hits},
          {"puts", work.puts},
          {"local_bytes", work.local_bytes},
          {"fabric_bytes", work.fabric_bytes},
          {"spilled_bytes", work.spilled_bytes},
          {"read_back_bytes", work.read_back_bytes},
          {"contraction_seconds", work.contraction_seconds},
          {"super_seconds", work.super_seconds},
          {"core_seconds", work.core_seconds},
          {"super_calls", work.super_calls}};
}

Json program_json(const ProgramPlan& program) {
  Json arrays = Json::array();
  for (const ArrayPlan& array : program.arrays)
    arrays.push_back({{"name", array.name},
                      {"kind", program::word_of(array.kind)},
                      {"blocks", array.blocks},
                      {"bytes", array.bytes},
                      {"largest_block_bytes", array.largest_block},
                      {"written_bytes", array.peak_bytes}});
  return {{"name", program.name},
          {"seconds", program.seconds},
          {"static_bytes", program.static_bytes},
          {"own_bytes", program.own_bytes},
          {"arrays_bytes", program.alive_bytes},
          {"worker_bytes", program.worker_bytes},
          {"server_bytes", program.server_bytes},
          {"process_bytes", program.process_bytes},
          {"is_sampled", program.is_sampled},
          {"error", program.error},
          {"assumptions", program.assumptions},
          {"work", work_json(program.work)},
          {"arrays", arrays}};
}

}  // namespace

std::string plan_json(const JobPlan& plan, const std::vector<SegmentTrial>& trials) {
  Json programs = Json::array();
  for (const ProgramPlan& program : plan.programs) programs.push_back(program_json(program));
  Json segments = Json::array();
  for (const SegmentTrial& trial : trials)
    segments.push_back({{"ao", trial.ao},
                        {"occupied", trial.occupied},
                        {"virtual", trial.virtual_},
                        {"seconds", trial.seconds},
                        {"process_bytes", trial.process_bytes},
                        {"fits", trial.fits},
                        {"is_given", trial.is_given}});
  const Json json = {{"title", plan.title},
                     {"version", job::version()},
                     {"machine", plan.machine},
                     {"processes", plan.layout.processes},
                     {"workers", plan.layout.workers},
                     {"servers", plan.layout.servers},
                     {"memory_bytes", plan.memory_bytes},
                     {"worker_budget_bytes", plan.layout.worker_bytes},
                     {"server_budget_bytes", plan.layout.server_bytes},
                     {"seconds", plan.seconds},
                     {"process_bytes", plan.process_bytes},
                     {"base_bytes", plan.base_bytes},
                     {"fits", plan.fits},
                     {"least_processes_in_memory", plan.least_processes_in_memory},
                     {"plan_seconds", plan.plan_seconds},
                     {"work", work_json(plan.work)},
                     {"programs", programs},
                     {"segments", segments}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace blockyard::plan
