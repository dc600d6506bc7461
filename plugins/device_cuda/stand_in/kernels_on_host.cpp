// SPDX-License-Identifier: Apache-2.0
// The plug-in's kernels as work of streams, on the processor.
#include <mutex>
#include <tuple>
#include <vector>

#include "plugins/device_cuda/kernels.h"
#include "plugins/device_cuda/stand_in/world.h"
#include "plugins/device_cuda/threads_on_host.h"

namespace blockyard::cuda {
namespace {

using namespace stand_in;

template <class T>
struct Job;  // of moving.h, which wants `launch` first

std::uint64_t elements_of(const Walk& walk, const std::int64_t* strides) {
  std::int64_t last = 0;
  for (int axis = 0; axis < walk.order; ++axis) last += (walk.extent[axis] - 1) * strides[axis];
  return static_cast<std::uint64_t>(last) + 1;
}

template <class T, class... Rest>
std::vector<Access> accesses_of(const Job<T>& job, const Rest&...) {
  return {reading(job.from, elements_of(job.walk, job.walk.from) * sizeof(T)),
          writing(job.result, elements_of(job.walk, job.walk.to) * sizeof(T))};
}
template <class T>
std::vector<Access> accesses_of(T* to, const T&, std::uint64_t count) {
  return {writing(to, count * sizeof(T))};
}
template <class... Arguments>
std::vector<Access> accesses_of(const Arguments&...) {
  fail("a kernel that only goes with cuSOLVER, and there is none");
}

template <class T>
T placed(T value) {
  return value;
}
template <class T>
T* placed(T* at) {
  return World::here().books().place(at);
}
template <class T>
Job<T> placed(Job<T> job) {
  job.from = placed(job.from);
  job.result = placed(job.result);
  return job;
}

template <class Kernel, class... Arguments>
void launch(CUstream_st* stream, Kernel* kernel, dim3 grid, dim3 block, Arguments... arguments) {
  World& world = World::here();
  const std::lock_guard lock(world.mutex());
  const bool is_reversed = world.books().order().random() % 2 != 0;
  world.books().enqueue(
      world.chosen(stream, "a launch"), "a kernel", accesses_of(arguments...), [=] {
        const std::tuple there(placed(arguments)...);
        ThreadsOnHost::here().run(grid, block, is_reversed, [&] { std::apply(kernel, there); });
      });
}

}  // namespace
}  // namespace blockyard::cuda

#include "plugins/device_cuda/launches.h"
