// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/kept_bytes.h"

#include <cstdint>
#include <string>

#include "blockyard/base/fields.h"

namespace blockyard::job {

std::vector<std::byte> encode(const worker::Kept& kept) {
  base::FieldWriter out;
  out.fields(kept.scalars, kept.distributed, kept.element_types, std::uint64_t{kept.arrays.size()});
  for (const auto& [label, array] : kept.arrays)
    out.fields(label, array.extents, array.values, array.type);
  return out.take();
}

worker::Kept decode_kept(std::span<const std::byte> bytes) {
  worker::Kept kept;
  base::FieldReader in(bytes);
  std::uint64_t count = 0;
  in.fields(kept.scalars, kept.distributed, kept.element_types, count);
  for (; count > 0; --count) {
    std::string label;
    in.field(label);
    worker::DenseArray& array = kept.arrays[label];
    in.fields(array.extents, array.values, array.type);
  }
  return kept;
}

}  // namespace blockyard::job
