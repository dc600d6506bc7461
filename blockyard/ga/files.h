// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "blockyard/base/handle.h"
#include "blockyard/garray/background.h"

namespace blockyard::ga {

/// The results of calls on files: 0, what the system says (errno), or one of these.
enum FileCode : int {
  file_ok = 0,
  file_ends_before = -10001,
  file_is_not_open = -10002,
  file_offset_is_negative = -10003,
  file_limit_reached = -10004,
  file_request_is_unknown = -10005,
  file_mode_is_unknown = -10006,
};
[[nodiscard]] std::string text_of_file_code(int code);

/// Files of bytes at offsets, by handle, as programs of EAF and SF use them: errors are codes.
/// One thread.
class Files {
 public:
  enum class Way : std::uint8_t { read, write };
  struct Bytes {
    double offset = 0;
    void* memory = nullptr;
    std::size_t count = 0;
  };
  struct Use {
    std::string path;
    std::uint64_t calls[2] = {0, 0}, bytes[2] = {0, 0};  ///< by Way
  };

  /// flags: of open(2). most_bytes: a limit of its length; 0: none.
  [[nodiscard]] int open(const std::string& path, int flags, double most_bytes, int& handle);
  /// The same under a handle that was closed; nothing if it is open.
  [[nodiscard]] int open_again(int handle);
  /// From then on, also if it is closed and opened again. Requests are complete then.
  [[nodiscard]] int make_read_only(int handle);
  /// Requests are complete then. The handle stays for open_again() unless `must_forget`.
  [[nodiscard]] int close(int handle, bool must_forget = true);

  [[nodiscard]] int move(Way way, int handle, const Bytes& bytes);
  /// Begins it. The memory is to be left alone until wait().
  [[nodiscard]] int begin(Way way, int handle, const Bytes& bytes, int& request);
  /// The result of a request, once complete; its number is invalid afterwards.
  [[nodiscard]] int wait(int request);
  [[nodiscard]] int probe(int request, bool& is_complete);

  [[nodiscard]] int length(int handle, double& bytes);
  [[nodiscard]] int truncate(int handle, double bytes);
  [[nodiscard]] int sync(int handle);
  /// Null for an unknown handle.
  [[nodiscard]] const Use* use(int handle) const;

 private:
  struct DescriptorKind {
    using Raw = int;
    static Raw null() noexcept { return -1; }
    static void release(Raw raw) noexcept;
  };
  class Descriptor : public base::Handle<DescriptorKind> {
   public:
    using Handle::Handle;
  };
  struct Kept {
    Use use;
    Descriptor descriptor;
    double most_bytes = 0;
    int flags = 0;  ///< to open it again
  };
  struct Request {
    garray::Background::Ticket ticket = 0;
    std::shared_ptr<std::atomic<int>> code;  // shared with the work
  };
  [[nodiscard]] Kept* find(int handle, int& code);
  [[nodiscard]] int check(Way way, int handle, const Bytes& bytes, int& descriptor);

  std::map<int, Kept> files_;
  std::map<int, Request> requests_;
  int next_handle_ = 0, next_request_ = 1;
  garray::Background background_;
};

}  // namespace blockyard::ga
