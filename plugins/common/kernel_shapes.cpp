// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/kernel_shapes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <utility>

namespace blockyard::plugin {
namespace {

constexpr const char* heading = "blockyard launch shapes 1";

int class_of(std::int64_t elements) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(elements))) - 1;
}

std::size_t with_rule(const std::vector<LaunchProposal>& proposals, std::string_view rule) {
  const auto found = std::find_if(proposals.begin(), proposals.end(),
                                  [rule](const LaunchProposal& one) { return one.rule == rule; });
  return static_cast<std::size_t>(found - proposals.begin());
}

std::string microseconds(double element_seconds, int size) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g us", element_seconds * std::ldexp(1.0, size) * 1e6);
  return text;
}

}  // namespace

KernelShapes::OfSize KernelShapes::made(std::vector<LaunchProposal> proposals,
                                        SizeClass size) const {
  // A group of another size is compiled anew, another text altogether.
  constexpr int other_text = 1 << 20;
  constexpr double other_text_seconds = 1.0;
  std::vector<ShapeChooser::Build> builds;
  for (const LaunchProposal& one : proposals) {
    const int group = static_cast<int>(one.shape.group);
    builds.push_back(one.is_driver ? ShapeChooser::Build(group + other_text, other_text_seconds)
                                   : group);
  }
  std::size_t first = proposals.size();
  if (const auto kept = kept_.find(size); kept != kept_.end())
    first = with_rule(proposals, kept->second);
  const bool is_kept = first < proposals.size();
  ShapeChooser chooser(std::move(builds), is_kept ? first : 0, is_kept);
  return {std::move(proposals), std::move(chooser), is_kept, 0};
}

KernelShapes::Launched KernelShapes::next(const std::array<std::int64_t, 3>& extent) {
  const std::int64_t elements = extent[0] * extent[1] * extent[2];
  const SizeClass size(class_of(extent[0]), class_of(elements));
  std::vector<LaunchProposal> proposals = launch_proposals(device_, extent);
  auto found = sizes_.find(size);
  if (found == sizes_.end()) found = sizes_.emplace(size, made(proposals, size)).first;
  OfSize& known = found->second;
  Launched launched{size, known.chooser.next(), {}, false, static_cast<double>(elements)};
  // The same rule may propose another number for a grid of another size, or nothing of its own.
  const std::size_t same = with_rule(proposals, known.proposals[launched.way].rule);
  if (same == proposals.size()) launched.elements = 0;
  const LaunchProposal& taken = proposals[same == proposals.size() ? 0 : same];
  launched.shape = taken.shape;
  launched.is_driver = taken.is_driver;
  return launched;
}

bool KernelShapes::measured(const Launched& launched, double seconds) {
  constexpr int first_runs = 8;
  const auto found = sizes_.find(launched.size);
  if (found == sizes_.end() || launched.elements <= 0) return false;
  OfSize& known = found->second;
  const std::size_t before = known.chooser.chosen();
  known.chooser.measured(launched.way, seconds / launched.elements, launched.elements);
  const bool is_news = known.measured >= first_runs && known.chooser.chosen() != before;
  return ++known.measured == first_runs || is_news;
}

std::vector<std::string> KernelShapes::choices() const {
  std::vector<std::string> lines;
  for (const auto& [size, known] : sizes_) {
    const std::size_t chosen = known.chooser.chosen();
    const LaunchProposal& one = known.proposals[chosen];
    std::string line = "2^" + std::to_string(size.second) + " elements: groups of " +
                       std::to_string(one.shape.group) + ", " + std::to_string(one.shape.per_item) +
                       " an item: " + std::string(one.rule);
    if (known.is_kept) line += ", kept from an earlier run";
    const char* before = "; measured ";
    for (std::size_t k = 0; k < known.proposals.size(); ++k)
      if (const double seconds = known.chooser.element_seconds(k); seconds > 0) {
        line += before + microseconds(seconds, size.second) +
                (k == chosen ? "" : " with " + std::string(known.proposals[k].rule));
        before = ", ";
      }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string KernelShapes::encode() const {
  std::map<SizeClass, std::string> all = kept_;
  for (const auto& [size, known] : sizes_)
    if (known.measured > 0) all[size] = std::string(known.proposals[known.chooser.chosen()].rule);
  std::string text = std::string(heading) + '\n';
  for (const auto& [size, rule] : all)
    text += std::to_string(size.first) + ' ' + std::to_string(size.second) + ' ' + rule + '\n';
  return text;
}

void KernelShapes::decode(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != heading) return;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    SizeClass size;
    std::string rule;
    if (words >> size.first >> size.second >> std::ws && std::getline(words, rule))
      kept_[size] = rule;
  }
}

}  // namespace blockyard::plugin
