// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "blockyard/aces/dat/dat.h"
#include "blockyard/base/error.h"
#include "blockyard/job/program_file.h"
#include "blockyard/program/print.h"
#include "blockyard/store/apart.h"
#include "blockyard/store/array_file.h"
#include "blockyard/store/persist_file.h"
#include "blockyard/store/posix.h"
#include "blockyard/store/spill_file.h"
#include "blockyard/store/tile_file.h"

namespace blockyard::app {

namespace {

bool is_hdf5(const std::string& path) {
  constexpr std::string_view magic = "\x89HDF\r\n\x1a\n";
  std::string head(magic.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in && head == magic;
}

/// Of GA's numbers of C types.
store::ElementKind garray_element(const store::TiledArray& array) {
  using Number = store::ElementKind::Number;
  const std::size_t bytes = array.element_bytes;
  switch (array.kind) {
    case 1001:
      return {Number::i32, bytes};
    case 1002:
    case 1016:
      return {Number::i64, bytes};
    case 1003:
      return {Number::f32, bytes};
    case 1004:
      return {Number::f64, bytes};
    case 1006:
      return {Number::c64, bytes};
    case 1007:
      return {Number::c128, bytes};
    default:
      return {Number::opaque, bytes};
  }
}

void dump_persistent(const std::string& path) {
  const store::PersistReader reader(path);
  for (const std::string& label : reader.scalars()) {
    const auto [value, is_complex] = reader.read_scalar(label);
    if (is_complex)
      print_out("complex scalar \"{}\" = ({},{})\n", label, value.real(), value.imag());
    else
      print_out("scalar \"{}\" = {}\n", label, value.real());
  }
  for (const std::string& label : reader.arrays()) {
    const store::PersistedArray array = reader.describe(label);
    const std::vector<std::uint8_t> blocks = reader.blocks(label);
    std::vector<std::string> indexes;
    for (const auto& segments : array.segments)
      indexes.push_back(fmt::format("{}", fmt::join(segments, " ")));
    print_out("{}{}{} array \"{}\" [{}]: {} of {} blocks\n",
              array.elements.is_single ? "single " : "",
              array.elements.is_complex ? "complex " : "", array.kind, label,
              fmt::join(indexes, " | "), std::ranges::count(blocks, 1), blocks.size());
  }
}

/// A disk resident array as a dataset of an HDF5 file.
void export_tiles(const std::string& from, const std::string& to) {
  store::PosixStore files;
  store::TileFile tiles(files, from, store::OpenMode::read);
  const store::TiledArray& array = tiles.array();
  const std::string name = array.name.empty() ? "array" : array.name;
  store::ArrayWriter out(to);
  out.begin(name, {{array.extents.rbegin(), array.extents.rend()}, garray_element(array)});
  std::vector<std::byte> values;
  for (base::Extent number = 0; number < tiles.tile_count(); ++number) {
    const store::Tile tile = tiles.tile(number);
    values.resize(static_cast<std::size_t>(tile.element_count()) * array.element_bytes);
    if (!tiles.read(number, values)) continue;  // HDF5 also has zeros there
    out.write(name,
              {{tile.first.rbegin(), tile.first.rend()}, {tile.count.rbegin(), tile.count.rend()}},
              values);
  }
  out.finish();
}

int dump(const std::string& path) {
  if (job::is_compiled(path)) {
    print_out("{}", program::print(*job::load_program(path, {}).program));
  } else if (aces::dat::is_dat_name(path)) {
    print_out("{}", aces::dat::print_dat(aces::dat::read_dat_file(path)));
  } else if (is_hdf5(path)) {
    dump_persistent(path);
  } else {
    store::PosixStore files;
    const auto file = files.open(path, store::OpenMode::read);
    if (store::is_tile_file(*file))
      print_out("{}", store::describe_tile_file(files, path));
    else if (store::is_spill_file(*file))
      print_out("{}", store::describe_spill_file(*file, path));
    else
      throw base::Error(base::Errc::bad_input,
                        path +
                            " is none of the files that dump shows, by its name and its first "
                            "bytes: compiled programs, .dat, spill files, disk arrays, "
                            "persistent arrays");
  }
  return 0;
}

}  // namespace

void add_dump(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand(
      "dump",
      "Show the contents of a compiled program, .dat, spill file, disk array or file of persistent "
      "arrays");
  const auto file = std::make_shared<std::string>();   // shared with the function below
  const auto opcodes = std::make_shared<bool>(false);  // likewise
  const auto hdf5 = std::make_shared<std::string>();   // likewise
  CLI::Option* name = command->add_option("file", *file, "file to show");
  CLI::Option* flag = command->add_flag(
      "--opcodes", *opcodes, "print the table of instructions instead (docs/bytecode.md)");
  name->excludes(flag);
  command->add_option("--hdf5", *hdf5, "write a disk array to this HDF5 file instead")
      ->type_name("FILE")
      ->excludes(flag);
  command->callback([name, flag] {
    if (name->count() + flag->count() == 0) throw CLI::RequiredError("file");
  });
  commands[command] = [file, opcodes, hdf5] {
    if (!hdf5->empty()) {
      store::check_apart({*file}, {*hdf5});
      export_tiles(*file, *hdf5);
      return 0;
    }
    if (!*opcodes) return dump(*file);
    print_out("{}", program::print_opcode_table());
    return 0;
  };
}

}  // namespace blockyard::app
