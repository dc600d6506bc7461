// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/launch_shape.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace blockyard::plugin {
namespace {

class Proposals {
 public:
  void add(const LaunchShape& shape, std::string_view rule) {
    constexpr std::size_t most = 4;
    const auto is_same = [&](const LaunchProposal& one) { return one.shape == shape; };
    if (found_.size() < most && std::none_of(found_.begin(), found_.end(), is_same))
      found_.push_back({shape, rule});
  }
  void add_driver() { found_.push_back({found_.front().shape, "functions of the driver", true}); }
  [[nodiscard]] std::vector<LaunchProposal> take() { return std::move(found_); }

 private:
  std::vector<LaunchProposal> found_;
};

/// Elements of an item if the whole grid is cut into that many groups.
std::int64_t cut(const std::array<std::int64_t, 3>& extent, std::int64_t group,
                 std::int64_t groups) {
  const std::int64_t rows = extent[1] * extent[2];
  const std::int64_t in_row = std::max<std::int64_t>(1, groups / rows);
  return std::max<std::int64_t>(1, (extent[0] + in_row * group - 1) / (in_row * group));
}

std::vector<LaunchProposal> for_processor(const LaunchDevice& device,
                                          const std::array<std::int64_t, 3>& extent) {
  constexpr std::int64_t few = 1 << 21;  // elements: seldom worth more tasks than cores
  Proposals proposals;
  const auto tasks = [&](std::int64_t count, std::string_view rule) {
    proposals.add({1, cut(extent, 1, count)}, rule);
  };
  tasks(4 * device.units, "four tasks for each core");
  tasks(device.units, "a task for each core");
  if (extent[0] * extent[1] * extent[2] < few)
    tasks(1, "one core");
  else
    tasks(16 * device.units, "sixteen tasks for each core");
  // Items side by side in a vector, for loops that do not become vectors by themselves.
  const std::int64_t group =
      std::min({4 * device.vector, device.most_items, std::max<std::int64_t>(1, extent[0])});
  proposals.add({group, cut(extent, group, 4 * device.units)}, "vectors of items");
  if (device.has_functions) proposals.add_driver();
  return proposals.take();
}

std::vector<LaunchProposal> for_gpu(const LaunchDevice& device,
                                    const std::array<std::int64_t, 3>& extent) {
  constexpr std::int64_t usual = 128, most_resident = 2048;
  Proposals proposals;
  const auto group = [&](std::int64_t items) {
    return std::min(std::max(items, device.vector), device.most_items);
  };
  proposals.add({group(usual), 1}, "small items, groups of usual size");
  proposals.add({group(2 * usual), 1}, "small items, larger groups");
  // More items than the device holds many times over only cost launches of groups.
  if (extent[0] * extent[1] * extent[2] > 32 * device.units * most_resident)
    proposals.add({group(2 * usual), 4}, "more items than the device holds");
  proposals.add({group(usual / 2), 1}, "small groups, more of them resident");
  proposals.add({group(4 * usual), 1}, "small items, large groups");
  return proposals.take();
}

}  // namespace

std::vector<LaunchProposal> launch_proposals(const LaunchDevice& device,
                                             const std::array<std::int64_t, 3>& extent) {
  return device.is_processor ? for_processor(device, extent) : for_gpu(device, extent);
}

}  // namespace blockyard::plugin
