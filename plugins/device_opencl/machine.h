// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugins/common/kernel.h"
#include "plugins/common/kernel_shapes.h"
#include "plugins/common/operation.h"
#include "plugins/common/pieces.h"
#include "plugins/common/transform.h"
#include "plugins/device_opencl/fft.h"
#include "plugins/device_opencl/kernels.h"
#include "plugins/device_opencl/whole.h"

namespace blockyard::opencl {

/// One open device: the Machine of plugins/common/edge.h. One thread at a time, except the static
/// functions.
class Machine {
 public:
  struct Options {
    std::uint64_t memory_bytes = 0;  ///< 0: what the device has
    std::uint64_t units = 0;         ///< compute units to use; 0: all
    std::string cache;               ///< folder of binaries; empty: none
    std::uint64_t in_place = 1;      ///< 0: not even where it can work on memory of the host
    Options();
  };
  /// The fault of an option, or "".
  static std::string read_option(Options& options, std::string_view key, std::string_view value);
  [[nodiscard]] static std::uint32_t count() {
    return static_cast<std::uint32_t>(find_devices().size());
  }

  /// Throws Failure or std::runtime_error, as all functions here.
  Machine(std::uint32_t index, const Options& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// A device of OpenCL, or a part of one, with what its name ends in then.
  struct Part {
    cl_device_id device = nullptr;
    std::string name;
  };
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return pieces_.limit_bytes(); }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept {
    return is_free_known_ ? pieces_.free_bytes() : 0;
  }
  /// On a CPU an address is a host pointer; elsewhere it is a number that means nothing.
  [[nodiscard]] bool shares_host_memory() const noexcept { return is_cpu_; }
  [[nodiscard]] bool is_for_network() const noexcept { return is_cpu_; }

  /// A buffer, and the bytes of it before an address.
  struct Place {
    cl_mem buffer = nullptr;
    std::size_t offset = 0;
  };
  /// 0 if out of memory.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  [[nodiscard]] bool release(std::uint64_t address);
  [[nodiscard]] std::optional<Place> find(std::uint64_t address, std::uint64_t bytes) const;

  /// Whether it sees what the host writes and the host what it writes: tried when it was opened.
  [[nodiscard]] bool works_in_place() const noexcept { return works_in_place_; }
  /// Memory of the host as a place, if it works there and nothing allocated begins or lies there.
  [[nodiscard]] std::optional<Place> host_place(std::uint64_t address, std::uint64_t bytes);

  /// An ordered queue. Its last command stands for all before it: each command waits for the one
  /// before, so that a failure reaches all that follow.
  struct Stream {
    Queue queue;
    Event last;
    bool has_failed = false;
    std::string failure = {};
  };
  /// A recorded place in a stream.
  struct Point {
    Event last;
    bool has_failed = false;
  };
  [[nodiscard]] Stream* open_stream();
  void close_stream(Stream* stream);
  [[nodiscard]] Point* open_point();
  void close_point(Point* point);
  void record(Point& point, Stream& stream);

  using Pending = Event;
  [[nodiscard]] Pending pending(Stream& stream);
  [[nodiscard]] Pending pending(const Point& point) { return point.last; }
  /// True also where it failed.
  [[nodiscard]] static bool is_done(const Pending& pending);
  static void finish(const Pending& pending);

  // Work. Where it cannot be enqueued the stream has failed.
  void wait(Stream& stream, const Point& point);
  void write(Stream& stream, Place to, const void* from, std::uint64_t bytes);
  void read(Stream& stream, void* to, Place from, std::uint64_t bytes);
  void copy(Stream& stream, Place to, Place from, std::uint64_t bytes);
  void fill(Stream& stream, Place to, std::uint32_t element, const double value[2],
            std::uint64_t count);

  /// A kernel of the user's own as a compiler left it.
  struct Compiled {
    Program program;
    Kernel kernel;
  };
  /// How the grids of a kernel are cut, and the runs that will show how good that is.
  struct Launches {
    std::string name;
    plugin::KernelShapes shapes;
    std::filesystem::path file;  ///< of what earlier processes found; empty: none
    std::vector<std::pair<Event, plugin::KernelShapes::Launched>> running;
    std::string driver_text;  ///< with the driver's functions, if the usual text has ours
    Compiled driver;          ///< that, once a run has needed it

    void collect();
    [[nodiscard]] std::string lines() const { return shapes.choices_of(name); }
  };
  /// A compiled kernel of the user's own.
  struct KernelPlan {
    plugin::KernelForm form;
    Compiled usual;
    std::int64_t most_items = 1;  ///< of a group
    std::unique_ptr<Launches> launches;
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
    std::optional<KernelPlan> kernel;  ///< of the user's own; nothing else stands for it then
    std::optional<Fft> fft;            ///< the same of a transform
    std::vector<WholeStep> steps;      ///< the same of a triangle or factors; empty: it is none
    std::vector<Plan> products;        ///< of the steps, in order
  };
  [[nodiscard]] Plan* open_plan(const blockyard_operation& operation, plugin::Form form);
  [[nodiscard]] Plan* open_transform(const blockyard_operation& operation,
                                     const plugin::Transform& transform);
  /// Null: it has only triangles that are solved, and factors of LU and Cholesky.
  [[nodiscard]] Plan* open_whole(const blockyard_operation& operation, const plugin::Whole& whole);
  /// Null: it has no text for OpenCL. Throws plugin::Refusal with the compiler's log.
  [[nodiscard]] Plan* open_kernel(const blockyard_kernel& kernel);
  void run_kernel(Stream& stream, const Plan& plan, const blockyard_kernel_run& run,
                  const Place* places);
  void close_plan(Plan* plan);
  /// The shapes of launches, also of plans that were closed.
  [[nodiscard]] std::string choices();
  struct Places {
    Place result, left, right, workspace;
  };
  void run(Stream& stream, const Plan& plan, const blockyard_run& run, const Places& places);

 private:
  struct Grid {
    std::array<std::size_t, 3> items{1, 1, 1};
    std::optional<std::size_t> group;  ///< work items of a group in the first dimension
  };
  Kernels& kernels(std::uint32_t element);
  [[nodiscard]] Compiled compile(const std::string& text);
  [[nodiscard]] const Kernel& kernel_of(const KernelPlan& plan, bool is_driver);
  [[nodiscard]] static plugin::Launch shaped(const KernelPlan& plan,
                                             const blockyard_kernel_run& run,
                                             plugin::KernelShapes::Launched& launched);
  template <class Call>
  void enqueue(Stream& stream, const char* name, const Call& call) {
    const cl_event before = stream.last.get();
    cl_event done = nullptr;
    const cl_int code = call(stream.queue.get(), before == nullptr ? 0U : 1U,
                             before == nullptr ? nullptr : &before, &done);
    if (code != CL_SUCCESS) stream.has_failed = true;
    check(code, name);
    stream.last = Event(done);
  }
  template <class... Arguments>
  void launch(Stream& stream, const Kernel& kernel, Grid grid, const Arguments&... arguments);
  void run_permute(Stream& stream, const Plan& plan, const blockyard_run& run,
                   const Places& places);
  void run_plain(Stream& stream, const Plan& plan, const blockyard_run& run, const Places& places);
  void run_tiled(Stream& stream, const Plan& plan, const blockyard_run& run, const Places& places);
  [[nodiscard]] Plan make_plan(const blockyard_operation& operation, plugin::Form form);
  void run_whole(Stream& stream, const Plan& plan, const blockyard_run& run, const Places& places);
  void run_transform(Stream& stream, const Fft& fft, double factor, const Places& places);

  struct FreeAligned {
    void operator()(std::byte* bytes) const noexcept;
  };
  struct Piece {
    std::unique_ptr<std::byte, FreeAligned> host;  ///< on a CPU; outlives the buffer over it
    Buffer buffer;
  };
  Machine(const Part& part, const Options& options);
  void finish_all() noexcept;
  [[nodiscard]] Buffer over(void* host, std::uint64_t bytes);
  [[nodiscard]] bool try_in_place();

  cl_device_id device_;
  std::string part_name_;
  bool is_cpu_;
  bool is_free_known_;  ///< false: a GPU in the memory of the host, without a limit
  std::string cache_;
  Context context_;
  plugin::Pieces<Piece> pieces_;
  bool works_in_place_ = false;
  using Views = std::map<std::pair<std::uint64_t, std::uint64_t>, Buffer>;  ///< by address, bytes
  Views views_, old_views_;                                                 ///< of host memory
  std::uint64_t next_address_ = 1 << 20;           ///< where addresses are no pointers
  std::array<std::optional<Kernels>, 4> kernels_;  ///< by element; made when first needed
  std::array<std::optional<WholeKernels>, 4> whole_kernels_;  ///< the same
  std::array<std::optional<FftKernels>, 2> fft_kernels_;      ///< f64, f32; the same
  std::list<Stream> streams_;
  std::unordered_map<const Point*, std::unique_ptr<Point>> points_;  ///< many: one for each copy
  std::list<Plan> plans_;
  std::string past_choices_;  ///< of closed plans
};

}  // namespace blockyard::opencl
