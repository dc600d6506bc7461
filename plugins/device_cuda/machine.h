// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plugins/common/kernel.h"
#include "plugins/common/kernel_shapes.h"
#include "plugins/common/pieces.h"
#include "plugins/common/transform.h"
#include "plugins/device_cuda/compiler.h"
#include "plugins/device_cuda/cufft.h"
#include "plugins/device_cuda/cusolver.h"
#include "plugins/device_cuda/cutensor.h"
#include "plugins/device_cuda/steps.h"

namespace blockyard::cuda {

/// Throw std::runtime_error that names the call, unless it went well.
void check(cudaError_t code, const char* call);
void check(cublasStatus_t code, const char* call);

/// Ends a thing of CUDA that is a pointer.
template <auto end>
struct End {
  template <class Raw>
  void operator()(Raw raw) const noexcept {
    static_cast<void>(end(raw));
  }
};
using StreamOwner = std::unique_ptr<CUstream_st, End<cudaStreamDestroy>>;
using EventOwner = std::unique_ptr<CUevent_st, End<cudaEventDestroy>>;
using BlasOwner = std::unique_ptr<cublasContext, End<cublasDestroy_v2>>;

/// One open GPU: the Machine of plugins/common/edge.h. One thread at a time, except the static
/// functions.
class Machine {
 public:
  struct Options {
    std::uint64_t memory_bytes = 0;    ///< 0: what is free now
    std::uint64_t is_for_network = 0;  ///< 1: networks may read the memory
    std::uint64_t uses_cutensor = 1;   ///< where it is found
  };
  /// The fault of an option, or "".
  static std::string read_option(Options& options, std::string_view key, std::string_view value);
  /// Of the GPUs that are new enough (usable_gpus); 0 also without a driver.
  [[nodiscard]] static std::uint32_t count();

  /// Throws std::runtime_error, as all functions here.
  Machine(std::uint32_t index, const Options& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Of the GPU, and the version of cuTENSOR that is used or was found wanting.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return pieces_.limit_bytes(); }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept {
    return is_free_known_ ? pieces_.free_bytes() : 0;
  }
  [[nodiscard]] bool shares_host_memory() const noexcept { return false; }
  /// Then memory is made by cudaMalloc: the kind that the pages of all GPU-aware MPI libraries and
  /// of GPUDirect speak of. That of stream-ordered pools is newer, and what a network adapter or
  /// another process may do with it depends on driver, pool and library.
  [[nodiscard]] bool is_for_network() const noexcept { return is_for_network_; }

  using Place = std::byte*;  ///< a device pointer
  /// 0 if out of memory.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// The memory goes back to the pool after all that is enqueued now; without a pool, now, after
  /// all.
  [[nodiscard]] bool release(std::uint64_t address);
  [[nodiscard]] std::optional<Place> find(std::uint64_t address, std::uint64_t bytes) const;

  /// False: the system locks no more. Throws where the memory is locked already.
  [[nodiscard]] static std::uint64_t lock_page_bytes();
  [[nodiscard]] bool lock_host(void* pages, std::uint64_t bytes);
  /// After all work; false: nothing that is locked begins there.
  [[nodiscard]] bool unlock_host(void* pages);

  struct Stream {
    StreamOwner raw;
    BlasOwner blas;   ///< made for the first product: it takes memory, and most streams only copy
    EventOwner mark;  ///< where the memory stream waits for this one
    bool has_failed = false;
    std::string failure = {};
  };
  struct Point {
    EventOwner raw;
    bool has_failed = false;
  };
  [[nodiscard]] Stream* open_stream();
  void close_stream(Stream* stream);
  [[nodiscard]] Point* open_point();
  void close_point(Point* point);
  void record(Point& point, Stream& stream);

  struct Pending {
    int device = 0;
    cudaStream_t stream = nullptr;  ///< of one of both
    cudaEvent_t event = nullptr;
  };
  [[nodiscard]] Pending pending(const Stream& stream) const {
    return {device_, stream.raw.get(), nullptr};
  }
  [[nodiscard]] Pending pending(const Point& point) const {
    return {device_, nullptr, point.raw.get()};
  }
  /// True also where it failed.
  [[nodiscard]] static bool is_done(const Pending& pending);
  static void finish(const Pending& pending);

  // Work. Where it cannot be enqueued the stream has failed.
  void wait(Stream& stream, const Point& point);
  void write(Stream& stream, Place to, const void* from, std::uint64_t bytes);
  void read(Stream& stream, void* to, Place from, std::uint64_t bytes);
  void copy(Stream& stream, Place to, Place from, std::uint64_t bytes);
  /// False: the devices do not reach each other's memory.
  [[nodiscard]] bool copy_peer(Stream& stream, Place to, const Machine& other, Place from,
                               std::uint64_t bytes);
  void fill(Stream& stream, Place to, std::uint32_t element, const double value[2],
            std::uint64_t count);

  /// A compiled kernel of the user's own.
  struct KernelPlan {
    plugin::KernelForm form;
    std::optional<LoadedFunction> function;
    std::int64_t most_items = 1;  ///< of a group
    /// How grids are cut, and the runs that will show how good that is.
    struct Timed {
      plugin::KernelShapes::Launched launched;
      EventOwner begin, end;
    };
    std::string name;
    plugin::KernelShapes shapes;
    std::vector<Timed> running;

    void collect();
    [[nodiscard]] std::string lines() const { return shapes.choices_of(name); }
  };
  struct Plan : Steps {
    std::optional<TensorPlan> tensors;   ///< the same by cuTENSOR
    std::unique_ptr<KernelPlan> kernel;  ///< of the user's own; nothing else stands for it then
    std::optional<CufftPlan> transform;  ///< the same of a transform
    std::optional<plugin::Whole> whole;  ///< the same of an operation on whole matrices
    std::optional<CusolverPlan> solver;  ///< of that, where it is not a triangle that is solved
  };
  [[nodiscard]] Plan* open_plan(const blockyard_operation& operation, plugin::Form form);
  /// Null: there is no cuFFT, or it does not take it.
  [[nodiscard]] Plan* open_transform(const blockyard_operation& operation,
                                     const plugin::Transform& transform);
  /// Null: there is no cuSOLVER, or it does not have it.
  [[nodiscard]] Plan* open_whole(const blockyard_operation& operation, const plugin::Whole& whole);
  /// Null: it has no form for CUDA, or only a text without a compiler. Throws
  /// plugin::Refusal with the compiler's log.
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
  void use() const;
  [[nodiscard]] static plugin::Launch shaped(KernelPlan& plan, const blockyard_kernel_run& run,
                                             plugin::KernelShapes::Launched& launched);
  [[nodiscard]] bool is_pooled() const { return pool_ != nullptr && !is_for_network_; }
  [[nodiscard]] bool reaches(const Machine& other);
  [[nodiscard]] void* allocate_once(std::uint64_t bytes);
  [[nodiscard]] cublasHandle_t blas_of(Stream& stream);
  void enqueued(Stream& stream, cudaError_t code, const char* call);
  [[nodiscard]] std::optional<TensorPlan> tensor_plan(const Steps& steps) const;
  [[nodiscard]] bool agree(std::uint32_t element);
  template <class Real>
  [[nodiscard]] bool gives_same(Stream& stream, const blockyard_operation& operation, Place room);
  void run_by_cutensor(Stream& stream, const Plan& plan, const Factors& factors,
                       const Places& places);
  void run_whole(Stream& stream, const Plan& plan, const double alpha[2], const Places& places);
  void run_transform(Stream& stream, const Plan& plan, double factor, const Places& places);
  void run_contraction(Stream& stream, const Plan& plan, const Factors& factors,
                       const Places& places);
  void multiply(Stream& stream, const Plan& plan, const Factors& factors, const void* left,
                const void* right, void* result);

  int device_;  ///< the number that the driver gives it
  bool is_for_network_;
  bool is_free_known_;  ///< false: a GPU in the memory of the host, without a limit
  std::string name_;
  plugin::Pieces<std::byte*> pieces_;
  cudaMemPool_t pool_;           ///< of the device; null: the driver has none
  StreamOwner memory_;           ///< allocates and frees, in order
  std::set<void*> locked_;       ///< host memory
  std::map<int, bool> reached_;  ///< other devices, once asked
  std::optional<Cutensor> cutensor_;
  std::array<std::optional<bool>, 4> cutensor_agrees_;  ///< with our way, by element; once tried
  std::optional<CufftLibrary> cufft_;                   ///< once a transform was opened
  std::optional<CusolverLibrary> cusolver_;             ///< once one of its operations was opened
  std::list<Stream> streams_;
  std::unordered_map<const Point*, std::unique_ptr<Point>> points_;  ///< many: one for each copy
  int capability_ = 0;                                               ///< 90: 9.0
  std::optional<Driver> driver_;                                     ///< once a kernel was opened
  std::list<Plan> plans_;
  std::string past_choices_;  ///< of closed plans
};

}  // namespace blockyard::cuda
