// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "blockyard/fabric/memory.h"
#include "blockyard/ga/sheet.h"
#include "blockyard/garray/array.h"

namespace blockyard::ga {

/// The activity of a process in Global Arrays, by place in the program. Thread-safe: each thread
/// counts on a sheet of its own; mutex_ guards the rest.
class Report {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Report(std::string path) : path_(std::move(path)) {}

  /// The calling thread's.
  [[nodiscard]] Sheet& sheet() {
    if (own_sheet == nullptr) own_sheet = &new_sheet();
    return *own_sheet;
  }
  /// A part of the program that it named, which lives as long as the report. It began at `place`.
  void add_event(const std::string& name, void* place, Clock::duration time);
  /// Time in a collective of the fabric.
  void add_waiting(double seconds);
  void add_array(const garray::Array& array);
  void end_array(const garray::Array& array);

  /// Collective. Rank 0 writes the JSON that `blockyard report` shows.
  void write(fabric::Memory& memory);

 private:
  struct Named {
    std::uint64_t made = 0, bytes = 0, most_bytes = 0;
  };
  [[nodiscard]] Sheet& new_sheet();
  /// Gives the elements of an array that were counted their names, for its memory ends.
  void name_elements(const garray::Array& array);
  /// As lines of fields, to be merged by rank 0.
  [[nodiscard]] std::string own_lines(const fabric::Memory& memory);

  // There is one report in a process.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Sheet* own_sheet;

  std::string path_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Sheet>> sheets_;
  std::map<std::string, Named> arrays_;
  std::map<std::string, std::uint64_t> hot_;  ///< by name
  double waiting_seconds_ = 0;
  Clock::time_point begun_ = Clock::now();
};

/// Measures one call if there is a report. Many short calls of one place are measured in turn: one
/// of `each`, which then stands for as many.
class Measured {
 public:
  /// report: null: no measurement.
  Measured(Report* report, const char* name, void* at) {
    if (report != nullptr) begin(*report, name, at);
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;
  ~Measured() {
    if (is_timed_) end();
  }

 private:
  static constexpr std::uint64_t each = 16, first = 64;
  static constexpr std::int64_t long_nanoseconds = 2000;

  void begin(Report& report, const char* name, void* at) {
    place_ = &report.sheet().place(name, at);
    place_->calls.add(1);
    const std::uint64_t calls = place_->calls.value();
    is_sample_ = calls > first && !place_->is_long;
    is_timed_ = !is_sample_ || calls % each == 0;
    if (is_timed_) begun_ = Report::Clock::now();
  }
  void end() noexcept {
    const auto time =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Report::Clock::now() - begun_).count();
    place_->is_long = time > long_nanoseconds;
    place_->nanoseconds.add(static_cast<std::uint64_t>(time) *
                            (is_sample_ && !place_->is_long ? each : 1));
  }

  Sheet::Place* place_ = nullptr;
  bool is_sample_ = false, is_timed_ = false;
  Report::Clock::time_point begun_;
};

// The call that this thread is in moved bytes from or to the memory of a rank, and perhaps they
// were one element of a member's.
void count_bytes(Report& report, int rank, std::size_t bytes);
void count_element(Report& report, fabric::Region region, int member, std::size_t offset,
                   std::size_t bytes);

/// Memory that tells a report what moves and how long collectives take. Must not outlive it.
[[nodiscard]] std::unique_ptr<fabric::Memory> measured_memory(
    std::unique_ptr<fabric::Memory> memory, Report& report);

}  // namespace blockyard::ga
