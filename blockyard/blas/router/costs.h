// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace blockyard::blas {

/// The time that trials of devices may still lose: 3 % of the time that calls have taken here, and
/// 20 ms; of all routines together. One thread.
class Trials {
 public:
  void note_work(double seconds) noexcept { worked_seconds_ += seconds; }
  void note_loss(double seconds) noexcept { lost_seconds_ += seconds; }
  [[nodiscard]] double allowance() const noexcept {
    return 0.02 + 0.03 * worked_seconds_ - lost_seconds_;
  }
  /// Of all calls that were computed here.
  [[nodiscard]] double worked_seconds() const noexcept { return worked_seconds_; }

 private:
  double worked_seconds_ = 0, lost_seconds_ = 0;
};

/// By which calls are judged before any like them was timed. 0: not known.
struct Guess {
  double local_rate = 0;   ///< flops a second
  double device_rate = 0;  ///< flops a second
  double byte_seconds = 2e-9;
  double latency_seconds = 1e-3;
  int refusals = 0;
};

/// Predicts the time of a call from similar calls: seconds = flops / rate here, and
/// latency + bytes / bandwidth + flops / rate there. Decides where the next one goes. One thread.
///
/// A place that is not known yet is tried, and one that lost is tried again, only where `trials`
/// allows what this may cost. A guess counts as known where the device would win also if it took
/// twice as long. Calls stay where they are until the other place is faster by a tenth.
class Costs {
 public:
  explicit Costs(const Guess& guess = {}) noexcept;
  /// Whether a call goes to the device, where others have work for `queue_seconds`.
  [[nodiscard]] bool prefers_device(double flops, double bytes, const Trials& trials,
                                    double queue_seconds = 0) noexcept;
  /// Whether what `prefers_device` answered last is a trial.
  [[nodiscard]] bool is_trial() const noexcept { return is_trial_; }
  void note_local(double flops, double seconds, Trials& trials) noexcept;
  /// queue_seconds: what others had there when it began. Half of the time counts as the call's own
  /// at least.
  void note_device(double flops, double bytes, double seconds, Trials& trials,
                   double queue_seconds = 0) noexcept;
  /// The device does not know the routine, has no room for the call, cannot do what its operands
  /// hold, or was lost during the call. After a few of them calls are offered ever more rarely,
  /// until it takes one.
  void note_refusal(double seconds, Trials& trials) noexcept;

  [[nodiscard]] double local_estimate(double flops) const noexcept;
  [[nodiscard]] double device_estimate(double flops, double bytes) const noexcept;
  /// For calls that are alike to a lesser degree.
  [[nodiscard]] Guess as_guess() const noexcept;

 private:
  [[nodiscard]] bool is_offered_again(const Trials& trials) noexcept;

  double local_rate_ = 0;
  bool is_local_guessed_ = true;
  double device_rate_ = 0;
  bool is_device_guessed_ = true;
  double byte_seconds_;
  double latency_seconds_;
  int refusals_ = 0;              ///< since the device took one
  double refusal_seconds_ = 0;    ///< that the last one cost
  std::int64_t passed_over_ = 0;  ///< calls that were not offered since then
  bool is_there_ = false;         ///< where the last call went
  bool has_lost_ = false;         ///< a call there took longer than here
  bool is_trial_ = false;
  double factor_ = 1;  ///< by which calls there took longer than these say
};

/// Calls that are judged together: of one routine with one number of local threads, their
/// flops within a factor of four, and their flops for each byte too.
struct CallClass {
  std::string routine;
  int threads = 1;
  int size = 0;
  int intensity = 0;
  friend auto operator<=>(const CallClass&, const CallClass&) = default;
};
[[nodiscard]] CallClass class_of(std::string routine, int threads, double flops, double bytes);

/// Costs by class. A class that is new begins with those of the nearest one of its routine, the
/// first of a routine with a guess. One thread.
class CostBook {
 public:
  [[nodiscard]] Costs& of(const CallClass& which, const Guess& first);
  [[nodiscard]] Trials& trials() noexcept { return trials_; }

 private:
  std::map<CallClass, Costs> all_;
  Trials trials_;
};

}  // namespace blockyard::blas
