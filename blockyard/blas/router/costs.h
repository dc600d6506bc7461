// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::blas {

/// What a call would take, from what calls took: seconds = flops / rate here, and
/// latency + bytes / bandwidth + flops / rate there. Says where the next one goes. One thread.
///
/// A place that is not known yet is tried, and one that lost is tried again, only where the time
/// that this may cost stays below 3 % of the time that calls have taken here, and 20 ms.
class Costs {
 public:
  /// Whether a call goes to the device.
  [[nodiscard]] bool prefers_device(double flops, double bytes) const noexcept;
  /// Whether anything is worth a connection: so many seconds of large calls were computed here.
  [[nodiscard]] bool is_worth_connecting() const noexcept { return local_seconds_ > 0.5; }
  void note_local(double flops, double seconds) noexcept;
  void note_device(double flops, double bytes, double seconds) noexcept;
  /// The device does not know the routine, or has no room for the call.
  void note_refusal(double seconds) noexcept;

  [[nodiscard]] double local_estimate(double flops) const noexcept;
  [[nodiscard]] double device_estimate(double flops, double bytes) const noexcept;

 private:
  [[nodiscard]] double allowance() const noexcept;

  double local_rate_ = 0;     ///< flops a second; 0: not known
  double local_seconds_ = 0;  ///< of all calls here
  double lost_seconds_ = 0;   ///< that trials took longer than here
  double device_rate_ = 0;    ///< 0: not known
  double byte_seconds_ = 2e-9;
  double latency_seconds_ = 1e-3;
  int refusals_ = 0;
  double factor_ = 1;  ///< by which calls there took longer than these say
};

}  // namespace blockyard::blas
