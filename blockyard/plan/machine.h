// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::plan {

/// The processor of this machine, as the system calls it.
[[nodiscard]] std::string processor_name();

/// The speed of a machine: measured by `blockyard calibrate` and used by plans. Rates of
/// one core, in seconds and bytes.
struct Machine {
  std::string name = "assumed: not calibrated";
  int cores = 1;

  /// Flops per second of a product m x k times k x n, for m, n, k of `sizes`; n fastest, then k.
  static constexpr std::array<double, 5> sizes = {1, 4, 16, 64, 256};
  std::vector<double> contraction_flops;

  double permute_bytes = 4e9;         ///< per second, read and written together
  double copy_bytes = 8e9;            ///< the same, in order
  double instruction_seconds = 1e-8;  ///< one opcode
  double block_seconds = 2e-7;        ///< one statement on blocks, without its arithmetic
  double get_seconds = 1e-5;          ///< a block of this process that the cache does not hold
  double put_seconds = 1e-5;
  double barrier_seconds = 2e-5;
  double collective_seconds = 2e-5;
  double start_seconds = 0.02;  ///< from the command to the first instruction
  /// How many times as long a whole job takes as its parts, one kind after the other.
  double job_ratio = 1;

  /// Electron repulsion by the sum L of the angular momenta of four shells: seconds of a quartet,
  /// and of each of its quartets of primitives.
  std::vector<double> quartet_seconds;
  std::vector<double> primitive_seconds;
  double denominator_seconds = 2e-9;  ///< an element of a block divided by its denominator
  double eigen_seconds = 2e-9;        ///< times n^3: eigenvectors of a matrix of n rows

  double disk_read_bytes = 5e8;  ///< per second
  double disk_write_bytes = 5e8;
  double fabric_latency_seconds = 5e-6;  ///< a block of another process
  double fabric_bytes = 5e9;             ///< per second and process

  double worker_rss_bytes = 6e6;  ///< of a worker besides its blocks: stacks, integral engines

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// The default where nothing was measured: one core of a server of 2023.
[[nodiscard]] Machine assumed_machine();

/// Flops per second of m x k times k x n, between the sizes that were measured.
[[nodiscard]] double contraction_rate(const Machine& machine, double m, double n, double k);

/// The machine file (docs/plan.md) as text, and back. Missing keys keep their defaults.
/// Throws Error{bad_input} that begins with "file:line:" and names the nearest key.
[[nodiscard]] std::string print_machine(const Machine& machine);
[[nodiscard]] Machine parse_machine(std::string_view text, const std::string& path);
/// Throws Error{io} too.
[[nodiscard]] Machine read_machine(const std::string& path);

}  // namespace blockyard::plan
