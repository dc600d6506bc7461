// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/load.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "blockyard/super/c_abi.h"
#include "blockyard/super/detail/aces_functions.h"
#include "blockyard/super/device_form.h"

namespace blockyard::super {

using base::Errc;
using base::Error;

namespace {

template <class Map, class Value>
int look_up(const Map* map, const char* name, Value* value) noexcept {
  if (map == nullptr) return 1;
  const auto found = map->find(std::string_view(name));
  if (found == map->end()) return 1;
  *value = static_cast<Value>(found->second);
  return 0;
}

const Context& context_of(const void* self) noexcept { return *static_cast<const Context*>(self); }

int int_constant(const void* self, const char* name, std::int64_t* value) {
  return look_up(context_of(self).ints, name, value);
}

/// An int too, as Context::scalar_constant does: a user writes 2 for 2.0.
int scalar_constant(const void* self, const char* name, double* value) {
  const Context& context = context_of(self);
  return look_up(context.scalars, name, value) == 0 ? 0 : look_up(context.ints, name, value);
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

/// Operands and context in the layout of c_abi.h. One is kept for each function of a table, so that
/// an execute allocates nothing once its operands have been seen.
class Translated {
 public:
  Translated() = default;
  void set(std::span<const Operand> operands, const Context& context) {
    context_ = {&context,
                context.worker,
                context.workers,
                message_.data(),
                static_cast<std::int64_t>(message_.size()),
                &int_constant,
                &scalar_constant,
                &segment_count,
                &segment_extent,
                &predefined_array};
    message_.front() = '\0';
    operands_.clear();
    names_.resize(operands.size());
    kinds_.resize(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Operand& from = operands[k];
      names_[k] = from.name;
      std::ranges::transform(from.kinds, kinds_[k].begin(),
                             [](array::IndexKind kind) { return static_cast<std::int32_t>(kind); });
      operands_.push_back({names_[k].c_str(), from.values.data(), super::element_count(from),
                           from.extents.data(), from.segments.data(), kinds_[k].data(),
                           static_cast<std::int32_t>(from.extents.size()),
                           static_cast<std::int32_t>(from.access), from.bytes().data(),
                           static_cast<std::int32_t>(from.type)});
    }
  }
  Translated(const Translated&) = delete;  // the context points to the message
  Translated& operator=(const Translated&) = delete;

  /// function(operands, their count, context, more...)
  template <class Callee, class... More>
  [[nodiscard]] int call(Callee function, More... more) {
    return function(operands_.data(), static_cast<std::int32_t>(operands_.size()), &context_,
                    more...);
  }
  [[nodiscard]] std::string message() {
    message_.back() = '\0';
    return message_.data();
  }

 private:
  std::array<char, 512> message_{};
  blockyard_context context_{};
  std::vector<blockyard_operand> operands_;
  std::vector<std::string> names_;
  std::vector<std::array<std::int32_t, array::max_order>> kinds_;
};

Function calling(blockyard_super_function function) {
  // Shared by copies of the entry, which are of one table and so of one thread.
  return [function, translated = std::make_shared<Translated>()](std::span<Operand> operands,
                                                                 const Context& context) {
    translated->set(operands, context);
    const int status = translated->call(function);
    if (status == 0) return;
    const std::string message = translated->message();
    throw Error(Errc::bad_input,
                message.empty() ? fmt::format("it returned status {}", status) : message);
  };
}

std::shared_ptr<const DeviceForm> device_form_of(const blockyard_super_device_form& form) {
  const auto text = [](const char* of) { return std::string(of == nullptr ? "" : of); };
  auto made = std::make_shared<DeviceForm>();
  made->types = text(form.types);
  made->entry = text(form.entry);
  made->order = form.order;
  for (const blockyard_super_value& one : std::span(form.values, form.value_count))
    made->values.push_back({text(one.type), one.bytes});
  made->host = form.host;
  made->opencl = text(form.opencl);
  made->cuda = text(form.cuda);
  made->ptx = text(form.ptx);
  if (form.prepare != nullptr)
    made->prepare = [prepare = form.prepare, translated = std::make_shared<Translated>()](
                        std::span<const Operand> operands, const Context& context,
                        DeviceCall& call) {
      blockyard_super_call c_call{};
      std::ranges::copy(call.extents, c_call.extents);
      std::vector<void*> values;
      for (auto& value : call.values) values.push_back(value.data());
      c_call.values = values.data();
      translated->set(operands, context);
      if (translated->call(prepare, &c_call) != 0) return false;
      std::ranges::copy(c_call.extents, call.extents.begin());
      return true;
    };
  return made;
}

void check_form(const std::string& path, const blockyard_super_device_form& form,
                const blockyard_super_table& instructions) {
  const std::string name = form.name == nullptr ? "" : form.name;
  const std::span all(instructions.instructions, instructions.count);
  if (std::ranges::find(all, name, &blockyard_super_instruction::name) == all.end())
    throw Error(
        Errc::bad_input,
        fmt::format("{}: a device form of '{}', which is not an instruction of this library", path,
                    name));
  if (form.value_count > 0 && form.values == nullptr)
    throw Error(Errc::bad_input,
                fmt::format("{}: the device form of '{}' has no list of values", path, name));
}

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
  read_forms();
}

void Library::read_forms() {
  const auto exported = reinterpret_cast<blockyard_super_device_forms_function>(
      dlsym(object_.get(), "blockyard_super_device_forms"));
  if (exported == nullptr) return;
  forms_ = exported();
  if (forms_ == nullptr || forms_->version != blockyard_super_device_version)
    throw Error(Errc::bad_input,
                fmt::format("{} has device forms for version {} of c_abi.h, this program has "
                            "version {}: compile it anew",
                            path_, forms_ ? forms_->version : 0,
                            static_cast<int>(blockyard_super_device_version)));
  for (const auto& form : std::span(forms_->forms, forms_->count))
    check_form(path_, form, *instructions_);
}

void Library::add_to(Table& table, std::span<const Declared> declared) const {
  if (calls_ != nullptr)
    return detail::add_aces_functions(table, object_.get(), path_, *calls_, declared);
  for (std::uint32_t k = 0; k < instructions_->count; ++k) {
    const blockyard_super_instruction& entry = instructions_->instructions[k];
    try {
      Entry added{entry.name,
                  entry.signature,
                  calling(entry.function),
                  {},
                  entry.types != nullptr ? entry.types : ""};
      if (forms_ != nullptr)
        for (const auto& form : std::span(forms_->forms, forms_->count))
          if (added.name == form.name) added.device = device_form_of(form);
      table.add(std::move(added));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", path_, error.what()));
    }
  }
}

}  // namespace blockyard::super
