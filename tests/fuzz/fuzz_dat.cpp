// SPDX-License-Identifier: Apache-2.0
// Hostile job files of ACES4: read refuses them, or what it gives is written the same way again,
// can be shown, and its molecule makes sense or is refused.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "blockyard/aces/dat/dat.h"
#include "blockyard/aces/dat/molecule.h"
#include "blockyard/base/error.h"

namespace {

using namespace blockyard;

void read_one(std::span<const std::byte> bytes) try {
  const aces::dat::DatFile file = aces::dat::read_dat(bytes);
  // Compared as bytes: a number may be none that equals itself.
  const auto again = aces::dat::write_dat(file);
  if (aces::dat::write_dat(aces::dat::read_dat(again)) != again) std::abort();
  (void)aces::dat::print_dat(file);
  (void)aces::dat::read_molecule(file);
} catch (const base::Error& error) {
  if (error.code() != base::Errc::bad_input) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_one({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
