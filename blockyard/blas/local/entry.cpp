// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/local/entry.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace blockyard::blas {

namespace {

const link_map* object_of(const void* address) noexcept {
  Dl_info found{};
  void* object = nullptr;
  if (::dladdr1(address, &found, &object, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<const link_map*>(object);
}

/// Ours, by any address in it.
const link_map* our_object() noexcept {
  static const char here = 0;
  // Found again by each of the first calls, rather than by one for which others wait: that one may
  // be interrupted by a handler that calls, or be missing in the child of a fork.
  static constinit std::atomic<const link_map*> known = nullptr;
  const link_map* ours = known.load(std::memory_order_relaxed);
  if (ours == nullptr) known.store(ours = object_of(&here), std::memory_order_relaxed);
  return ours;
}

/// In an object or what it names. Null where that is nothing but ourselves.
void* find_in(const char* object, const char* name) noexcept {
  void* const handle = ::dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const found = ::dlsym(handle, name);
  ::dlclose(handle);
  return found != nullptr && object_of(found) != our_object() ? found : nullptr;
}

/// The library that the user names, for programs whose own is not found.
void* find_in_named(const char* name) noexcept {
  const char* const path = std::getenv("BLOCKYARD_OFFLOAD_LIBRARY");
  if (path == nullptr || *path == '\0') return nullptr;
  void* const handle = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);  // it stays
  return handle == nullptr ? nullptr : ::dlsym(handle, name);
}

/// What was found in another library stays when the program closes that: plugins are loaded again,
/// and their calls come from where they came before.
void keep(void* function, const void* caller) noexcept {
  const link_map* const library = object_of(function);
  if (library == nullptr || library->l_name == nullptr || *library->l_name == '\0' ||
      library == object_of(caller))
    return;
  void* const handle = ::dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (handle != nullptr) ::dlclose(handle);
}

void write_error(const char* text) noexcept {
  static_cast<void>(::write(STDERR_FILENO, text, std::strlen(text)) < 0);
}

}  // namespace

void* find_local(const char* name, const void* caller) noexcept {
  if (void* const found = find_in_named(name)) return found;
  // As the linker: what all of the process sees, then what the caller's object names. The latter
  // alone is where a library is that Python has opened.
  if (void* const found = ::dlsym(RTLD_NEXT, name))
    if (object_of(found) != our_object()) return found;
  const link_map* const from = object_of(caller);
  if (from != nullptr && from->l_name != nullptr && *from->l_name != '\0' && from != our_object())
    if (void* const found = find_in(from->l_name, name)) return found;
  const link_map* object = our_object();
  if (object == nullptr) return nullptr;
  while (object->l_prev != nullptr) object = object->l_prev;
  for (; object != nullptr; object = object->l_next)
    if (object != our_object() && *object->l_name != '\0')
      if (void* const found = find_in(object->l_name, name)) return found;
  return nullptr;
}

bool is_inner(const void* caller, void* function, const char* word) noexcept {
  Dl_info found{};
  return object_of(caller) == object_of(function) && ::dladdr(caller, &found) != 0 &&
         found.dli_sname != nullptr && std::strstr(found.dli_sname, word) != nullptr;
}

int (*find_threads(void* function) noexcept)() {
  const link_map* const library = object_of(function);
  if (library == nullptr || *library->l_name == '\0') return nullptr;
  for (const char* name :
       {"openblas_get_num_threads", "scipy_openblas_get_num_threads",
        "scipy_openblas_get_num_threads64_", "openblas_get_num_threads64_", "MKL_Get_Max_Threads"})
    if (void* const found = find_in(library->l_name, name))
      return reinterpret_cast<int (*)()>(found);
  return nullptr;
}

/// A length whose lower half is 3 and that is negative as a whole.
int probe_width(void* function) noexcept {
  constexpr std::int64_t length = static_cast<std::int64_t>(0xffffffff00000003ULL);
  constexpr double values[3] = {1, 2, 3};
  constexpr std::int64_t step = 1;
  const link_map* const library = object_of(function);
  if (library == nullptr) return 32;
  const char* const path = *library->l_name == '\0' ? nullptr : library->l_name;
  if (void* const fortran = find_in(path, "idamax_")) {
    using Function = int (*)(const void*, const double*, const void*);
    return reinterpret_cast<Function>(fortran)(&length, values, &step) > 0 ? 32 : 64;
  }
  if (void* const c = find_in(path, "cblas_idamax")) {
    using Function = std::size_t (*)(std::int64_t, const double*, std::int64_t);
    return static_cast<int>(reinterpret_cast<Function>(c)(length, values, step)) > 0 ? 32 : 64;
  }
  return 32;
}

const Site& Entry::add(const void* caller) noexcept {
  void* const function = find_local(name_, caller);
  void* known = function;  // by which its library is known
  if (known == nullptr && substitute_ != nullptr) known = find_local(substitute_, caller);
  if (known == nullptr) end_without();
  keep(known, caller);
  // Sites are never freed: calls come until the process has ended.
  auto* const site =
      new (std::nothrow) Site{this, caller, function, width_, find_threads(known), nullptr};
  if (site == nullptr) std::abort();
  if (width_ == 0) site->width = probe_width(known);
  List& list = list_of(caller);
  const Site* first = list.load(std::memory_order_acquire);
  do {
    site->next = first;
  } while (!list.compare_exchange_weak(first, site, std::memory_order_acq_rel));
  return *site;
}

void Entry::end_without() const noexcept {
  write_error("blockyard: the program calls ");
  write_error(name_);
  write_error(
      ", but none of its libraries has that; name one with BLOCKYARD_OFFLOAD_LIBRARY=PATH\n");
  ::_exit(127);
}

}  // namespace blockyard::blas
