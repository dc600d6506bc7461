// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>

#include "blockyard/base/error.h"

namespace blockyard::device {

using base::Errc;
using base::Error;
using Table = blockyard_device_table;

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

// Libraries of vendors leave threads and handlers behind: once in memory they stay there.
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
}

}  // namespace blockyard::device
