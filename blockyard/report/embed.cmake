# Makes OUT, a C++ source with the bytes of FILES: cmake -DOUT=... "-DFILES=name=path|path;..." -P embed.cmake
set(text "// Made by embed.cmake.\n#include \"blockyard/report/detail/assets.h\"\nnamespace blockyard::report::assets {\n")
foreach(pair IN LISTS FILES)
  string(REGEX MATCH "^([a-z]+)=(.*)$" _ "${pair}")
  set(name ${CMAKE_MATCH_1})
  set(hex "")
  string(REPLACE "|" ";" paths "${CMAKE_MATCH_2}")
  foreach(path IN LISTS paths)
    file(READ "${path}" more HEX)
    string(APPEND hex "${more}")
  endforeach()
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}0};\n"
                     "std::string_view ${name}() noexcept {\n"
                     "  return {reinterpret_cast<const char*>(${name}_bytes), sizeof ${name}_bytes - 1};\n}\n")
endforeach()
string(APPEND text "}\n")
file(WRITE ${OUT} "${text}")
