// SPDX-License-Identifier: Apache-2.0
// The calls of the runtime, as far as the plug-in makes them. What it must not do ends the process;
// what may happen to it is answered as CUDA does.
#include <cuda_runtime_api.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "plugins/device_cuda/stand_in/world.h"

struct CUmemPoolHandle_st {
  int device;
};

namespace {

using namespace blockyard::cuda::stand_in;

thread_local cudaError_t last_error = cudaSuccess;

/// One call at a time; cudaGetLastError tells what it answers.
template <class Body>
cudaError_t call(const Body& body) {
  World& world = World::here();
  const std::lock_guard lock(world.mutex());
  const cudaError_t code = body(world, world.books());
  if (code != cudaSuccess) last_error = code;
  return code;
}

bool is_device(int device) { return device >= 0 && device < device_count; }

cudaError_t created(CUevent_st** event) {
  return call([&](World& world, Books& books) {
    *event = books.order().open_event(world.chosen("cudaEventCreate"));
    return cudaSuccess;
  });
}

/// As a reader finds it that does not wait: no numbers.
void spoil(Books& books, void* to, std::size_t bytes) {
  if (!books.is_host_used(to, bytes)) std::memset(to, 0xff, bytes);
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "out of memory" : "an error of the stand-in";
}

// Devices.

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return call([&](World& world, Books&) {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    world.choose(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call([&](World&, Books& books) {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevAttrMemoryPoolsSupported:
        *value = books.settings().has_pools != 0 ? 1 : 0;
        return cudaSuccess;
      case cudaDevAttrIntegrated:
      case cudaDevAttrComputeCapabilityMinor:
        *value = 0;
        return cudaSuccess;
      case cudaDevAttrComputeCapabilityMajor:
        *value = 9;
        return cudaSuccess;
      default:
        fail("it has no attribute " + std::to_string(attribute));
    }
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  std::strcpy(properties->name, device == 0 ? "first stand-in" : "second stand-in");
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  return call([&](World&, Books& books) {
    *can = books.settings().has_peers != 0 ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
  return call([&](World& world, Books& books) {
    const int device = world.chosen("cudaDeviceEnablePeerAccess");
    if (device == other || books.settings().has_peers == 0) return cudaErrorInvalidDevice;
    if (books.reaches(device, other)) return cudaErrorPeerAccessAlreadyEnabled;
    books.let_reach(device, other, false);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([](World& world, Books& books) {
    books.order().finish_device(world.chosen("cudaDeviceSynchronize"));
    return cudaSuccess;
  });
}

// Memory.

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&](World& world, Books& books) {
    *free = books.free_bytes(world.chosen("cudaMemGetInfo"));
    *total = books.settings().device_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** made, std::size_t bytes) {
  return call([&](World& world, Books& books) {
    *made = books.allocate(world.chosen("cudaMalloc"), bytes);
    return *made == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaFree(void* address) {
  return call([&](World& world, Books& books) {
    static_cast<void>(world.chosen("cudaFree"));
    if (address != nullptr) books.release(address);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void** made, std::size_t bytes, cudaStream_t stream) {
  return call([&](World& world, Books& books) {
    *made = books.allocate(world.chosen(stream, "cudaMallocAsync"), bytes);
    return *made == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  return call([&](World& world, Books& books) {
    books.release(address, world.chosen(stream, "cudaFreeAsync"));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  static std::array<CUmemPoolHandle_st, device_count> pools{{{0}, {1}}};
  *pool = &pools.at(static_cast<std::size_t>(device));
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return call([&](World&, Books& books) {
    books.trim(pool->device);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list,
                                 std::size_t count) {
  return call([&](World&, Books& books) {
    if (books.settings().has_peers == 0) return cudaErrorInvalidDevice;
    for (std::size_t n = 0; n < count; ++n)
      books.let_reach(list[n].location.id, pool->device, true);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* begin, std::size_t bytes, unsigned) {
  return call([&](World& world, Books& books) {
    static_cast<void>(world.chosen("cudaHostRegister"));
    return books.lock_host(begin, bytes) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* begin) {
  return call([&](World& world, Books& books) {
    static_cast<void>(world.chosen("cudaHostUnregister"));
    books.unlock_host(begin);
    return cudaSuccess;
  });
}

// Streams and events.

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call([&](World& world, Books& books) {
    if (flags != cudaStreamNonBlocking) fail("a stream that waits for the default one");
    *stream = books.order().open_stream(world.chosen("cudaStreamCreate"));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](World&, Books& books) {
    books.order().destroy(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&](World&, Books& books) {
    books.order().check(stream, "cudaStreamSynchronize");
    books.order().finish(stream->past);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call([&](World& world, Books& books) {
    books.order().check(event, "cudaStreamWaitEvent");
    books.order().wait(world.chosen(stream, "cudaStreamWaitEvent"), *event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return created(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return created(event); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](World&, Books& books) {
    books.order().destroy(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t raw) {
  return call([&](World& world, Books& books) {
    Stream& stream = world.chosen(raw, "cudaEventRecord");
    books.order().check(event, "cudaEventRecord");
    if (event->device != stream.device) fail("an event is recorded in a stream of another device");
    books.order().record(*event, stream);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call([&](World&, Books& books) {
    Order& order = books.order();
    order.check(event, "cudaEventQuery");
    order.advance();
    if (!order.has_ended(event->recorded)) return cudaErrorNotReady;
    order.finish(event->past);
    return cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&](World&, Books& books) {
    books.order().check(event, "cudaEventSynchronize");
    books.order().finish(event->past);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) { fail("it measures no times"); }

// Copies.

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t raw) {
  return call([&](World& world, Books& books) {
    Stream& stream = world.chosen(raw, "cudaMemcpyAsync");
    Access read = reading(from, bytes), write = writing(to, bytes);
    read.is_host = kind == cudaMemcpyHostToDevice;
    write.is_host = kind == cudaMemcpyDeviceToHost;
    if (write.is_host) spoil(books, to, bytes);
    books.enqueue(stream, "a copy", {read, write}, [&books, to, from, bytes] {
      std::memcpy(books.place(static_cast<std::byte*>(to)),
                  books.place(static_cast<const std::byte*>(from)), bytes);
    });
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) {
  fail("the plug-in clears memory only for cuTENSOR, and there is none");
}

}  // extern "C"
