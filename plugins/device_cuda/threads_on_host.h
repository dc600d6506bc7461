// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

// For tests: the words of CUDA that kernels use, on one thread of the processor. The threads of a
// block run one after the other, each until it ends or comes to a barrier; so a barrier that is
// missing is seen each time, for the first thread is through before the second begins.

// Three macros and a name that is the compiler's: so the text that is tested is the one that is
// shipped, and that one needs no words of its own for what nvcc has words for.
#define __global__
#define __device__
#define __shared__ static  // blocks run one after the other

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3() = default;
  dim3(unsigned x_, unsigned y_ = 1) : x(x_), y(y_) {}  // as in CUDA, a number is a shape
};
inline dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace blockyard::cuda {

/// The threads of one block at a time.
class ThreadsOnHost {
 public:
  /// Runs body() for every thread of every block of the grid.
  template <class Body>
  void run(dim3 grid, dim3 block, bool is_reversed, const Body& body) {
    gridDim = grid;
    blockDim = block;
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = dim3(x, y);
        run(block, is_reversed, body);
      }
  }
  /// Of one block.
  template <class Body>
  void run(dim3 block, bool is_reversed, const Body& body) {
    call_ = [](const void* self) { (*static_cast<const Body*>(self))(); };
    body_ = &body;
    block_ = block;
    const std::size_t count = std::size_t{block.x} * block.y;
    while (fibers_.size() < count) fibers_.push_back(std::make_unique<Fiber>());
    for (std::size_t at = 0; at < count; ++at) start(*fibers_[at]);
    for (std::size_t running = count; running > 0;) {
      for (std::size_t at = 0; at < count; ++at) resume(is_reversed ? count - 1 - at : at);
      std::size_t still = 0;
      for (std::size_t at = 0; at < count; ++at) still += fibers_[at]->has_ended ? 0 : 1;
      if (still != 0 && still != running)
        throw std::logic_error(
            "some threads of a block wait at a barrier that others do not reach");
      running = still;
    }
  }
  void barrier() { swapcontext(&fibers_[current_]->context, &back_); }
  static ThreadsOnHost& here() {
    static ThreadsOnHost threads;
    return threads;
  }

 private:
  struct Fiber {
    ucontext_t context{};
    bool has_ended = false;
    std::vector<char> stack = std::vector<char>(std::size_t{1} << 16);
  };
  static void enter() {
    ThreadsOnHost& self = here();
    self.call_(self.body_);
    self.fibers_[self.current_]->has_ended = true;
  }
  void start(Fiber& fiber) {
    fiber.has_ended = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &back_;
    makecontext(&fiber.context, enter, 0);
  }
  void resume(std::size_t at) {
    if (fibers_[at]->has_ended) return;
    current_ = at;
    threadIdx.x = static_cast<unsigned>(at) % block_.x;
    threadIdx.y = static_cast<unsigned>(at) / block_.x;
    swapcontext(&back_, &fibers_[at]->context);
  }

  void (*call_)(const void*) = nullptr;
  const void* body_ = nullptr;
  dim3 block_;
  std::size_t current_ = 0;
  ucontext_t back_{};
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

}  // namespace blockyard::cuda

inline void __syncthreads() { blockyard::cuda::ThreadsOnHost::here().barrier(); }
