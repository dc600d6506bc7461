// SPDX-License-Identifier: Apache-2.0
// Hostile sources: every stage of the compiler ends with diagnostics or a program; what it
// compiles, the verifier accepts and the file format keeps.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "blockyard/program/detail/random_walk.h"
#include "blockyard/program/file.h"
#include "blockyard/sial/compile.h"
#include "blockyard/sial/format.h"

namespace {

using namespace blockyard;

void format_one(std::string_view text) {
  const auto once = sial::format(text);
  if (sial::has_error(once.found)) return;
  const auto twice = sial::format(once.text);
  if (sial::has_error(twice.found) || twice.text != once.text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto compiled = sial::compile_text(text);
  (void)sial::render_json(compiled.found);
  (void)sial::render_text(compiled.found);
  if (compiled.program) {
    const auto bytes = program::write(*compiled.program);
    if (program::write(program::read(bytes)) != bytes) std::abort();
    program::detail::walk_at_random(*compiled.program, 1, 400);
  } else if (!sial::has_error(compiled.found)) {
    std::abort();
  }
  format_one(text);
  return 0;
}
