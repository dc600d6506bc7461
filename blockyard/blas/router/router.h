// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "blockyard/blas/router/comparison.h"
#include "blockyard/device/device.h"

/// Decides where each call goes. The exported functions have no argument for a context, so a
/// process has one, made by the first call and never freed; the child of a fork makes its own.
namespace blockyard::blas {

class DeviceProducts;
class Shares;

/// A call as the router sees it. One thread.
class Routed {
 public:
  virtual ~Routed() = default;
  [[nodiscard]] virtual std::string name() const = 0;   ///< "dgemm"
  [[nodiscard]] virtual std::string shape() const = 0;  ///< for people
  [[nodiscard]] virtual double flops() const = 0;
  [[nodiscard]] virtual double moved_bytes() const = 0;
  /// How much there is to compute, in units of the call's own.
  [[nodiscard]] virtual std::int64_t extent() const = 0;
  /// Computes on a device. `complete` says how much is there, also when Error is thrown; the
  /// program's memory is otherwise as it was.
  virtual void compute_there(DeviceProducts& device, std::int64_t& complete) = 0;
  /// Has a device make what the call needs there, without waiting for it.
  virtual void prepare(device::Device&) const {}
  /// Computes the rest with the library that the program would have reached.
  virtual void compute_here(std::int64_t complete) = 0;
  /// Whether parts of it can be computed by several devices, and from the end of it here.
  [[nodiscard]] virtual bool is_shareable() const { return false; }
  /// device: its number among those of the shares.
  virtual void compute_share_there(DeviceProducts&, Shares&, int) {}
  /// Computes from..to with the local library.
  virtual void compute_share_here(std::int64_t, std::int64_t) {}
  /// Device memory that it takes at once, where one has no more than `memory_bytes` (0: it does
  /// not say). The largest number: it cannot go as it is.
  [[nodiscard]] virtual std::int64_t room_bytes(std::int64_t /*memory_bytes*/) const { return 0; }
  /// Computes what is left by smaller calls, in order, each of which `compute` takes, here or
  /// there. False: it cannot be divided, and nothing was done.
  [[nodiscard]] virtual bool compute_in_pieces(std::int64_t /*complete*/,
                                               const std::function<void(Routed&)>& /*compute*/) {
    return false;
  }
  /// Threads of the local library.
  [[nodiscard]] virtual int threads() const { return 1; }
  /// Of calls that are nothing but products: their element type, for which rates are measured
  /// beforehand. 0: another call.
  [[nodiscard]] virtual char product_letter() const { return 0; }
  /// Made before the call, in check mode. Null: this call cannot be compared.
  [[nodiscard]] virtual std::unique_ptr<Comparison> comparison() const { return nullptr; }
  /// Whether calls of other routines inside compute_here may go to a device by themselves.
  [[nodiscard]] virtual bool may_nest() const { return false; }
};

/// Reads the settings, if no call has: `router_threshold` goes by them from then on. Any thread.
void open_router() noexcept;

/// Whether a call of this many flops may go to a device at all: for most programs and most calls
/// this is the whole cost. Any thread.
[[nodiscard]] bool router_threshold(double flops) noexcept;

/// Whether calls of levels 1 and 2 may go to a device: with place `remote`. Any thread.
[[nodiscard]] bool router_takes_vectors() noexcept;

/// What a call to come needs is made where it is expected to go, if that is connected and idle. Any
/// thread.
void prepare_route(const Routed& call) noexcept;

/// Computes a call, here or there. Throws what the program throws from the handler of errors that
/// its library calls. Any thread.
void route(Routed& call);

}  // namespace blockyard::blas
