// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/error.h"
#include "blockyard/block/copying_residency.h"
#include "blockyard/block/in_place_residency.h"

namespace blockyard::block {

std::unique_ptr<Residency> Residency::open(device::Device& device, Options options) {
  bool is_in_place = false;
  std::string failure;
  try {
    is_in_place = device.describe().works_in_place != 0;
  } catch (const base::Error& error) {
    failure = error.what();
  }
  std::unique_ptr<Residency> made;
  if (is_in_place)
    made = std::make_unique<InPlaceResidency>(device, options);
  else
    made = std::make_unique<CopyingResidency>(device, options);
  if (!failure.empty()) made->retire(failure);
  return made;
}

}  // namespace blockyard::block
