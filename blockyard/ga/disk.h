// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/ga/fortran.h"
#include "blockyard/garray/disk.h"

// Disk resident arrays, for C and Fortran: 0 is success. Collective but probe().
namespace blockyard::ga {

/// Characters of Fortran to be filled.
struct Chars {
  char* text;
  std::size_t length;
  void fill(const std::string& with) const { fill_text(text, length, with.c_str()); }
};

/// Two INTEGERs of Fortran as a list.
class Pair {
 public:
  Pair(std::int64_t first, std::int64_t second) : values_{first, second} {}
  [[nodiscard]] Ints ints() noexcept { return values_; }

 private:
  std::int64_t values_[2];
};

namespace disk {

/// Collective. Programs may give names that differ by process: that of the first one counts.
[[nodiscard]] std::string common_text(const std::string& own);

/// most_memory: bytes that writes may hold on their way; 0 or less: the usual. The others of
/// DRA_Init are wishes of which nothing depends.
int init(double most_memory);
int terminate();
/// Of arrays to come; 0 or less: one file, all processes.
void set_default_config(int files, int readers);

struct NewArray {
  int type = 0;
  int ndim = 0;
  Ints dims = nullptr;
  std::string name, file;
  int mode = 0;
  Ints wanted = nullptr;  ///< sections that are usual
  int files = 0;          ///< 0 or less: the default
  int readers = 0;        ///< processes that use the disk; 0 or less: the default
};
int create(const NewArray& wanted, Ints d_a);
/// -1 where it cannot be opened; why is printed.
int open(const std::string& file, int mode, Ints d_a);
int close(int d_a);
int remove(int d_a);

[[nodiscard]] const garray::DiskArray& opened(int d_a);
int inquire(int d_a, Ints type, Ints ndim, Ints dims);
void print(int d_a);

enum class Way : std::uint8_t { to_disk, from_disk };
int move_all(Way way, int g_a, int d_a, Ints request);
struct Ends {
  Ints lo, hi;
};
int move_section(Way way, bool is_transposed, int g_a, Ends patch, int d_a, Ends section,
                 Ints request);
/// Checkpoints of arrays. Collective. 1 where it failed; why is printed.
int save(const char* file, Ints handles, int count);
int load(const char* file, Ints handles, int count);

/// status: -1 when it is complete, else 0.
int probe(int request, Ints status);
int wait(int request);

}  // namespace disk

namespace fortran {
int disk_inquire(int d_a, Ints type, Ints ndim, Ints dims, Chars name, Chars file);
int disk_inquire_2(int d_a, Ints type, Ints n, Ints m, Chars name, Chars file);
}  // namespace fortran

}  // namespace blockyard::ga
