# Makes OUT, a C++ source with the bytes of the page FILE: cmake -DOUT=... -DFILE=... -P embed.cmake
file(READ "${FILE}" hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "// Made by embed.cmake.
#include \"blockyard/lsp/detail/page.h\"
namespace blockyard::lsp::detail {
static const unsigned char page[] = {${bytes}0};
std::string_view super_instructions_page() noexcept {
  return {reinterpret_cast<const char*>(page), sizeof page - 1};
}
}
")
