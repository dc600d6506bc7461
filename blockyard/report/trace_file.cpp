// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/trace_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "blockyard/base/error.h"
#include "blockyard/block/lanes.h"
#include "blockyard/job/processes.h"
#include "blockyard/server/server.h"
#include "blockyard/wire/messages.h"
#include "blockyard/worker/live.h"

namespace blockyard::report {

namespace {

/// Compresses text as it comes.
class Gzip {
 public:
  Gzip() {
    constexpr int with_gzip_header = 15 + 16;
    base::require(deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, with_gzip_header, 8,
                               Z_DEFAULT_STRATEGY) == Z_OK,
                  "zlib has memory");
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  template <class Format, class... Values>
  void add(const Format& format, const Values&... values) {
    fmt::format_to(std::back_inserter(waiting_), format, values...);
    if (waiting_.size() < least_bytes) return;
    compress({waiting_.data(), waiting_.size()}, Z_NO_FLUSH);
    waiting_.clear();
  }
  [[nodiscard]] std::string take() {
    compress({waiting_.data(), waiting_.size()}, Z_FINISH);
    return std::move(out_);
  }

 private:
  void compress(std::string_view text, int flush) {
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      std::array<char, 1 << 15> piece;
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream_, flush);
      out_.append(piece.data(), piece.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }
  /// zlib is slow with a line at a time.
  static constexpr std::size_t least_bytes = std::size_t{1} << 16;

  z_stream stream_{};
  fmt::memory_buffer waiting_;
  std::string out_;
};

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view file_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// "get v (ccsd.sial:12)".
std::string name_of(const program::Program& program, std::int32_t pc) {
  using program::OperandKind;
  const program::Instruction& instruction = program.code[static_cast<std::size_t>(pc)];
  const program::OpcodeRow& row = program::row_of(instruction.opcode);
  constexpr int on_blocks = program::effect::gets | program::effect::puts | program::effect::writes;
  std::string name(row.name);
  const auto a = static_cast<std::size_t>(instruction.a);
  if (row.operands[0] == OperandKind::special) name = program.specials[a].name;
  if (row.operands[0] == OperandKind::selector && (row.effects & on_blocks) != 0)
    name += " " + program.arrays[static_cast<std::size_t>(program.selectors[a].array)].name;
  return fmt::format("{} ({})", name, file_of(program::place_of(program, pc)));
}

/// Writes the events of all ranks, names made once for each instruction.
class Writer {
 public:
  Writer(const job::Job& job, const job::Results& results)
      : job_(job), results_(results), process_of_(job::place_ranks(job)), names_(job.steps.size()) {
    for (std::size_t k = 0; k < names_.size(); ++k)
      names_[k].resize(job.steps[k].program.code.size());
  }

  [[nodiscard]] std::string write() {
    out_.add(FMT_COMPILE("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"));
    for (int process = 0; process < job_.processes; ++process)
      add_event(FMT_COMPILE(
                    R"("ph":"M","name":"process_name","pid":{0},"args":{{"name":"process {0}"}})"),
                process);
    for (std::size_t rank = 0; rank < results_.ranks.size(); ++rank) write_rank(rank);
    out_.add(FMT_COMPILE("\n],\n\"otherData\":{{\"title\":{},\"joined_events\":\"{}\"}}}}\n"),
             json_text(job_.title), joined_);
    return out_.take();
  }

 private:
  static constexpr int lanes = 16;  ///< track numbers of a rank

  template <class Format, class... Values>
  void add_event(const Format& format, const Values&... values) {
    out_.add(FMT_COMPILE("{}"), is_first_ ? "{" : ",\n{");
    out_.add(format, values...);
    out_.add(FMT_COMPILE("}}"));
    is_first_ = false;
  }

  void write_rank(std::size_t rank) {
    const bool is_worker = rank < static_cast<std::size_t>(job_.workers);
    const std::size_t number = is_worker ? rank : rank - static_cast<std::size_t>(job_.workers);
    const std::string role = fmt::format("{} {}", is_worker ? "worker" : "server", number);
    const job::RankRecord& record = results_.ranks[rank];
    std::array<bool, lanes> is_named{};
    for (const base::TraceEvent& event : record.trace) {
      const int lane = std::min<int>(event.lane, lanes - 1);
      if (!std::exchange(is_named[static_cast<std::size_t>(lane)], true))
        name_track(rank, lane, role, is_worker);
      write_event(rank, lane, is_worker, event);
    }
    for (const base::MemorySample& sample : record.memory) {
      std::int64_t bytes = 0;
      for (const std::int64_t part : sample.bytes) bytes += part;
      add_event(FMT_COMPILE(
                    R"("ph":"C","name":"memory of {}","pid":{},"ts":{:.3f},"args":{{"bytes":{}}})"),
                role, process_of_[rank], sample.at_seconds * 1e6, bytes);
    }
  }

  void write_event(std::size_t rank, int lane, bool is_worker, const base::TraceEvent& event) {
    std::string name = is_worker ? worker_name(event) : server_name(event);
    if (event.joined > 0) {
      name.pop_back();  // the quotation mark
      fmt::format_to(std::back_inserter(name), FMT_COMPILE(" and {} more\""), event.joined);
      joined_ += event.joined;
    }
    const std::uint64_t begin = nanoseconds(event.begin_seconds);
    const std::uint64_t length = nanoseconds(event.seconds);
    add_event(
        FMT_COMPILE(
            R"("ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03})"),
        name, is_worker ? category(event) : "server", process_of_[rank], track(rank, lane),
        begin / 1000, begin % 1000, length / 1000, length % 1000);
  }

  /// Whole numbers are written several times as fast as those with a point.
  [[nodiscard]] static std::uint64_t nanoseconds(double seconds) {
    return static_cast<std::uint64_t>(std::max(0.0, seconds) * 1e9);
  }

  [[nodiscard]] static std::size_t track(std::size_t rank, int lane) {
    return rank * lanes + static_cast<std::size_t>(lane) + 1;
  }

  void name_track(std::size_t rank, int lane, const std::string& role, bool is_worker) {
    std::string name = role;
    if (lane > 0 && !is_worker) name += fmt::format(", disk {}", lane);
    if (lane > 0 && is_worker) name += fmt::format(", {}", lane_name(lane));
    add_event(
        FMT_COMPILE(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}})"),
        process_of_[rank], track(rank, lane), name);
    add_event(
        FMT_COMPILE(
            R"("ph":"M","name":"thread_sort_index","pid":{0},"tid":{1},"args":{{"sort_index":{1}}})"),
        process_of_[rank], track(rank, lane));
  }

  /// Of a device: block::Lanes.
  [[nodiscard]] static std::string lane_name(int lane) {
    if (lane == 1 + block::Lanes::in) return "copies to the device";
    if (lane == 1 + block::Lanes::out) return "copies from the device";
    return fmt::format("kernels {}", lane - block::Lanes::first_kernel);
  }

  [[nodiscard]] static std::string_view category(const base::TraceEvent& event) {
    if (event.lane > 0) return "stream";
    constexpr std::array<std::string_view, worker::event_kinds> names = {
        "instruction", "wait", "wait", "wait", "pardo", "program"};
    return event.kind < names.size() ? names[event.kind] : "stream";
  }

  [[nodiscard]] std::string worker_name(const base::TraceEvent& event) {
    using worker::EventKind;
    if (event.lane == 1 + block::Lanes::in || event.lane == 1 + block::Lanes::out)
      return fmt::format("\"copy {} KiB\"", event.what);
    if (event.lane > 0) return statement_name(event);
    switch (static_cast<EventKind>(event.kind)) {
      case EventKind::block_wait:
        return "\"wait for a block\"";
      case EventKind::barrier_wait:
        return "\"wait for other workers\"";
      case EventKind::put_wait:
        return "\"wait for puts\"";
      case EventKind::program:
        return json_text(job_.steps[event.program].name);
      case EventKind::instruction:
      case EventKind::pardo:
        break;
    }
    return statement_name(event);
  }

  [[nodiscard]] const std::string& statement_name(const base::TraceEvent& event) {
    std::string& name = names_[event.program][static_cast<std::size_t>(event.what)];
    if (name.empty()) name = json_text(name_of(job_.steps[event.program].program, event.what));
    return name;
  }

  [[nodiscard]] static std::string server_name(const base::TraceEvent& event) {
    if (event.lane >= server::Server::first_disk_lane)
      return fmt::format("\"{} {} KiB\"", event.kind == 0 ? "read" : "write", event.what);
    return fmt::format("\"{} (worker {})\"", wire::message_names.at(event.kind).on_time_line,
                       event.what);
  }

  const job::Job& job_;
  const job::Results& results_;
  std::vector<int> process_of_;
  std::vector<std::vector<std::string>> names_;  ///< by program and pc, quoted
  Gzip out_;
  std::uint64_t joined_ = 0;
  bool is_first_ = true;
};

}  // namespace

std::string trace_file(const job::Job& job, const job::Results& results) {
  return Writer(job, results).write();
}

}  // namespace blockyard::report
