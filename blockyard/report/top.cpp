// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/top.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "blockyard/base/table.h"
#include "blockyard/base/text.h"

namespace blockyard::report {

namespace {

using Json = nlohmann::ordered_json;

void add_process(LiveJob& job, const Json& said) {
  const bool is_first = job.processes_seen++ == 0;
  if (is_first || said.value("process", 0) == 0) {
    job.title = said.value("title", "");
    job.method = said.value("method", "");
    job.program = said.value("program", "");
    job.program_number = said.value("number", 0);
    job.programs = said.value("programs", 0);
    job.processes = said.value("processes", 1);
    job.seconds = said.value("seconds", 0.0);
    job.program_seconds = said.value("program_seconds", 0.0);
  }
  job.rss_bytes += said.value("rss_bytes", std::int64_t{0});
  job.memory_bytes += said.value("memory_bytes", std::int64_t{0});
  for (const Json& worker : said["workers"])
    job.workers.push_back(
        {worker.value("worker", 0), said.value("process", 0), worker.value("doing", ""),
         worker.value("place", ""), worker.value("iterations", std::uint64_t{0}),
         worker.value("operations", std::uint64_t{0}), worker.value("block_wait_seconds", 0.0),
         worker.value("barrier_seconds", 0.0), worker.value("used_bytes", std::int64_t{0}),
         said.value("worker_bytes", std::int64_t{0})});
}

std::string time_of(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string share_of(double part, double all) {
  return all > 0 ? fmt::format("{:.0f} %", 100 * std::clamp(part / all, 0.0, 1.0)) : "-";
}

std::string_view file_of(std::string_view place) {
  return place.substr(place.find_last_of('/') + 1);
}

/// "waits: block" of "waits for a block".
std::string short_of(std::string_view doing) {
  for (const std::string_view start : {"waits for a ", "waits for other ", "waits for "})
    if (doing.starts_with(start)) return "waits: " + std::string(doing.substr(start.size()));
  return std::string(doing);
}

/// The last `width` characters: of a place, the line number counts most.
std::string last_of(std::string_view text, std::size_t width) {
  return text.size() <= width ? std::string(text)
                              : "~" + std::string(text.substr(text.size() - width + 1));
}

std::string print_workers(const LiveJob& job, std::size_t width) {
  // Columns, but for the two whose contents vary. Where there is too little, the others follow
  // below.
  const std::size_t others = width < 75 ? 12 : 55;
  std::size_t does = 4;
  std::size_t at = 2;
  for (const LiveWorker& worker : job.workers) {
    does = std::max(does, short_of(worker.doing).size());
    at = std::max(at, file_of(worker.place).size());
  }
  const std::size_t left = std::max(width, others + 20) - others;
  at = std::min(at, std::max(left - std::min(left, does), std::size_t{14}));
  does = std::min(does, left - at);
  std::vector<std::vector<std::string>> rows = {
      {"", "does", "at", "iterated", "operations", "blocks", "barriers", "memory"}};
  for (const LiveWorker& worker : job.workers)
    rows.push_back({fmt::format("{:>4}", worker.number), short_of(worker.doing).substr(0, does),
                    last_of(file_of(worker.place), at), fmt::format("{}", worker.iterations),
                    fmt::format("{}", worker.operations),
                    share_of(worker.block_wait_seconds, job.program_seconds),
                    share_of(worker.barrier_seconds, job.program_seconds),
                    base::format_bytes(worker.used_bytes)});
  const std::array<base::Column, 8> columns = {{{5, true},
                                                {does + 1, true},
                                                {at + 1, true},
                                                {9, false},
                                                {11, false},
                                                {7, false},
                                                {9, false},
                                                {10, false}}};
  return base::print_table(columns, rows, width);
}

std::string print_job(const LiveJob& job, std::size_t width) {
  std::string text = base::wrap(
      fmt::format("job {}  {}{}{}", job.number, job.title.empty() ? job.program : job.title,
                  job.method.empty() ? "" : ", ", job.method),
      width, 2);
  text +=
      "\n" + base::wrap(fmt::format("  program {} ({} of {}) for {}, {} in total; memory {} of {}",
                                    job.program, job.program_number, job.programs,
                                    time_of(job.program_seconds), time_of(job.seconds),
                                    base::format_bytes(job.rss_bytes),
                                    base::format_bytes(job.memory_bytes)),
                        width, 2);
  if (job.processes_seen < job.processes)
    text += "\n" + base::wrap(fmt::format("  {} of {} processes are on this machine",
                                          job.processes_seen, job.processes),
                              width, 2);
  return text + "\n" + print_workers(job, width);
}

/// Adds what one process answered; throws for what none of ours answers.
void add_answer(const std::string& answer, int wanted, std::map<int, LiveJob>& jobs) {
  const Json said = Json::parse(answer, nullptr, false);
  if (!said.is_object() || !said.contains("workers") || !said["workers"].is_array()) return;
  const int number = said.value("job", 0);
  if (wanted != 0 && number != wanted) return;
  const auto known = jobs.find(number);
  LiveJob entry = known == jobs.end() ? LiveJob{} : known->second;
  entry.number = number;
  add_process(entry, said);
  jobs[number] = std::move(entry);
}

}  // namespace

Top read_top(std::span<const std::string> answers, int job) {
  std::map<int, LiveJob> jobs;
  for (const std::string& answer : answers) {
    try {
      add_answer(answer, job, jobs);
    } catch (const Json::exception&) {
      continue;  // a value of the wrong type: no job of ours said that
    }
  }
  Top top;
  for (auto& [number, entry] : jobs) {
    std::ranges::sort(entry.workers, {}, &LiveWorker::number);
    top.jobs.push_back(std::move(entry));
  }
  return top;
}

std::string print(const Top& top, std::size_t width) {
  if (top.jobs.empty() && top.silent.empty()) return "no blockyard runs here\n";
  std::string text;
  for (const LiveJob& job : top.jobs) text += (text.empty() ? "" : "\n") + print_job(job, width);
  for (const std::string& name : top.silent) {
    const std::size_t dash = name.find('-');
    text += fmt::format("job {}, process {}: does not answer (stopped, or its node is very busy)\n",
                        name.substr(0, dash), name.substr(dash + 1));
  }
  return base::showable(text);
}

std::string json_of(const Top& top) {
  Json jobs = Json::array();
  for (const LiveJob& job : top.jobs) {
    Json workers = Json::array();
    for (const LiveWorker& worker : job.workers)
      workers.push_back({{"worker", worker.number},
                         {"process", worker.process},
                         {"doing", worker.doing},
                         {"place", worker.place},
                         {"iterations", worker.iterations},
                         {"operations", worker.operations},
                         {"block_wait_seconds", worker.block_wait_seconds},
                         {"barrier_seconds", worker.barrier_seconds},
                         {"used_bytes", worker.used_bytes},
                         {"budget_bytes", worker.budget_bytes}});
    jobs.push_back({{"job", job.number},
                    {"title", job.title},
                    {"method", job.method},
                    {"program", job.program},
                    {"program_number", job.program_number},
                    {"programs", job.programs},
                    {"processes", job.processes},
                    {"processes_seen", job.processes_seen},
                    {"seconds", job.seconds},
                    {"program_seconds", job.program_seconds},
                    {"rss_bytes", job.rss_bytes},
                    {"memory_bytes", job.memory_bytes},
                    {"workers", workers}});
  }
  return Json({{"jobs", jobs}, {"silent", top.silent}})
             .dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace blockyard::report
