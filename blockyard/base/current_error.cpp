// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/current_error.h"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace blockyard::base {

Error current_error() {
  constexpr const char* no_memory =
      "the system refuses more memory: free some, or raise the limits of this process (ulimit -v, "
      "control groups)";
  constexpr const char* no_thread =
      "the system refuses another thread: raise the limits of this process (ulimit -u, ulimit -v, "
      "control groups)";
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {Errc::no_memory, no_memory};
  } catch (const std::length_error&) {  // a container longer than any memory
    return {Errc::no_memory, no_memory};
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    return {Errc::io, path.empty() ? error.what() : path + ": " + error.code().message()};
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      return {Errc::no_memory, no_thread};
    return {Errc::internal, error.what()};
  } catch (const std::exception& error) {
    return {Errc::internal, error.what()};
  } catch (...) {
    return {Errc::internal, "an error of unknown type"};
  }
}

}  // namespace blockyard::base
