// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "blockyard/base/groups.h"
#include "blockyard/job/decisions.h"
#include "blockyard/job/method_results.h"
#include "blockyard/job/processes.h"
#include "blockyard/job/traffic.h"
#include "blockyard/job/version.h"
#include "blockyard/report/detail/counts_json.h"
#include "blockyard/report/detail/devices_json.h"
#include "blockyard/report/detail/properties_json.h"
#include "blockyard/report/report.h"

namespace blockyard::report {

namespace {

using Json = nlohmann::ordered_json;

Json plan_json(const job::MemoryPlan& plan) {
  return {{"total_bytes", plan.total_bytes},
          {"worker_bytes", plan.worker_bytes},
          {"server_bytes", plan.server_bytes},
          {"distributed_bytes", plan.distributed_bytes},
          {"spilled_bytes", plan.spilled_bytes}};
}

Json metrics_of_worker(const job::Job& job, const worker::Metrics& metrics) {
  Json lines = Json::array();
  for (const worker::LineWait& wait : metrics.lines)
    lines.push_back({{"place", wait.place},
                     {"array", wait.array},
                     {"gets", wait.gets},
                     {"cache_hits", wait.cache_hits},
                     {"early_hits", wait.early_hits},
                     {"accesses", wait.accesses},
                     {"blocked", wait.blocked},
                     {"hit_ratio", wait.hit_ratio()},
                     {"wait_seconds", wait.wait_seconds},
                     {"first_wait_seconds", wait.first_wait_seconds},
                     {"mean_wait_seconds", wait.mean_wait_seconds()},
                     {"prefetch_depth", wait.depth},
                     {"prefetch_reason", wait.reason},
                     {"wasted_prefetches", wait.wasted}});
  Json line_times = Json::array();
  for (const worker::LineTime& line : metrics.line_times)
    line_times.push_back({{"place", line.place},
                          {"times", line.times},
                          {"seconds", line.seconds},
                          {"block_wait_seconds", line.block_wait_seconds},
                          {"disk_wait_seconds", line.disk_wait_seconds},
                          {"barrier_wait_seconds", line.barrier_wait_seconds},
                          {"put_wait_seconds", line.put_wait_seconds}});
  Json pardos = Json::array();
  for (const worker::PardoTime& pardo : metrics.pardos)
    pardos.push_back({{"place", pardo.place},
                      {"policy", pardo.policy},
                      {"entered", pardo.entered},
                      {"iterations", pardo.iterations},
                      {"seconds", pardo.seconds},
                      {"wait_seconds", pardo.wait_seconds}});
  Json supers = Json::object();
  for (const auto& [name, use] : metrics.supers)
    supers[name] = {
        {"calls", use.calls}, {"device_calls", use.device_calls}, {"seconds", use.seconds}};
  Json all = detail::counts_json(worker::worker_metrics(), worker::Counts(metrics));
  all["hit_ratio"] = metrics.hit_ratio();
  const bool is_grouped = job::is_traffic_grouped(job);
  all[is_grouped ? "bytes_from_processes" : "bytes_from_servers"] = metrics.bytes_from_servers;
  all[is_grouped ? "bytes_to_processes" : "bytes_to_servers"] = metrics.bytes_to_servers;
  all["lines"] = lines;
  all["line_times"] = line_times;
  all["pardos"] = pardos;
  all["super_instructions"] = supers;
  if (metrics.device_number >= 0) {
    all["device_wait_seconds"] = metrics.device.wait_seconds;
    all["device"] = {{"number", metrics.device_number}};
    all["device"].update(detail::device_json(metrics.device));
  }
  return all;
}

/// The uses of a rank's memory: the names of MemorySample::bytes.
Json purposes_of(bool is_worker) {
  if (!is_worker) return Json::array({"blocks at home here"});
  return Json::array({"arrays and temporaries", "blocks in use or cached", "blocks fetched ahead",
                      "puts under way"});
}

Json memory_json(const std::vector<base::MemorySample>& samples, std::size_t purposes) {
  Json rows = Json::array();
  for (const base::MemorySample& sample : samples) {
    Json row = {sample.at_seconds};
    for (std::size_t k = 0; k < purposes; ++k) row.push_back(sample.bytes[k]);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json ranks_json(const job::Job& job, const job::Results& results) {
  const std::vector<int> process_of = job::place_ranks(job);
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < results.ranks.size(); ++rank) {
    const bool is_worker = rank < static_cast<std::size_t>(job.workers);
    const Json purposes = purposes_of(is_worker);
    ranks.push_back(
        {{"role", is_worker ? "worker" : "server"},
         {"number", is_worker ? rank : rank - static_cast<std::size_t>(job.workers)},
         {"process", process_of[rank]},
         {"budget_bytes", is_worker ? job.memory.worker_bytes : job.memory.server_bytes},
         {"memory_purposes", purposes},
         {"memory", memory_json(results.ranks[rank].memory, purposes.size())}});
  }
  return ranks;
}

Json programs_json(const job::Job& job, const job::Results& results) {
  Json programs = Json::array();
  for (const job::StepResult& step : results.steps) {
    Json workers = Json::array();
    for (const worker::Metrics& metrics : step.metrics)
      workers.push_back(metrics_of_worker(job, metrics));
    programs.push_back({{"name", step.name}, {"seconds", step.seconds}, {"workers", workers}});
  }
  return programs;
}

Json servers_json(const job::Results& results) {
  Json servers = Json::array();
  for (const wire::ServerCounts& server : results.servers)
    servers.push_back(detail::counts_json(wire::server_metrics(), server));
  return servers;
}

Json energies_json(const job::Job& job, const job::Results& results) {
  Json energies = Json::array();
  for (const method::Energy& energy : job::method_results(job, results).energies)
    energies.push_back({{"key", energy.key}, {"title", energy.title}, {"hartree", energy.hartree}});
  return energies;
}

Json iterations_json(const std::vector<Iterations>& tables) {
  Json json = Json::array();
  for (const Iterations& table : tables) {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
      Json& values = rows.emplace_back(Json::object());
      for (const auto& [name, value] : row) values[name] = value;
    }
    json.push_back({{"title", table.title}, {"rows", std::move(rows)}});
  }
  return json;
}

Json excitations_json(const job::Job& job, const job::Results& results) {
  Json json = Json::array();
  for (const method::Excitations& states : job::method_results(job, results).excitations) {
    Json& one = json.emplace_back(
        Json{{"key", states.key}, {"title", states.title}, {"hartree", states.hartree}});
    if (!states.singles_part.empty()) one["singles_part"] = states.singles_part;
    detail::add_state_details(one, states);
  }
  return json;
}

Json where_json(const job::Job& job, const ReportContext& context) {
  return {{"host", context.host},
          {"processor", context.processor},
          {"cores", context.cores},
          {"started", context.started},
          {"command", context.command},
          {"processes", job.processes},
          {"workers", job.workers},
          {"servers", job.servers},
          {"processes_in_group", base::in_each_group(job.processes)}};
}

Json chemistry_json(const method::Chemistry& chemistry) {
  return {{"formula", formula(chemistry.system.molecule)},
          {"atoms", chemistry.system.molecule.atoms.size()},
          {"charge", chemistry.system.molecule.charge},
          {"multiplicity", chemistry.system.molecule.multiplicity},
          {"basis", chemistry.basis_name},
          {"basis_functions", chemistry.basis_functions()},
          {"electrons", chemistry.electrons}};
}

/// The decisions known only once the devices have been found.
std::vector<job::Decision> device_decisions(const job::Job& job, const job::Results& results) {
  const input::DeviceSpec& device = job.run.device;
  const bool is_auto = device.kind == "auto";
  if (results.devices.empty() && results.device_kind != "none")
    return {{"devices", "none",
             "the job had too little work for a device to pay for opening one: `device_after`"}};
  if (results.devices.empty())
    return {
        {"devices", "none",
         is_auto ? "no GPU was found that a plug-in of this build can open" : "as the job says"}};
  const bool learns = device.learns();
  return {{"devices",
           fmt::format("{} of kind {} in a process", results.devices.size(), results.device_kind),
           is_auto ? "all that were found" : "as the job says"},
          {"placement of statements",
           learns ? "host or device, each statement apart" : "all that the device can compute",
           learns ? "where the same statement took less time before, copies included"
                  : "the kind was asked for by name; `placement` says otherwise"}};
}

Json decisions_json(const job::Job& job, const job::Results& results) {
  std::vector<job::Decision> all = job.decisions;
  std::ranges::move(device_decisions(job, results), std::back_inserter(all));
  Json decisions = Json::array();
  for (const job::Decision& decision : all)
    decisions.push_back(
        {{"what", decision.what}, {"choice", decision.choice}, {"reason", decision.reason}});
  return decisions;
}

}  // namespace

std::string metrics_json(const job::Job& job, const job::Results& results,
                         const ReportContext& context) {
  Json json = {{"kind", "blockyard run"},
               {"version", job::version()},
               {"title", job.title},
               {"method", job.method},
               {"where", where_json(job, context)},
               {"seconds", results.seconds},
               {"peak_block_bytes", results.peak_block_bytes},
               {"peak_rss_bytes", results.peak_rss_bytes},
               {"memory_plan", plan_json(job.memory)}};
  if (job.chemistry) json["molecule"] = chemistry_json(*job.chemistry);
  if (!job.method.empty()) {
    json["energies"] = energies_json(job, results);
    json["iterations"] = iterations_json(context.iterations);
    json["excitations"] = excitations_json(job, results);
  }
  json["metrics"] = {{"worker", detail::meanings_json(worker::worker_metrics())},
                     {"server", detail::meanings_json(wire::server_metrics())},
                     {"device", detail::meanings_json(block::device_metrics())}};
  json["devices"] = detail::devices_json(results);
  json["programs"] = programs_json(job, results);
  json["servers"] = servers_json(results);
  json["ranks"] = ranks_json(job, results);
  json["decisions"] = decisions_json(job, results);
  json["sources"] = context.sources;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace blockyard::report
