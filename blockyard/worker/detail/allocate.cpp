// SPDX-License-Identifier: Apache-2.0
// The part of Blocks that allocate and deallocate statements use.
#include <fmt/format.h>

#include <cstring>

#include "blockyard/base/error.h"
#include "blockyard/worker/detail/blocks.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Selector;

void Blocks::allocate(std::int32_t selector) {
  flow::for_each_selected(naming_, selector_at(selector), index_values_, [&](const Place& place) {
    Slot* slot = find_own(place.id);
    if (slot == nullptr) {
      slot = &make_own(place, Need::prepare);
    } else {
      if (device_ != nullptr) look(*slot, Need::write, place);
      make_writable(*slot, false);
    }
    slot->is_allocated = true;
    std::memset(slot->frame->data(), 0, slot->frame->size());
  });
}

void Blocks::deallocate(std::int32_t selector) {
  flow::for_each_selected(naming_, selector_at(selector), index_values_, [&](const Place& place) {
    auto node = arrays_[static_cast<std::size_t>(place.id.array)].locals.extract(place.id.number);
    if (!node)
      throw Error(Errc::bad_input,
                  fmt::format("attempt to deallocate block {}, which does not exist; was it "
                              "deallocated before, or never allocated?",
                              naming_.block(place.id)));
    recycle(std::move(node.mapped().frame));
  });
}

std::vector<std::string> Blocks::leaks() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    if (naming_.program.arrays[k].kind != program::ArrayKind::local) continue;
    for (const auto& [number, slot] : arrays_[k].locals)
      names.push_back(naming_.block({static_cast<std::int32_t>(k), number}));
    if (const std::size_t count = regions_.count(static_cast<std::int32_t>(k)); count > 0)
      names.push_back(fmt::format("{} region(s) of {}", count, naming_.program.arrays[k].name));
  }
  return names;
}

}  // namespace blockyard::worker::detail
