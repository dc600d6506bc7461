// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/races.h"

#include <algorithm>
#include <numeric>

namespace blockyard::garray {

namespace {

bool is_writing(Use use) { return use == Use::put || use == Use::write; }

/// Which of a rank's counts says that this use is over: puts and adds are so after a fence only.
std::size_t count_of(const Access& access) {
  const bool is_late = access.use == Use::put || access.use == Use::accumulate;
  return 2 * static_cast<std::size_t>(access.rank) + (is_late ? 1 : 0);
}

bool is_before(const Access& a, const Access& b, std::span<const Moments> moments) {
  const std::size_t count = count_of(a);
  return moments[static_cast<std::size_t>(b.rank)].at(b.moment)[count] >
         moments[static_cast<std::size_t>(a.rank)].at(a.moment)[count];
}

/// Accesses that a sweep along the slowest axis has begun and not left yet.
class Open {
 public:
  void leave(const Access& next, std::size_t axis) {
    std::erase_if(open_, [&](const Access* access) {
      return access->array != next.array || access->box.end[axis] <= next.box.first[axis];
    });
  }
  void enter(const Access& access) { open_.push_back(&access); }
  template <class Visit>
  void each(const Visit& visit) const {
    for (const Access* access : open_) visit(*access);
  }

 private:
  std::vector<const Access*> open_;
};

}  // namespace

bool clash(Use a, Use b) noexcept {
  if (is_writing(a) || is_writing(b)) return true;
  const auto is_reading = [](Use use) { return use == Use::get || use == Use::read; };
  return (a == Use::accumulate && is_reading(b)) || (b == Use::accumulate && is_reading(a));
}

bool is_race(const Access& a, const Access& b, std::span<const Moments> moments) {
  return clash(a.use, b.use) && (a.locks & b.locks) == 0 && !is_before(a, b, moments) &&
         !is_before(b, a, moments);
}

void find_races(std::span<const Access> accesses, int rank, std::span<const Moments> moments,
                const Race& race) {
  std::vector<std::size_t> order(accesses.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto begin_of = [&](std::size_t i) {
    const Access& access = accesses[i];
    return std::pair(access.array, access.box.first[access.box.axes - 1]);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return begin_of(a) < begin_of(b); });
  Open own, others;
  for (const std::size_t i : order) {
    const Access& next = accesses[i];
    if (next.rank < rank) continue;
    const std::size_t axis = next.box.axes - 1;
    own.leave(next, axis);
    others.leave(next, axis);
    const auto meet = [&](const Access& mine, const Access& other) {
      if (!is_race(mine, other, moments)) return;
      const array::Box both = array::common(mine.box, other.box);
      if (!both.is_empty()) race(mine, other, both);
    };
    if (next.rank == rank) {
      others.each([&](const Access& other) { meet(next, other); });
      own.enter(next);
    } else {
      own.each([&](const Access& mine) { meet(mine, next); });
      others.enter(next);
    }
  }
}

}  // namespace blockyard::garray
