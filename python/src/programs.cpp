// SPDX-License-Identifier: Apache-2.0
// SIAL sources and compiled programs.
#include "blockyard/job/program_file.h"
#include "blockyard/program/print.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

/// (name, kind, names of its indexes, whether something puts to it) of every array that the user
/// declared.
nb::list arrays_of(const program::Program& program) {
  std::vector<bool> is_written(program.arrays.size());
  for (const program::Instruction& instruction : program.code)
    if (instruction.opcode == program::Opcode::put ||
        instruction.opcode == program::Opcode::put_scalar)
      is_written[static_cast<std::size_t>(
          program.selectors[static_cast<std::size_t>(instruction.a)].array)] = true;
  nb::list arrays;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const program::ArrayDecl& array = program.arrays[k];
    if (array.is_hidden) continue;
    nb::list indexes;
    for (const std::int32_t index : array.indexes)
      indexes.append(program.indexes[static_cast<std::size_t>(index)].name);
    arrays.append(nb::make_tuple(array.name, std::string(program::word_of(array.kind)),
                                 nb::tuple(indexes), bool(is_written[k])));
  }
  return arrays;
}

nb::tuple compile(const std::string& name, const input::Places& places) {
  job::LoadedProgram loaded = job::load_program(name, places);
  const std::string found = sial::render_json(loaded.found);
  const std::string text = sial::render_text(loaded.found);
  if (!loaded.program) return nb::make_tuple(nb::none(), found, text);
  return nb::make_tuple(std::move(*loaded.program), found, text);
}

}  // namespace

void bind_programs(nb::module_& module) {
  nb::class_<input::Places>(module, "Places")
      .def(nb::init<>())
      .def_rw("programs", &input::Places::programs)
      .def_rw("basis_sets", &input::Places::basis_sets)
      .def_rw("imports", &input::Places::imports)
      .def_rw("plugins", &input::Places::plugins)
      .def("add_text", [](input::Places& places, const std::string& name, const std::string& text) {
        places.texts[name] = text;
      });
  nb::class_<program::Program>(module, "Program")
      .def_ro("name", &program::Program::name)
      .def("arrays", &arrays_of)
      .def("constants",
           [](const program::Program& program) {
             nb::list names;
             for (const auto& decl : program.ints)
               if (decl.is_predefined) names.append(decl.name);
             for (const auto& decl : program.scalars)
               if (decl.is_predefined) names.append(decl.name);
             return names;
           })
      .def("print", [](const program::Program& program) { return program::print(program); });
  module.def("compile", &compile);
}

}  // namespace blockyard::python
