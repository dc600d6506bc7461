// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "blockyard/base/error.h"
#include "blockyard/base/split.h"

namespace blockyard::device {

namespace fs = std::filesystem;

using base::Errc;
using base::Error;
using Table = blockyard_device_table;

namespace {

constexpr std::string_view name_begin = "libblockyard_device_";
constexpr std::string_view name_end = ".so";

/// A folder must have something in it.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return fs::exists(path, ignored);
  return fs::directory_iterator(path, ignored) != fs::directory_iterator();
}

}  // namespace

std::string plugin_path(std::string_view folder, std::string_view kind) {
  return (fs::path(folder) / fmt::format("{}{}{}", name_begin, kind, name_end)).string();
}

std::vector<std::string> plugin_kinds(const std::string& folder) {
  std::vector<std::string> kinds;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(name_begin) && name.ends_with(name_end))
      kinds.push_back(
          name.substr(name_begin.size(), name.size() - name_begin.size() - name_end.size()));
  }
  std::ranges::sort(kinds);
  return kinds;
}

std::string table_fault(const Table* table) {
  if (table == nullptr) return "it gives no table";
  if (table->version != blockyard_device_version)
    return fmt::format("its table has version {}, we need version {}", table->version,
                       static_cast<int>(blockyard_device_version));
  if (table->size < sizeof(Table))
    return fmt::format("its table has {} bytes, we need {}", table->size, sizeof(Table));
  // After the two numbers the table is nothing but function pointers.
  using Function = void (*)();
  constexpr std::size_t first = offsetof(Table, count);
  for (std::size_t at = first; at < sizeof(Table); at += sizeof(Function)) {
    Function function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(table) + at, sizeof function);
    if (function == nullptr)
      return fmt::format("function {} of its table is missing",
                         (at - first) / sizeof(Function) + 1);
  }
  return {};
}

void Plugin::LibraryKind::release(Raw raw) noexcept { dlclose(raw); }

// Vendor libraries leave threads and handlers running: once loaded they are never unloaded.
Plugin::Plugin(const std::string& path)
    : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
  if (!library_) {
    const char* cause = dlerror();
    throw Error(Errc::device, fmt::format("cannot load the device plug-in '{}': {}", path,
                                          cause == nullptr ? "unknown cause" : cause));
  }
  void* symbol = dlsym(library_.get(), "blockyard_device_plugin");
  if (symbol == nullptr)
    throw Error(Errc::device, fmt::format("'{}' is not a device plug-in: it does not export "
                                          "blockyard_device_plugin",
                                          path));
  table_ = reinterpret_cast<decltype(&blockyard_device_plugin)>(symbol)();
  if (const std::string fault = table_fault(table_); !fault.empty())
    throw Error(Errc::device, fmt::format("the device plug-in '{}': {}", path, fault));
  about_.open_after_seconds = 2.0;
  if (void* const about = dlsym(library_.get(), "blockyard_device_about")) {
    const auto& theirs = *reinterpret_cast<decltype(&blockyard_device_about)>(about)();
    std::memcpy(&about_, &theirs, std::min<std::size_t>(theirs.size, sizeof about_));
  }
}

bool Plugin::shows_what_it_needs() const {
  return about_.needs == nullptr || std::ranges::any_of(base::split(about_.needs, ':'), is_there);
}

}  // namespace blockyard::device
