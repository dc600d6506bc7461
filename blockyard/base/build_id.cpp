// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/build_id.h"

#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace blockyard::base {

namespace {

/// Notes begin at multiples of four bytes, and so do their descriptions.
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

std::string find_build_id(const std::byte* notes, std::size_t bytes) {
  constexpr std::string_view owner("GNU", sizeof "GNU");
  std::size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= bytes) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof head);
    const std::byte* name = notes + at + sizeof head;
    const std::byte* id = name + aligned(head.n_namesz);
    at += sizeof head + aligned(head.n_namesz) + aligned(head.n_descsz);
    if (at > bytes) break;
    if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != owner.size() ||
        std::memcmp(name, owner.data(), owner.size()) != 0)
      continue;
    std::string text;
    for (std::size_t i = 0; i < head.n_descsz; ++i)
      text += fmt::format("{:02x}", std::to_integer<unsigned>(id[i]));
    return text;
  }
  return {};
}

/// Whether this code is in that program or library.
bool holds_this(const dl_phdr_info& object) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&find_build_id) - object.dlpi_addr;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && here - segment.p_vaddr < segment.p_memsz) return true;
  }
  return false;
}

}  // namespace

std::string build_id() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* result) {
        if (!holds_this(*program)) return 0;
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& segment = program->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE) continue;
          const auto* notes =
              reinterpret_cast<const std::byte*>(program->dlpi_addr + segment.p_vaddr);
          auto& text = *static_cast<std::string*>(result);
          if (text.empty()) text = find_build_id(notes, segment.p_memsz);
        }
        return 1;
      },
      &found);
  return found;
}

}  // namespace blockyard::base
