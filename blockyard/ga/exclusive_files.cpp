// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/exclusive_files.h"

#include <eaf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>

namespace blockyard::ga {

namespace eaf {

namespace {

Files& files() { return edge().exclusive_files; }

}  // namespace

int open(const std::string& path, int mode, Ints fd) {
  int flags = O_RDWR | O_CREAT;
  if (mode == EAF_W)
    flags = O_WRONLY | O_CREAT | O_TRUNC;
  else if (mode == EAF_R)
    flags = O_RDONLY;
  else if (mode != EAF_RW)
    return file_mode_is_unknown;
  int handle = -1;
  const int code = files().open(path, flags, 0, handle);
  if (code == file_ok) fd.set(0, handle);
  return code;
}

int close(int fd) { return files().close(fd); }
// Programs remove files that may not be there (NWChem does), and take an error for their end.
int remove(const std::string& path) {
  return ::unlink(path.c_str()) == 0 || errno == ENOENT ? file_ok : errno;
}

int move(Way way, int fd, double offset, void* buffer, std::size_t bytes) {
  return files().move(way, fd, {offset, buffer, bytes});
}

int begin(Way way, int fd, double offset, void* buffer, std::size_t bytes, Ints request) {
  int number = 0;
  const int code = files().begin(way, fd, {offset, buffer, bytes}, number);
  if (code == file_ok) request.set(0, number);
  return code;
}

int wait(int request) { return files().wait(request); }

int probe(int request, Ints status) {
  bool is_complete = false;
  const int code = files().probe(request, is_complete);
  if (code == file_ok) status.set(0, is_complete ? 0 : 1);
  return code;
}

int space(const std::string& path, Space& found) {
  struct statvfs status {};
  if (::statvfs(path.empty() ? "." : path.c_str(), &status) != 0) return errno;
  constexpr unsigned long kilobyte = 1024;
  found.kilobytes = static_cast<long>(status.f_bavail * status.f_frsize / kilobyte);
  found.kind = "ufs";
  return file_ok;
}

int stat(const std::string& path, Ints kilobytes, Chars kind) {
  Space found;
  const int code = space(path, found);
  if (code != file_ok) return code;
  // An INTEGER of 4 bytes may be too narrow for it.
  kilobytes.set(0, kilobytes.wide() != nullptr ? found.kilobytes
                                               : std::min<long>(found.kilobytes, INT32_MAX));
  kind.fill(found.kind);
  return file_ok;
}

int length(int fd, double& bytes) { return files().length(fd, bytes); }
int truncate(int fd, double bytes) { return files().truncate(fd, bytes); }
bool is_end(int code) { return code == file_ends_before; }

void print_stats(int fd) {
  const Files::Use* use = files().use(fd);
  if (use == nullptr) return;
  std::fputs(fmt::format("EAF file {}: {} reads of {} bytes, {} writes of {} bytes\n", use->path,
                         use->calls[0], use->bytes[0], use->calls[1], use->bytes[1])
                 .c_str(),
             stdout);
  std::fflush(stdout);
}

double random(int seed) {
  static std::mt19937_64 source;
  if (seed != 0) source.seed(static_cast<std::uint64_t>(seed));
  return std::uniform_real_distribution<double>(0, 1)(source);
}

}  // namespace eaf

namespace sf {

namespace {

Files& files() { return edge().shared_files; }

/// Collective. The first code of a process that is not 0, at all.
int common_code(int code) {
  const garray::Team& team = runtime().team(runtime().default_group());
  std::vector<std::int32_t> codes(team.ranks.size());
  codes[static_cast<std::size_t>(team.me)] = code;
  runtime().memory().reduce(team.group, fabric::Element::i32, fabric::Reduction::sum, codes.data(),
                            codes.size());
  for (const std::int32_t one : codes)
    if (one != file_ok) return one;
  return file_ok;
}

bool is_first() { return runtime().team(runtime().default_group()).me == 0; }

}  // namespace

int create(const std::string& path, double most_bytes, int suffix, Ints handle) {
  std::string name = disk::common_text(path);
  if (suffix >= 0) name += fmt::format(".{}", suffix);
  int number = -1, code = file_ok;
  if (is_first()) code = files().open(name, O_RDWR | O_CREAT | O_TRUNC, most_bytes, number);
  code = common_code(code);
  if (code != file_ok) return code;
  if (!is_first()) code = files().open(name, O_RDWR, most_bytes, number);
  handle.set(0, number);
  return common_code(code);
}

int open(int handle) { return common_code(files().open_again(handle)); }
int close(int handle) { return common_code(files().close(handle, false)); }

int destroy(int handle) {
  const Files::Use* use = files().use(handle);
  const std::string path = use == nullptr ? "" : use->path;
  int code = common_code(files().close(handle));
  if (code == file_ok && is_first() && ::unlink(path.c_str()) != 0) code = errno;
  return common_code(code);
}

int make_read_only(int handle) { return common_code(files().make_read_only(handle)); }

int begin(Way way, int handle, double offset, double bytes, void* buffer, Ints request) {
  int number = 0;
  if (bytes < 0) return file_offset_is_negative;
  const int code =
      files().begin(way, handle, {offset, buffer, static_cast<std::size_t>(bytes)}, number);
  if (code == file_ok) request.set(0, number);
  return code;
}

int wait(Ints request) { return files().wait(base::to_int(request[0])); }

int wait_all(Ints requests, int count) {
  int code = file_ok;
  for (int i = 0; i < count; ++i) {
    const int one = wait(requests.from(static_cast<std::size_t>(i)));
    if (code == file_ok) code = one;
  }
  return code;
}

int sync(int handle) { return files().sync(handle); }

}  // namespace sf

}  // namespace blockyard::ga
