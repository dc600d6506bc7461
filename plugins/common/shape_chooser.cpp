// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/shape_chooser.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace blockyard::plugin {
namespace {

constexpr int runs_of_a_trial = 2;
constexpr double trial_excess = 0.25;  ///< a trial is taken to last longer by this part

}  // namespace

ShapeChooser::ShapeChooser(std::vector<Build> builds, std::size_t first, bool is_known)
    : chosen_(first), is_known_(is_known) {
  for (const Build& build : builds) ways_.push_back({build, 0, 0});
}

bool ShapeChooser::is_built(int build) const {
  return std::find(built_.begin(), built_.end(), build) != built_.end();
}

bool ShapeChooser::is_settled() const noexcept {
  return is_known_ || std::all_of(ways_.begin(), ways_.end(),
                                  [](const Way& way) { return way.runs >= runs_of_a_trial; });
}

bool ShapeChooser::is_affordable(const Way& way) const {
  constexpr double part = 0.03, free_seconds = 0.02;
  const double run_seconds = ways_[chosen_].seconds * elements_;
  const double cost =
      trial_excess * run_seconds + (is_built(way.build.number) ? 0 : way.build.seconds);
  return trial_seconds_ + cost <= part * total_seconds_ + free_seconds;
}

std::size_t ShapeChooser::runner_up() const {
  std::size_t best = chosen_;
  for (std::size_t k = 0; k < ways_.size(); ++k)
    if (k != chosen_ && ways_[k].seconds > 0 &&
        (best == chosen_ || ways_[k].seconds < ways_[best].seconds))
      best = k;
  return best;
}

std::size_t ShapeChooser::next() {
  ++runs_;
  std::size_t way = chosen_;
  if (ways_[chosen_].seconds > 0) {
    constexpr std::size_t first_repeat = 16;
    if (!is_known_)
      for (std::size_t k = 0; k < ways_.size() && way == chosen_; ++k)
        if (ways_[k].runs < runs_of_a_trial && is_affordable(ways_[k])) way = k;
    if (way == chosen_ && runs_ >= first_repeat && std::has_single_bit(runs_))
      if (const std::size_t other = runner_up(); is_affordable(ways_[other])) way = other;
  }
  ++ways_[way].runs;
  return way;
}

void ShapeChooser::measured(std::size_t number, double element_seconds, double elements) {
  Way& way = ways_[number];
  const double seconds = element_seconds * elements;
  elements_ = elements;
  total_seconds_ += seconds;
  if (!is_built(way.build.number)) {  // perhaps the driver compiled it then
    built_.push_back(way.build.number);
    const double known = ways_[chosen_].seconds;
    if (known > 0) trial_seconds_ += std::max(0.0, seconds - known * elements);
    return;
  }
  // Others may have used the device meanwhile, so a longer time counts for less than a shorter one.
  constexpr double weight = 0.25;
  const bool is_longer = way.seconds > 0 && element_seconds > way.seconds;
  way.seconds =
      is_longer ? way.seconds + weight * (element_seconds - way.seconds) : element_seconds;
  if (number != chosen_)
    trial_seconds_ += std::max(0.0, seconds - ways_[chosen_].seconds * elements);
  choose();
}

void ShapeChooser::choose() {
  constexpr double first_gain = 0.02, later_gain = 0.1;
  const std::size_t other = runner_up();
  if (other == chosen_ || ways_[chosen_].seconds <= 0) return;
  const double gain = is_settled() ? later_gain : first_gain;
  if (ways_[other].seconds < ways_[chosen_].seconds * (1 - gain)) chosen_ = other;
}

}  // namespace blockyard::plugin
