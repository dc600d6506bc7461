// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "plugins/common/operation.h"
#include "plugins/device_opencl/kernels.h"
#include "plugins/device_opencl/memory.h"

namespace blockyard::opencl {

struct Options {
  std::uint64_t memory_bytes = 0;  ///< 0: what the device has
  std::uint64_t units = 0;         ///< compute units to use; 0: all
  std::string cache;               ///< folder of binaries; empty: none
};

/// An ordered queue. Its last command stands for all before it: each command waits for the one
/// before, so that a failure reaches all that follow.
struct Stream {
  Queue queue;
  Event last;
  bool has_failed = false;
};

/// A recorded place in a stream.
struct Point {
  Event last;
  bool has_failed = false;
};

/// A prepared operation.
struct Plan {
  blockyard_operation operation{};
  plugin::Form form;
  Buffer form_buffer;  ///< the form as kernels.cl reads it
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  Tile tile;                     ///< rows 0: not packed into tiles
  std::int64_t right_begin = 0;  ///< of the packed right operand in the workspace, elements
  std::uint64_t workspace_bytes = 0;
};

/// One open device. One thread at a time, except what says otherwise.
class Machine {
 public:
  /// Throws Failure or std::runtime_error.
  Machine(cl_device_id device, const Options& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  [[nodiscard]] Stream* open_stream();
  void close_stream(Stream* stream);
  [[nodiscard]] Point* open_point() { return &points_.emplace_back(); }
  void close_point(Point* point);
  /// Waits for all queues. Any thread may wait for one with clFinish.
  void finish_all() noexcept;

  // Work. Throws Failure if it cannot be enqueued: the stream has failed then.
  void wait(Stream& stream, const Point& point);
  void write(Stream& stream, Memory::Place to, const void* from, std::uint64_t bytes);
  void read(Stream& stream, void* to, Memory::Place from, std::uint64_t bytes);
  void copy(Stream& stream, Memory::Place to, Memory::Place from, std::uint64_t bytes);
  void fill(Stream& stream, Memory::Place to, std::uint32_t element, const double value[2],
            std::uint64_t count);

  /// The operation has been analysed.
  [[nodiscard]] Plan* open_plan(const blockyard_operation& operation, plugin::Form form);
  void close_plan(Plan* plan);
  struct Places {
    Memory::Place result, left, right, workspace;
  };
  void run(Stream& stream, const Plan& plan, const blockyard_run& run, const Places& places);

  [[nodiscard]] std::string name() const;
  Memory& memory() noexcept { return *memory_; }

 private:
  struct Grid {
    std::array<std::size_t, 3> items{1, 1, 1};
    std::optional<std::size_t> group;  ///< work items of a group in the first dimension
  };
  Kernels& kernels(std::uint32_t element);
  template <class Call>
  void enqueue(Stream& stream, const char* name, const Call& call);
  template <class... Arguments>
  void launch(Stream& stream, const Kernel& kernel, Grid grid, const Arguments&... arguments);
  void run_permute(Stream& stream, const Plan& plan, const blockyard_run& run,
                   const Places& places);
  void run_plain(Stream& stream, const Plan& plan, const blockyard_run& run, const Places& places);
  void run_tiled(Stream& stream, const Plan& plan, const blockyard_run& run, const Places& places);

  cl_device_id device_;
  bool is_cpu_;
  std::string cache_;
  Context context_;
  std::optional<Memory> memory_;
  std::array<std::optional<Kernels>, 4> kernels_;  ///< by element; made when first needed
  std::list<Stream> streams_;
  std::list<Point> points_;
  std::list<Plan> plans_;
};

}  // namespace blockyard::opencl
