// SPDX-License-Identifier: Apache-2.0
// Files of one process and files of all, in C.
#include <eaf.h>
#include <sf.h>

#include <algorithm>
#include <cstring>

#include "blockyard/ga/exclusive_files.h"

namespace {

using namespace blockyard::ga;

constexpr Tongue in_c{false, sizeof(Integer)};

}  // namespace

extern "C" {

int EAF_Open(const char* fname, int type, int* fd) {
  return run({"EAF_Open", __builtin_return_address(0), in_c},
             [&] { return eaf::open(fname, type, fd); });
}
int EAF_Close(int fd) {
  return run({"EAF_Close", __builtin_return_address(0), in_c}, [&] { return eaf::close(fd); });
}
int EAF_Delete(const char* fname) { return eaf::remove(fname); }
int EAF_Read(int fd, eaf_off_t offset, void* buf, size_t bytes) {
  return run({"EAF_Read", __builtin_return_address(0), in_c},
             [&] { return eaf::move(eaf::Way::read, fd, offset, buf, bytes); });
}
int EAF_Write(int fd, eaf_off_t offset, const void* buf, size_t bytes) {
  return run({"EAF_Write", __builtin_return_address(0), in_c},
             [&] { return eaf::move(eaf::Way::write, fd, offset, const_cast<void*>(buf), bytes); });
}
int EAF_Aread(int fd, eaf_off_t offset, void* buf, size_t bytes, int* req_id) {
  return run({"EAF_Aread", __builtin_return_address(0), in_c},
             [&] { return eaf::begin(eaf::Way::read, fd, offset, buf, bytes, req_id); });
}
int EAF_Awrite(int fd, eaf_off_t offset, const void* buf, size_t bytes, int* req_id) {
  return run({"EAF_Awrite", __builtin_return_address(0), in_c}, [&] {
    return eaf::begin(eaf::Way::write, fd, offset, const_cast<void*>(buf), bytes, req_id);
  });
}
int EAF_Wait(int /*fd*/, int id) {
  return run({"EAF_Wait", __builtin_return_address(0), in_c}, [&] { return eaf::wait(id); });
}
int EAF_Probe(int id, int* status) {
  return run({"EAF_Probe", __builtin_return_address(0), in_c},
             [&] { return eaf::probe(id, status); });
}
int EAF_Length(int fd, eaf_off_t* length) { return eaf::length(fd, *length); }
int EAF_Truncate(int fd, eaf_off_t length) { return eaf::truncate(fd, length); }
int EAF_Eof(int code) { return eaf::is_end(code) ? 1 : 0; }
void EAF_Errmsg(int code, char* msg) { std::strcpy(msg, text_of_file_code(code).c_str()); }
int EAF_Stat(const char* path, long* avail_kb, char* fstype, int fslen) {
  eaf::Space found;
  const int code = eaf::space(path, found);
  if (code != file_ok || fslen < 1) return code;
  *avail_kb = found.kilobytes;
  found.kind.resize(std::min(found.kind.size(), static_cast<std::size_t>(fslen - 1)));
  std::strcpy(fstype, found.kind.c_str());
  return code;
}
void EAF_Print_stats(int fd) { eaf::print_stats(fd); }

int SF_Create(char* fname, SFsize_t size_hard_limit, SFsize_t /*size_soft_limit*/,
              SFsize_t /*req_size*/, int* handle) {
  return run({"SF_Create", __builtin_return_address(0), in_c},
             [&] { return sf::create(fname, size_hard_limit, -1, handle); });
}
int SF_Create_suffix(char* fname, SFsize_t size_hard_limit, SFsize_t /*size_soft_limit*/,
                     SFsize_t /*req_size*/, int* handle, int suffix) {
  return run({"SF_Create_suffix", __builtin_return_address(0), in_c},
             [&] { return sf::create(fname, size_hard_limit, suffix, handle); });
}
int SF_Open(int handle) {
  return run({"SF_Open", __builtin_return_address(0), in_c}, [&] { return sf::open(handle); });
}
int SF_Close(int handle) {
  return run({"SF_Close", __builtin_return_address(0), in_c}, [&] { return sf::close(handle); });
}
int SF_Destroy(int handle) {
  return run({"SF_Destroy", __builtin_return_address(0), in_c},
             [&] { return sf::destroy(handle); });
}
int SF_Rwtor(int handle) {
  return run({"SF_Rwtor", __builtin_return_address(0), in_c},
             [&] { return sf::make_read_only(handle); });
}
int SF_Fsync(int handle) {
  return run({"SF_Fsync", __builtin_return_address(0), in_c}, [&] { return sf::sync(handle); });
}
int SF_Write(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id) {
  return run({"SF_Write", __builtin_return_address(0), in_c},
             [&] { return sf::begin(sf::Way::write, handle, offset, bytes, buffer, req_id); });
}
int SF_Read(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id) {
  return run({"SF_Read", __builtin_return_address(0), in_c},
             [&] { return sf::begin(sf::Way::read, handle, offset, bytes, buffer, req_id); });
}
int SF_Wait(int* req_id) {
  return run({"SF_Wait", __builtin_return_address(0), in_c}, [&] { return sf::wait(req_id); });
}
int SF_Waitall(int* list, int num) {
  return run({"SF_Waitall", __builtin_return_address(0), in_c},
             [&] { return sf::wait_all(list, num); });
}
void SF_Errmsg(int code, char* msg) { std::strcpy(msg, text_of_file_code(code).c_str()); }
}
