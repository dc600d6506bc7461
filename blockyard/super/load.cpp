// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/load.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "blockyard/super/c_abi.h"
#include "blockyard/super/detail/aces_functions.h"

namespace blockyard::super {

using base::Errc;
using base::Error;

namespace {

template <class Map, class Value>
int look_up(const Map* map, const char* name, Value* value) noexcept {
  if (map == nullptr) return 1;
  const auto found = map->find(std::string_view(name));
  if (found == map->end()) return 1;
  *value = found->second;
  return 0;
}

const Context& context_of(const void* self) noexcept { return *static_cast<const Context*>(self); }

int int_constant(const void* self, const char* name, std::int64_t* value) {
  return look_up(context_of(self).ints, name, value);
}

int scalar_constant(const void* self, const char* name, double* value) {
  return look_up(context_of(self).scalars, name, value);
}

bool is_kind(std::int32_t kind) noexcept {
  return kind >= 0 && kind < static_cast<std::int32_t>(array::kind_count);
}

int segment_count(const void* self, std::int32_t kind, std::int64_t* value) {
  const array::Segments* segments = context_of(self).segments;
  if (segments == nullptr || !is_kind(kind)) return 1;
  *value = segments->count(static_cast<array::IndexKind>(kind));
  return 0;
}

int segment_extent(const void* self, std::int32_t kind, std::int64_t number, std::int64_t* value) {
  const array::Segments* segments = context_of(self).segments;
  if (segments == nullptr || !is_kind(kind)) return 1;
  const auto index_kind = static_cast<array::IndexKind>(kind);
  if (number < 1 || number > segments->count(index_kind)) return 1;
  *value = segments->extent(index_kind, number);
  return 0;
}

int predefined_array(const void* self, const char* name, std::int32_t* order,
                     const std::int64_t** extents, const double** values) {
  const auto* arrays = context_of(self).arrays;
  if (arrays == nullptr) return 1;
  const auto found = arrays->find(std::string_view(name));
  if (found == arrays->end()) return 1;
  *order = static_cast<std::int32_t>(found->second.extents.size());
  *extents = found->second.extents.data();
  *values = found->second.values.data();
  return 0;
}

/// Calls a C function with operands and context in the layout of c_abi.h.
class Caller {
 public:
  explicit Caller(blockyard_super_function function) : function_(function) {}

  void operator()(std::span<Operand> operands, const Context& context) {
    translate(operands);
    std::array<char, 512> message{};
    const blockyard_context c_context{&context,
                                      context.worker,
                                      context.workers,
                                      message.data(),
                                      static_cast<std::int64_t>(message.size()),
                                      &int_constant,
                                      &scalar_constant,
                                      &segment_count,
                                      &segment_extent,
                                      &predefined_array};
    const int status =
        function_(operands_.data(), static_cast<std::int32_t>(operands_.size()), &c_context);
    if (status == 0) return;
    message.back() = '\0';
    throw Error(Errc::bad_input, message[0] != '\0' ? std::string(message.data())
                                                    : fmt::format("it returned status {}", status));
  }

 private:
  void translate(std::span<Operand> operands) {
    operands_.clear();
    names_.resize(operands.size());
    kinds_.resize(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Operand& from = operands[k];
      names_[k] = from.name;
      std::ranges::transform(from.kinds, kinds_[k].begin(),
                             [](array::IndexKind kind) { return static_cast<std::int32_t>(kind); });
      operands_.push_back(
          {names_[k].c_str(), from.values.data(), static_cast<std::int64_t>(from.element_count()),
           from.extents.data(), from.segments.data(), kinds_[k].data(),
           static_cast<std::int32_t>(from.extents.size()), static_cast<std::int32_t>(from.access),
           from.bytes().data(), static_cast<std::int32_t>(from.type)});
    }
  }

  blockyard_super_function function_;
  std::vector<blockyard_operand> operands_;
  std::vector<std::string> names_;
  std::vector<std::array<std::int32_t, array::max_order>> kinds_;
};

void check_entry(const std::string& path, const blockyard_super_instruction& entry) {
  if (entry.name == nullptr || entry.name[0] == '\0')
    throw Error(Errc::bad_input, fmt::format("{}: a super instruction without a name", path));
  if (entry.signature == nullptr || entry.function == nullptr)
    throw Error(Errc::bad_input, fmt::format("{}: super instruction {} has no {}", path, entry.name,
                                             entry.function ? "signature" : "function"));
}

}  // namespace

void Library::SharedObject::release(Raw raw) noexcept { dlclose(raw); }

Library::Library(const std::string& name)
    : path_(name.starts_with(aces_prefix) ? name.substr(aces_prefix.size()) : name),
      calls_(name.starts_with(aces_prefix) ? std::make_unique<std::mutex>() : nullptr) {
  open();
  if (calls_ == nullptr) read_table();
}

void Library::open() {
  const std::string file = path_.find('/') == std::string::npos ? "./" + path_ : path_;
  object_ = base::Handle<SharedObject>(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!object_)
    throw Error(Errc::bad_input,
                fmt::format("cannot load the super instructions: {}{}", dlerror(),
                            calls_ == nullptr ? ""
                                              : "\n  of ACES4's runtime there is the convention of "
                                                "the arguments, and none of its functions"));
}

void Library::read_table() {
  // POSIX promises that a pointer from dlsym may be cast to a function.
  const auto exported = reinterpret_cast<blockyard_super_instructions_function>(
      dlsym(object_.get(), "blockyard_super_instructions"));
  if (exported == nullptr)
    throw Error(Errc::bad_input,
                fmt::format("{0} exports no function blockyard_super_instructions: is it a library "
                            "made with blockyard/super/c_abi.h? One with super instructions "
                            "compiled for ACES4 is given as {1}{0}",
                            path_, aces_prefix));
  instructions_ = exported();
  if (instructions_ == nullptr || instructions_->version != blockyard_super_abi_version)
    throw Error(Errc::bad_input,
                fmt::format("{} was made for version {} of c_abi.h, this program has version {}: "
                            "compile it anew",
                            path_, instructions_ ? instructions_->version : 0,
                            static_cast<int>(blockyard_super_abi_version)));
  for (std::uint32_t k = 0; k < instructions_->count; ++k)
    check_entry(path_, instructions_->instructions[k]);
}

void Library::add_to(Table& table, std::span<const Declared> declared) const {
  if (calls_ != nullptr)
    return detail::add_aces_functions(table, object_.get(), path_, *calls_, declared);
  for (std::uint32_t k = 0; k < instructions_->count; ++k) {
    const blockyard_super_instruction& entry = instructions_->instructions[k];
    try {
      table.add({entry.name,
                 entry.signature,
                 Caller(entry.function),
                 {},
                 entry.types != nullptr ? entry.types : ""});
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", path_, error.what()));
    }
  }
}

}  // namespace blockyard::super
