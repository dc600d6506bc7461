// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/ga/disk.h"

// Files of one process (EAF) and files of all (SF), for C and Fortran. All return codes.
namespace blockyard::ga {

namespace eaf {
using Way = Files::Way;

int open(const std::string& path, int mode, Ints fd);
int close(int fd);
int remove(const std::string& path);
int move(Way way, int fd, double offset, void* buffer, std::size_t bytes);
int begin(Way way, int fd, double offset, void* buffer, std::size_t bytes, Ints request);
int wait(int request);
/// status: 0 when it is complete, else 1.
int probe(int request, Ints status);
/// Kilobytes that are free, and what kind of file system it is.
struct Space {
  long kilobytes = 0;
  std::string kind;
};
int space(const std::string& path, Space& found);
int stat(const std::string& path, Ints kilobytes, Chars kind);
int length(int fd, double& bytes);
int truncate(int fd, double bytes);
[[nodiscard]] bool is_end(int code);
void print_stats(int fd);
/// From 0 to 1. seed: 0 continues.
[[nodiscard]] double random(int seed);
}  // namespace eaf

namespace sf {
using Way = Files::Way;

/// Collective. A new file; `suffix` becomes part of its name unless it is less than 0.
int create(const std::string& path, double most_bytes, int suffix, Ints handle);
/// Collective, each of them.
int open(int handle);
int close(int handle);
int destroy(int handle);
int make_read_only(int handle);

int begin(Way way, int handle, double offset, double bytes, void* buffer, Ints request);
int wait(Ints request);
int wait_all(Ints requests, int count);
int sync(int handle);
}  // namespace sf

}  // namespace blockyard::ga
