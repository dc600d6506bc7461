// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/machine.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "plugins/common/options.h"
#include "plugins/device_opencl/launch.h"

namespace blockyard::opencl {
namespace {

/// A device cut into parts with this many compute units each, all in one call: then each has cores
/// of its own. Each opening gets the next part. They are kept until the process ends: PoCL's
/// threads may touch one after its last release.
class Parts {
 public:
  Parts(cl_device_id device, std::uint64_t units) {
    const std::array<cl_device_partition_property, 3> equally = {
        CL_DEVICE_PARTITION_EQUALLY, static_cast<cl_device_partition_property>(units), 0};
    cl_uint count = 0;
    check(clCreateSubDevices(device, equally.data(), 0, nullptr, &count), "clCreateSubDevices");
    parts_.resize(count);
    check(clCreateSubDevices(device, equally.data(), count, parts_.data(), nullptr),
          "clCreateSubDevices");
  }
  [[nodiscard]] Machine::Part next() {
    const std::size_t number = next_++ % parts_.size();
    return {parts_[number],
            " part " + std::to_string(number + 1) + " of " + std::to_string(parts_.size())};
  }

 private:
  std::vector<cl_device_id> parts_;
  std::size_t next_ = 0;
};

std::string default_cache() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0')
    return std::string(folder) + "/blockyard/opencl";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/blockyard/opencl";
  return {};
}

/// All of the device, or the next part of it.
Machine::Part part_of(cl_device_id device, std::uint64_t units) {
  static std::mutex mutex;
  static std::map<std::pair<cl_device_id, std::uint64_t>, Parts> parts;
  if (units == 0 || units >= property<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS))
    return {device, ""};
  const std::lock_guard lock(mutex);
  return parts.try_emplace({device, units}, device, units).first->second.next();
}

}  // namespace

Machine::Options::Options() : cache(default_cache()) {}

std::string Machine::read_option(Options& options, std::string_view key, std::string_view value) {
  if (key == "memory") return plugin::read_number(value, options.memory_bytes);
  if (key == "units") return plugin::read_number(value, options.units);
  if (key == "in_place") return plugin::read_number(value, options.in_place);
  if (key == "network" && value == "1") return "";  // no buffer of OpenCL is known to a network
  if (key != "cache") return "this device knows memory=, units=, cache=, in_place= and network=1";
  options.cache = value == "none" ? "" : value;
  return "";
}

Machine::Machine(std::uint32_t index, const Options& options)
    : Machine(part_of(find_devices().at(index), options.units), options) {}

Machine::Machine(const Part& part, const Options& options)
    : device_(part.device),
      part_name_(part.name),
      is_cpu_((property<cl_device_type>(device_, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0),
      is_free_known_(is_cpu_ || options.memory_bytes != 0 ||
                     property<cl_bool>(device_, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_FALSE),
      cache_(options.cache),
      pieces_(options.memory_bytes != 0 ? options.memory_bytes
                                        : property<cl_ulong>(device_, CL_DEVICE_GLOBAL_MEM_SIZE)) {
  cl_int code = CL_SUCCESS;
  context_ = Context(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  works_in_place_ = is_cpu_ && options.in_place != 0 && try_in_place();
}

Machine::~Machine() { finish_all(); }

std::string Machine::name() const { return text_property(device_, CL_DEVICE_NAME) + part_name_; }

Machine::Stream* Machine::open_stream() {
  cl_int code = CL_SUCCESS;
  Queue queue(clCreateCommandQueue(context_.get(), device_, CL_QUEUE_PROFILING_ENABLE, &code));
  check(code, "clCreateCommandQueue");
  return &streams_.emplace_back(Stream{std::move(queue), {}, false});
}

void Machine::close_stream(Stream* stream) {
  clFinish(stream->queue.get());
  streams_.remove_if([stream](const Stream& one) { return &one == stream; });
}

Machine::Point* Machine::open_point() {
  auto made = std::make_unique<Point>();
  Point* const point = made.get();
  points_.emplace(point, std::move(made));
  return point;
}

void Machine::close_point(Point* point) { points_.erase(point); }

void Machine::record(Point& point, Stream& stream) {
  clFlush(stream.queue.get());  // a waiter in another queue must see it begin
  point.last = stream.last;
}

void Machine::finish_all() noexcept {
  for (const Stream& stream : streams_) clFlush(stream.queue.get());
  for (const Stream& stream : streams_) clFinish(stream.queue.get());
}

Machine::Pending Machine::pending(Stream& stream) {
  clFlush(stream.queue.get());
  return stream.last;
}

bool Machine::is_done(const Pending& pending) {
  cl_int state = CL_COMPLETE;
  if (pending)
    check(clGetEventInfo(pending.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                         nullptr),
          "clGetEventInfo");
  return state <= CL_COMPLETE;
}

void Machine::finish(const Pending& pending) {
  if (!pending) return;
  const cl_event event = pending.get();
  check(clWaitForEvents(1, &event), "work on a stream");
}

void Machine::wait(Stream& stream, const Point& point) {
  if (!point.last) return;
  std::array<cl_event, 2> events = {point.last.get(), stream.last.get()};
  enqueue(stream, "clEnqueueBarrierWithWaitList",
          [&](cl_command_queue queue, cl_uint before, const cl_event*, cl_event* done) {
            return clEnqueueBarrierWithWaitList(queue, before + 1, events.data(), done);
          });
}

void Machine::write(Stream& stream, Place to, const void* from, std::uint64_t bytes) {
  enqueue(stream, "clEnqueueWriteBuffer", [&](auto queue, auto... events) {
    return clEnqueueWriteBuffer(queue, to.buffer, CL_FALSE, to.offset, bytes, from, events...);
  });
}

void Machine::read(Stream& stream, void* to, Place from, std::uint64_t bytes) {
  enqueue(stream, "clEnqueueReadBuffer", [&](auto queue, auto... events) {
    return clEnqueueReadBuffer(queue, from.buffer, CL_FALSE, from.offset, bytes, to, events...);
  });
}

void Machine::copy(Stream& stream, Place to, Place from, std::uint64_t bytes) {
  enqueue(stream, "clEnqueueCopyBuffer", [&](auto queue, auto... events) {
    return clEnqueueCopyBuffer(queue, from.buffer, to.buffer, from.offset, to.offset, bytes,
                               events...);
  });
}

void Machine::fill(Stream& stream, Place to, std::uint32_t element, const double value[2],
                   std::uint64_t count) {
  const Element pattern = element_of(element, value);
  enqueue(stream, "clEnqueueFillBuffer", [&](auto queue, auto... events) {
    return clEnqueueFillBuffer(queue, to.buffer, pattern.space.data(), pattern.bytes, to.offset,
                               pattern.bytes * count, events...);
  });
}

Kernels& Machine::kernels(std::uint32_t element) {
  auto& kernels = kernels_[element];
  if (!kernels) kernels = build_kernels(context_.get(), device_, element, cache_);
  return *kernels;
}

void Machine::close_plan(Plan* plan) {
  finish_all();
  constexpr std::size_t most_bytes = 1 << 15;
  if (plan->kernel && past_choices_.size() < most_bytes) {
    plan->kernel->launches->collect();
    past_choices_ += plan->kernel->launches->lines();
  }
  plans_.remove_if([plan](const Plan& one) { return &one == plan; });
}

void Machine::run(Stream& stream, const Plan& plan, const blockyard_run& run,
                  const Places& places) {
  if (!plan.steps.empty())
    run_whole(stream, plan, run, places);
  else if (plan.fft)
    run_transform(stream, *plan.fft, run.alpha[0], places);
  else if (!plugin::has_right(plan.operation))
    run_permute(stream, plan, run, places);
  else if (plan.tile.rows > 0)
    run_tiled(stream, plan, run, places);
  else
    run_plain(stream, plan, run, places);
}

void Machine::run_permute(Stream& stream, const Plan& plan, const blockyard_run& run,
                          const Places& places) {
  constexpr cl_long tile = 32, long_run = 1 << 14;  // elements: both in the nearest cache
  const plugin::Axes& axes = plan.form.m;
  cl_long fast = 0;
  for (std::size_t at = 1; at < axes.size(); ++at)
    if (axes[at].stride[plugin::of_left] == 1) fast = static_cast<cl_long>(at);
  const cl_long rows = fast > 0 ? tile : long_run, columns = fast > 0 ? tile : 1;
  Grid grid;
  for (std::size_t at = 0; at < axes.size(); ++at)
    if (at == 0)
      grid.items[0] = pieces(axes[at].extent, rows);
    else if (static_cast<cl_long>(at) == fast)
      grid.items[1] = pieces(axes[at].extent, columns);
    else
      grid.items[2] *= static_cast<std::size_t>(axes[at].extent);
  const std::uint32_t type = plan.operation.element;
  launch(stream, kernels(type).permute, grid, plan.form_buffer.get(), places.left.buffer,
         elements(places.left, plan), places.result.buffer, elements(places.result, plan), fast,
         rows, columns, static_cast<cl_int>(plan.operation.flags & blockyard_conjugate_left),
         element_of(type, run.alpha), element_of(type, run.beta));
}

void Machine::run_plain(Stream& stream, const Plan& plan, const blockyard_run& run,
                        const Places& places) {
  constexpr std::size_t dot_items = 64;
  const std::uint32_t type = plan.operation.element;
  const auto flags = static_cast<cl_int>(plan.operation.flags);
  const Element alpha = element_of(type, run.alpha), beta = element_of(type, run.beta);
  Kernels& all = kernels(type);
  if (plan.operation.kind == BLOCKYARD_DOT)
    return launch(stream, all.dot, {{dot_items, 1, 1}, dot_items}, places.left.buffer,
                  elements(places.left, plan), places.right.buffer, elements(places.right, plan),
                  places.result.buffer, elements(places.result, plan), cl_long{plan.k}, flags,
                  alpha, beta, Local{dot_items * alpha.bytes});
  const Grid grid{{static_cast<std::size_t>(plan.m), static_cast<std::size_t>(plan.n),
                   static_cast<std::size_t>(plan.batch)},
                  {}};
  launch(stream, all.contract_plain, grid, plan.form_buffer.get(), places.left.buffer,
         elements(places.left, plan), places.right.buffer, elements(places.right, plan),
         places.result.buffer, elements(places.result, plan), cl_long{plan.k}, flags, alpha, beta);
}

void Machine::run_tiled(Stream& stream, const Plan& plan, const blockyard_run& run,
                        const Places& places) {
  const std::uint32_t type = plan.operation.element;
  Kernels& all = kernels(type);
  const auto batch = static_cast<std::size_t>(plan.batch);
  const std::size_t row_panels = pieces(plan.m, plan.tile.rows);
  const std::size_t column_panels = pieces(plan.n, plan.tile.columns);
  const cl_mem panels = places.workspace.buffer;
  const cl_long left_at = elements(places.workspace, plan), right_at = left_at + plan.right_begin;
  constexpr cl_int m_group = 0, n_group = 33, left_side = 2, right_side = 3;  // as in kernels.cl
  launch(stream, all.pack, {{row_panels, batch, 1}, {}}, plan.form_buffer.get(), m_group, left_side,
         places.left.buffer, elements(places.left, plan), panels, left_at, cl_long{plan.m},
         cl_long{plan.k}, cl_long{plan.tile.rows});
  launch(stream, all.pack, {{column_panels, batch, 1}, {}}, plan.form_buffer.get(), n_group,
         right_side, places.right.buffer, elements(places.right, plan), panels, right_at,
         cl_long{plan.n}, cl_long{plan.k}, cl_long{plan.tile.columns});
  launch(stream, all.multiply, {{row_panels, column_panels, batch}, 1}, plan.form_buffer.get(),
         panels, left_at, right_at, places.result.buffer, elements(places.result, plan),
         cl_long{plan.m}, cl_long{plan.n}, cl_long{plan.k}, element_of(type, run.alpha),
         element_of(type, run.beta));
}

Machine::Plan* Machine::open_transform(const blockyard_operation& operation,
                                       const plugin::Transform& transform) {
  Plan plan;
  plan.operation = operation;
  plan.fft = Fft::plan(transform, context_.get());
  auto& kernels = fft_kernels_[transform.is_single ? 1 : 0];
  if (!kernels) kernels = build_fft_kernels(context_.get(), device_, transform.is_single, cache_);
  plan.workspace_bytes = plan.fft->workspace_bytes();
  return &plans_.emplace_back(std::move(plan));
}

void Machine::run_transform(Stream& stream, const Fft& fft, double factor, const Places& places) {
  // A work item is a loop on a CPU; elsewhere neighbours work on neighbouring elements.
  const cl_long chunk = is_cpu_ ? 1024 : 1;
  const std::uint32_t type = fft.is_single ? BLOCKYARD_F32 : BLOCKYARD_F64;
  const std::size_t real_bytes = plugin::element_bytes(type);
  const auto number = [type](double value) {
    const double parts[] = {value, 0};
    return element_of(type, parts);
  };
  FftKernels& all = *fft_kernels_[fft.is_single ? 1 : 0];
  const auto kernel_of = [&all](std::int64_t radix) -> const Kernel& {
    return radix == 2   ? all.pass2
           : radix == 3 ? all.pass3
           : radix == 4 ? all.pass4
           : radix == 5 ? all.pass5
           : radix == 8 ? all.pass8
                        : all.pass_any;
  };
  Place from = places.left;
  for (std::size_t k = 0; k < fft.steps.size(); ++k) {
    const Fft::Step& step = fft.steps[k];
    const bool is_last = k + 1 == fft.steps.size();
    Place to = is_last ? places.result : places.workspace;
    if (!is_last) to.offset += k % 2 * fft.part_elements * 2 * real_bytes;
    const cl_long from_at = static_cast<cl_long>(from.offset / real_bytes);
    const cl_long to_at = static_cast<cl_long>(to.offset / real_bytes);
    const Element scale = number(is_last ? factor : 1);
    const Grid grid{{pieces(step.items(), chunk), 1, 1}, {}};
    const auto pass = [&](const auto&... more) {
      launch(stream, kernel_of(step.radix), grid, from.buffer, from_at, to.buffer, to_at,
             step.roots.get(), cl_int{step.shift}, cl_long{step.inner}, cl_long{step.to},
             cl_long{step.outer}, cl_long{step.done}, number(step.sign != 0 ? step.sign : fft.sign),
             scale, chunk, more...);
    };
    if (step.is_chirp)
      launch(stream, all.chirp, grid, from.buffer, from_at, to.buffer, to_at, step.roots.get(),
             cl_long{step.inner}, cl_long{step.from}, cl_long{step.to}, cl_long{step.outer},
             number(fft.sign), scale, chunk);
    else if (step.radix == 0)
      launch(stream, all.move, grid, from.buffer, from_at, to.buffer, to_at, cl_long{step.inner},
             cl_long{step.from}, cl_long{step.to}, cl_long{step.outer},
             cl_int{step.is_from_real ? 1 : 0}, cl_int{step.is_to_real ? 1 : 0}, scale, chunk);
    else if (&kernel_of(step.radix) == &all.pass_any)
      pass(cl_long{step.radix});
    else
      pass();
    from = to;
  }
}

}  // namespace blockyard::opencl
