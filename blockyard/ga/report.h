// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "blockyard/fabric/memory.h"
#include "blockyard/garray/array.h"

namespace blockyard::ga {

/// The activity of a process in Global Arrays, by place in the program. Thread-safe (mutex_).
class Report {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Report(std::string path) : path_(std::move(path)) {}

  /// A call is over. place: in the caller's code.
  void add_call(const char* name, void* place, double seconds);
  /// The call at this place moved bytes from or to the memory of a rank.
  void add_bytes(const char* name, void* place, int rank, std::size_t bytes);
  /// One element there was moved or counted.
  void add_element(fabric::Region region, int member, std::size_t offset);
  /// Time in a collective of the fabric.
  void add_waiting(double seconds);
  void add_array(const garray::Array& array);
  void end_array(const garray::Array& array);

  /// Collective. Rank 0 writes the JSON that `blockyard report` shows.
  void write(fabric::Memory& memory);

 private:
  struct Place {
    const char* name = "";
    std::uint64_t calls = 0;
    double seconds = 0;
    std::array<std::uint64_t, 6> sizes = {};  ///< transfers up to 64 bytes, 1, 16, 256 KiB, 4 MiB
    std::vector<std::uint64_t> bytes = {};    ///< by rank
  };
  struct Named {
    std::uint64_t made = 0, bytes = 0, most_bytes = 0;
  };
  [[nodiscard]] Place& place(const char* name, void* at);
  /// Gives the elements of an array that were counted their names, for its memory ends.
  void name_elements(const garray::Array& array);
  /// As lines of fields, to be merged by rank 0.
  [[nodiscard]] std::string own_lines(const fabric::Memory& memory);

  std::string path_;
  std::mutex mutex_;
  std::unordered_map<void*, Place> places_;
  std::map<std::string, Named> arrays_;
  std::map<std::tuple<fabric::Region, int, std::size_t>, std::uint64_t> elements_;
  std::map<std::string, std::uint64_t> hot_;  ///< by name
  double waiting_seconds_ = 0;
  Clock::time_point begun_ = Clock::now();
};

/// Measures one call if there is a report.
class Measured {
 public:
  /// report: null: no measurement.
  Measured(Report* report, const char* name, void* place) noexcept
      : report_(report), name_(name), place_(place) {
    if (report_ != nullptr) begun_ = Report::Clock::now();
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;
  ~Measured() {
    if (report_ != nullptr)
      report_->add_call(name_, place_,
                        std::chrono::duration<double>(Report::Clock::now() - begun_).count());
  }

 private:
  Report* report_;
  const char* name_;
  void* place_;
  Report::Clock::time_point begun_;
};

/// Memory that tells a report what moves and how long collectives take. Must not outlive it.
[[nodiscard]] std::unique_ptr<fabric::Memory> measured_memory(
    std::unique_ptr<fabric::Memory> memory, Report& report);

/// A place in code as "file of code<tab>address in it": the same for all processes of a program.
[[nodiscard]] std::string code_place(void* place);
/// "scf.c:214" for each of such places; "" where debug information does not have it.
[[nodiscard]] std::map<std::string, std::string> lines_of(const std::vector<std::string>& places);

}  // namespace blockyard::ga
