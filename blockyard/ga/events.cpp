// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/events.h"

#include <algorithm>

namespace blockyard::ga {

const std::string& Events::kept(const char* name) {
  return *names_.insert("event " + std::string(name)).first;
}

void Events::begin(Report* report, const char* name, void* place) {
  if (is_on_ && report != nullptr) open_.push_back({&kept(name), place, Report::Clock::now()});
}

void Events::end(Report* report, const char* name) {
  if (!is_on_ || report == nullptr) return;
  const std::string& wanted = kept(name);
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Open& open) { return open.name == &wanted; });
  if (found == open_.rend()) return;
  report->add_event(wanted, found->place, Report::Clock::now() - found->begun);
  open_.erase(std::prev(found.base()), open_.end());
}

void Events::happen(Report* report, const char* name, void* place) {
  if (is_on_ && report != nullptr) report->add_event(kept(name), place, {});
}

}  // namespace blockyard::ga
