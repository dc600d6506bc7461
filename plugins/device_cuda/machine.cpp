// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/machine.h"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "plugins/common/options.h"

namespace blockyard::cuda {
namespace {

int attribute_of(int device, cudaDeviceAttr attribute) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

/// 90: 9.0.
int capability_of(int device) {
  return 10 * attribute_of(device, cudaDevAttrComputeCapabilityMajor) +
         attribute_of(device, cudaDevAttrComputeCapabilityMinor);
}

/// The driver's numbers of our devices; none also without a driver.
std::vector<int> gpus() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return {};
  }
  std::vector<int> capabilities;
  for (int device = 0; device < devices; ++device) capabilities.push_back(capability_of(device));
  return usable_gpus(capabilities);
}

StreamOwner make_stream() {
  cudaStream_t raw = nullptr;
  check(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking), "cudaStreamCreate");
  return StreamOwner(raw);
}

EventOwner make_event() {
  cudaEvent_t raw = nullptr;
  check(cudaEventCreateWithFlags(&raw, cudaEventDisableTiming), "cudaEventCreate");
  return EventOwner(raw);
}

/// Null where the driver has no pools. All Machines of a device share one.
cudaMemPool_t pool_of(int device) {
  if (attribute_of(device, cudaDevAttrMemoryPoolsSupported) == 0) return nullptr;
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  // Freed memory stays in the pool, which serves it again without a system call.
  std::uint64_t all = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
        "cudaMemPoolSetAttribute");
  return pool;
}

/// Whether the GPU has no memory but that of the host.
bool is_integrated(int device) { return attribute_of(device, cudaDevAttrIntegrated) != 0; }

std::uint64_t limit_for(int device, const Machine::Options& options) {
  check(cudaSetDevice(device), "cudaSetDevice");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return options.memory_bytes != 0 ? options.memory_bytes : free;
}

}  // namespace

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // it is told here: the next call begins clean
  throw std::runtime_error(std::string(call) + " failed: " + cudaGetErrorString(code));
}

void check(cublasStatus_t code, const char* call) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + " failed: " + cublasGetStatusString(code));
}

std::string Machine::read_option(Options& options, std::string_view key, std::string_view value) {
  if (key == "memory") return plugin::read_number(value, options.memory_bytes);
  if (key == "network") return plugin::read_number(value, options.is_for_network);
  if (key == "cutensor") return plugin::read_number(value, options.uses_cutensor);
  return "this device knows memory=, network= and cutensor=";
}

std::uint32_t Machine::count() { return static_cast<std::uint32_t>(gpus().size()); }

Machine::Machine(std::uint32_t index, const Options& options)
    : device_(gpus().at(index)),
      is_for_network_(options.is_for_network != 0),
      is_free_known_(options.memory_bytes != 0 || !is_integrated(device_)),
      pieces_(limit_for(device_, options)),
      pool_(pool_of(device_)),
      memory_(make_stream()) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
  name_ = properties.name;
  capability_ = capability_of(device_);
  if (capability_ < least_capability)
    throw std::runtime_error(
        name_ + " is older than what the kernels are built for: it has compute capability " +
        std::to_string(properties.major) + "." + std::to_string(properties.minor) + ", not 7.5");
  if (options.uses_cutensor != 0) cutensor_ = Cutensor::open();
}

std::string Machine::name() const {
  if (!cutensor_) return name_;
  const bool is_wrong = std::ranges::find(cutensor_agrees_, false) != cutensor_agrees_.end();
  return name_ + (is_wrong ? ", without cuTENSOR " : ", cuTENSOR ") + cutensor_->version();
}

Machine::~Machine() {
  cudaSetDevice(device_);
  cudaDeviceSynchronize();
  for (void* pages : locked_) cudaHostUnregister(pages);
  pieces_.remove_all([this](std::byte* piece) {
    if (is_pooled())
      cudaFreeAsync(piece, memory_.get());
    else
      cudaFree(piece);
  });
  cudaStreamSynchronize(memory_.get());
  if (pool_ != nullptr) cudaMemPoolTrimTo(pool_, 0);  // it is free for the next opening
}

/// Clears any stale error on this thread, so that the next launch does not report it.
void Machine::use() const {
  check(cudaSetDevice(device_), "cudaSetDevice");
  static_cast<void>(cudaGetLastError());
}

/// Null if out of memory.
void* Machine::allocate_once(std::uint64_t bytes) {
  void* made = nullptr;
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  const cudaError_t code =
      is_pooled() ? cudaMallocAsync(&made, size, memory_.get()) : cudaMalloc(&made, size);
  if (code == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  check(code, "cudaMalloc");
  return made;
}

std::uint64_t Machine::allocate(std::uint64_t bytes) {
  if (bytes > pieces_.free_bytes()) return 0;
  use();
  void* made = allocate_once(bytes);
  if (made == nullptr && is_pooled()) {
    // Releasing pieces kept at other lengths may make room.
    check(cudaStreamSynchronize(memory_.get()), "cudaStreamSynchronize");
    check(cudaMemPoolTrimTo(pool_, 0), "cudaMemPoolTrimTo");
    made = allocate_once(bytes);
  }
  if (made == nullptr) return 0;
  // The pool may give memory that waits for work on other streams: see release.
  check(cudaStreamSynchronize(memory_.get()), "cudaStreamSynchronize");
  const auto address = reinterpret_cast<std::uintptr_t>(made);
  pieces_.add(address, bytes, static_cast<std::byte*>(made));
  return address;
}

bool Machine::release(std::uint64_t address) {
  const auto piece = pieces_.remove(address);
  if (!piece) return false;
  use();
  if (!is_pooled()) {
    // CudaFree knows no streams. It is rare: memory that may be used again is not released.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaFree(*piece), "cudaFree");
    return true;
  }
  for (const Stream& stream : streams_) {
    check(cudaEventRecord(stream.mark.get(), stream.raw.get()), "cudaEventRecord");
    check(cudaStreamWaitEvent(memory_.get(), stream.mark.get(), 0), "cudaStreamWaitEvent");
  }
  check(cudaFreeAsync(*piece, memory_.get()), "cudaFreeAsync");
  return true;
}

std::optional<Machine::Place> Machine::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto [piece, offset] = pieces_.find(address, bytes);
  if (piece == nullptr) return std::nullopt;
  return *piece + offset;
}

/// Pages of the system, which are longer than 4 KiB on some ARM machines: two locks may not share
/// one.
std::uint64_t Machine::lock_page_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool Machine::lock_host(void* pages, std::uint64_t bytes) {
  use();
  const cudaError_t code = cudaHostRegister(pages, bytes, cudaHostRegisterPortable);
  if (code == cudaErrorMemoryAllocation || code == cudaErrorNotPermitted ||
      code == cudaErrorNotSupported || code == cudaErrorOperatingSystem) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  check(code, "cudaHostRegister");
  locked_.insert(pages);
  return true;
}

bool Machine::unlock_host(void* pages) {
  if (locked_.erase(pages) == 0) return false;
  use();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaHostUnregister(pages), "cudaHostUnregister");
  return true;
}

Machine::Stream* Machine::open_stream() {
  use();
  return &streams_.emplace_back(Stream{make_stream(), nullptr, make_event(), false});
}

cublasHandle_t Machine::blas_of(Stream& stream) {
  if (stream.blas == nullptr) {
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made), "cublasCreate");
    BlasOwner blas(made);
    check(cublasSetStream(made, stream.raw.get()), "cublasSetStream");
    stream.blas = std::move(blas);
  }
  return stream.blas.get();
}

void Machine::close_stream(Stream* stream) {
  use();
  static_cast<void>(cudaStreamSynchronize(stream->raw.get()));  // what failed is told elsewhere
  streams_.remove_if([stream](const Stream& one) { return &one == stream; });
}

Machine::Point* Machine::open_point() {
  use();
  auto made = std::make_unique<Point>(Point{make_event(), false});
  Point* const point = made.get();
  points_.emplace(point, std::move(made));
  return point;
}

void Machine::close_point(Point* point) {
  use();
  points_.erase(point);
}

void Machine::record(Point& point, Stream& stream) {
  use();
  enqueued(stream, cudaEventRecord(point.raw.get(), stream.raw.get()), "cudaEventRecord");
}

bool Machine::is_done(const Pending& pending) {
  // A thread that has chosen no device would begin to use the first one.
  check(cudaSetDevice(pending.device), "cudaSetDevice");
  if (cudaEventQuery(pending.event) != cudaErrorNotReady) return true;
  static_cast<void>(cudaGetLastError());  // "not ready" is kept there though it is not a failure
  return false;
}

void Machine::finish(const Pending& pending) {
  check(cudaSetDevice(pending.device), "cudaSetDevice");
  if (pending.stream != nullptr)
    check(cudaStreamSynchronize(pending.stream), "work on a stream");
  else
    check(cudaEventSynchronize(pending.event), "work before an event");
}

void Machine::enqueued(Stream& stream, cudaError_t code, const char* call) {
  if (code != cudaSuccess) stream.has_failed = true;
  check(code, call);
}

void Machine::wait(Stream& stream, const Point& point) {
  use();
  enqueued(stream, cudaStreamWaitEvent(stream.raw.get(), point.raw.get(), 0),
           "cudaStreamWaitEvent");
}

void Machine::write(Stream& stream, Place to, const void* from, std::uint64_t bytes) {
  use();
  enqueued(stream, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream.raw.get()),
           "cudaMemcpyAsync");
}

void Machine::read(Stream& stream, void* to, Place from, std::uint64_t bytes) {
  use();
  enqueued(stream, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream.raw.get()),
           "cudaMemcpyAsync");
}

void Machine::copy(Stream& stream, Place to, Place from, std::uint64_t bytes) {
  use();
  enqueued(stream, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.raw.get()),
           "cudaMemcpyAsync");
}

/// Memory of both kinds there, from here: cudaMalloc's by peer access, the pool's by its own leave.
bool Machine::reaches(const Machine& other) {
  const auto [known, is_new] = reached_.try_emplace(other.device_, false);
  if (!is_new) return known->second;
  const auto works = [](cudaError_t code) {
    static_cast<void>(cudaGetLastError());  // the way through the host is left
    return code == cudaSuccess || code == cudaErrorPeerAccessAlreadyEnabled;
  };
  int can = 0;
  const cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, device_},
                                    cudaMemAccessFlagsProtReadWrite};
  known->second = works(cudaDeviceCanAccessPeer(&can, device_, other.device_)) && can != 0 &&
                  works(cudaDeviceEnablePeerAccess(other.device_, 0)) &&
                  (other.pool_ == nullptr || works(cudaMemPoolSetAccess(other.pool_, &access, 1)));
  return known->second;
}

bool Machine::copy_peer(Stream& stream, Place to, const Machine& other, Place from,
                        std::uint64_t bytes) {
  if (other.device_ == device_) {
    copy(stream, to, from, bytes);
    return true;
  }
  use();
  if (!reaches(other)) return false;
  enqueued(stream, cudaMemcpyPeerAsync(to, device_, from, other.device_, bytes, stream.raw.get()),
           "cudaMemcpyPeerAsync");
  return true;
}

void Machine::fill(Stream& stream, Place to, std::uint32_t element, const double value[2],
                   std::uint64_t count) {
  use();
  launch_fill(stream.raw.get(), element, to, value, count);
  enqueued(stream, cudaGetLastError(), "a fill");
}

void Machine::close_plan(Plan* plan) {
  // Only the libraries know which parts the GPU still reads, including running code.
  if (plan->tensors || plan->kernel || plan->transform || plan->solver) {
    use();
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  constexpr std::size_t most_bytes = 1 << 15;
  if (plan->kernel && past_choices_.size() < most_bytes) {
    plan->kernel->collect();
    past_choices_ += plan->kernel->lines();
  }
  plans_.remove_if([plan](const Plan& one) { return &one == plan; });
}

}  // namespace blockyard::cuda
