// SPDX-License-Identifier: Apache-2.0
// program_seeds FOLDER SOURCE... : writes the payload of each source that compiles into FOLDER.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "blockyard/program/file.h"
#include "blockyard/sial/compile.h"

int main(int argc, char** argv) {
  using namespace blockyard;
  int written = 0;
  for (int k = 2; k < argc; ++k) {
    sial::FileLoader loader;
    const auto compiled = sial::compile_file(argv[k], loader);
    if (!compiled.program) continue;
    const auto bytes = program::write(*compiled.program);
    const std::filesystem::path source(argv[k]);
    const auto target = std::filesystem::path(argv[1]) /
                        (source.parent_path().filename().string() + "_" + source.stem().string());
    std::ofstream(target, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()) + program::file_header_bytes,
               static_cast<std::streamsize>(bytes.size() - program::file_header_bytes));
    ++written;
  }
  std::printf("%d seeds\n", written);
  return written > 0 ? 0 : 1;
}
