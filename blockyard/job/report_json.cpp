// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "blockyard/job/energies.h"
#include "blockyard/job/report.h"

namespace blockyard::job {

namespace {

using Json = nlohmann::ordered_json;

Json array_json(const worker::DenseArray& array) {
  return {{"extents", array.extents}, {"values", array.values}};
}

Json plan_json(const MemoryPlan& plan) {
  return {{"total_bytes", plan.total_bytes},
          {"worker_bytes", plan.worker_bytes},
          {"server_bytes", plan.server_bytes},
          {"distributed_bytes", plan.distributed_bytes},
          {"spilled_bytes", plan.spilled_bytes}};
}

Json metrics_of_worker(const worker::Metrics& metrics) {
  Json lines = Json::array();
  for (const worker::LineWait& wait : metrics.lines)
    lines.push_back({{"place", wait.place},
                     {"array", wait.array},
                     {"gets", wait.gets},
                     {"accesses", wait.accesses},
                     {"blocked", wait.blocked},
                     {"hit_ratio", wait.hit_ratio()},
                     {"wait_seconds", wait.wait_seconds},
                     {"first_wait_seconds", wait.first_wait_seconds},
                     {"mean_wait_seconds", wait.mean_wait_seconds()},
                     {"prefetch_depth", wait.depth},
                     {"prefetch_reason", wait.reason},
                     {"wasted_prefetches", wait.wasted}});
  Json supers = Json::object();
  for (const auto& [name, use] : metrics.supers)
    supers[name] = {{"calls", use.calls}, {"seconds", use.seconds}};
  return {{"seconds", metrics.seconds},
          {"barrier_seconds", metrics.barrier_seconds},
          {"transfer_seconds", metrics.transfer_seconds},
          {"block_wait_seconds", metrics.block_wait_seconds},
          {"instructions", metrics.instructions},
          {"block_operations", metrics.block_operations},
          {"flops", metrics.flops},
          {"iterations", metrics.iterations},
          {"gets", metrics.gets},
          {"cache_hits", metrics.cache_hits},
          {"hit_ratio", metrics.hit_ratio()},
          {"prefetches", metrics.prefetches},
          {"wasted_prefetches", metrics.wasted_prefetches},
          {"bytes_received", metrics.bytes_received},
          {"bytes_sent", metrics.bytes_sent},
          {"peak_bytes", metrics.peak_bytes},
          {"lines", lines},
          {"super_instructions", supers}};
}

Json metrics_of_server(const wire::Statistics& server) {
  return {{"gets", server.gets},
          {"puts", server.puts},
          {"bytes_sent", server.bytes_sent},
          {"bytes_received", server.bytes_received},
          {"spilled_bytes", server.spilled_bytes},
          {"read_back_bytes", server.read_back_bytes},
          {"peak_bytes", server.peak_bytes}};
}

Json timings(const Results& results) {
  Json seconds = Json::object();
  for (const StepResult& step : results.steps) {
    // A program that runs twice in a job has one entry: the sum.
    const double before = seconds.value(step.name, 0.0);
    seconds[step.name] = before + step.seconds;
  }
  return seconds;
}

void add_method(Json& json, const Results& results) {
  const MethodResults found = method_results(results);
  json["energies"] = Json::object();
  for (const Energy& energy : found.energies) json["energies"][energy.key] = energy.hartree;
  json["converged"] = found.converged;
  json["iterations"] = Json::object();
  for (const IterationCount& count : found.iterations)
    json["iterations"][count.method] = count.count;
  json["dipoles"] = Json::object();
  for (const Dipole& dipole : found.dipoles) json["dipoles"][dipole.method] = dipole.e_bohr;
  json["excitations"] = Json::object();
  for (const Excitations& states : found.excitations) {
    json["excitations"][states.key] = {{"hartree", states.hartree}};
    if (!states.singles_part.empty())
      json["excitations"][states.key]["singles_part"] = states.singles_part;
  }
}

/// What is left of the programs; a later one wins where two have the same name.
void add_outcomes(Json& json, const Results& results) {
  for (const char* key : {"scalars", "ints", "arrays"}) json[key] = Json::object();
  for (const StepResult& step : results.steps) {
    for (const auto& [name, value] : step.outcome.scalars) json["scalars"][name] = value;
    for (const auto& [name, value] : step.outcome.ints) json["ints"][name] = value;
    for (const auto& [name, array] : step.outcome.arrays) json["arrays"][name] = array_json(array);
  }
}

std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string results_json(const Job& job, const Results& results) {
  Json json = {{"title", job.title}};
  if (job.chemistry) {
    json["n_basis"] = job.chemistry->basis_functions();
    json["n_electrons"] = job.chemistry->electrons;
  }
  if (job.method.empty())
    add_outcomes(json, results);
  else
    add_method(json, results);
  json["timings"] = timings(results);
  json["seconds"] = results.seconds;
  json["peak_rss_bytes"] = results.peak_rss_bytes;
  json["workers"] = job.workers;
  json["servers"] = job.servers;
  json["version"] = version();
  return text_of(json);
}

std::string metrics_json(const Job& job, const Results& results) {
  Json programs = Json::array();
  for (const StepResult& step : results.steps) {
    Json workers = Json::array();
    for (const worker::Metrics& metrics : step.metrics)
      workers.push_back(metrics_of_worker(metrics));
    programs.push_back({{"name", step.name}, {"seconds", step.seconds}, {"workers", workers}});
  }
  Json servers = Json::array();
  for (const wire::Statistics& server : results.servers)
    servers.push_back(metrics_of_server(server));
  return text_of({{"title", job.title},
                  {"version", version()},
                  {"seconds", results.seconds},
                  {"peak_block_bytes", results.peak_block_bytes},
                  {"peak_rss_bytes", results.peak_rss_bytes},
                  {"memory_plan", plan_json(job.memory)},
                  {"programs", programs},
                  {"servers", servers}});
}

}  // namespace blockyard::job
