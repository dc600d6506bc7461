// SPDX-License-Identifier: Apache-2.0
// Disk resident arrays in C.
#include <blockyard_ga.h>
#include <dra.h>

#include <cstring>

#include "blockyard/ga/disk.h"

namespace {

using blockyard::ga::run;
namespace disk = blockyard::ga::disk;

constexpr blockyard::ga::Tongue in_c{false, sizeof(Integer)};

}  // namespace

extern "C" {

int DRA_Init(int /*max_arrays*/, double /*max_array_size*/, double /*total_disk_space*/,
             double max_memory) {
  return run({"DRA_Init", __builtin_return_address(0), in_c},
             [&] { return disk::init(max_memory); });
}
int DRA_Terminate() {
  return run({"DRA_Terminate", __builtin_return_address(0), in_c},
             [] { return disk::terminate(); });
}
void DRA_Set_default_config(int numfiles, int numioprocs) {
  run({"DRA_Set_default_config", __builtin_return_address(0), in_c},
      [&] { disk::set_default_config(numfiles, numioprocs); });
}
void DRA_Set_debug(logical /*flag*/) {}
void DRA_Flick() {}

int NDRA_Create(int type, int ndim, dra_size_t dims[], char* name, char* filename, int mode,
                dra_size_t reqdims[], int* d_a) {
  return run({"NDRA_Create", __builtin_return_address(0), in_c}, [&] {
    return disk::create({type, ndim, dims, name, filename, mode, reqdims}, d_a);
  });
}
int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char* name, char* filename, int mode,
                       dra_size_t reqdims[], int numfiles, int numioprocs, int* d_a) {
  return run({"NDRA_Create_config", __builtin_return_address(0), in_c}, [&] {
    return disk::create({type, ndim, dims, name, filename, mode, reqdims, numfiles, numioprocs},
                        d_a);
  });
}
int DRA_Open(char* filename, int mode, int* d_a) {
  return run({"DRA_Open", __builtin_return_address(0), in_c},
             [&] { return disk::open(filename, mode, d_a); });
}
int DRA_Close(int d_a) {
  return run({"DRA_Close", __builtin_return_address(0), in_c}, [&] { return disk::close(d_a); });
}
int DRA_Delete(int d_a) {
  return run({"DRA_Delete", __builtin_return_address(0), in_c}, [&] { return disk::remove(d_a); });
}
int NDRA_Inquire(int d_a, int* type, int* ndim, dra_size_t dims[], char* name, char* filename) {
  return run({"NDRA_Inquire", __builtin_return_address(0), in_c}, [&] {
    std::strcpy(name, disk::opened(d_a).array().name.c_str());
    std::strcpy(filename, disk::opened(d_a).file().path().c_str());
    return disk::inquire(d_a, type, ndim, dims);
  });
}
void DRA_Print_internals(int d_a) {
  run({"DRA_Print_internals", __builtin_return_address(0), in_c}, [&] { disk::print(d_a); });
}

int NDRA_Write(int g_a, int d_a, int* request) {
  return run({"NDRA_Write", __builtin_return_address(0), in_c},
             [&] { return disk::move_all(disk::Way::to_disk, g_a, d_a, request); });
}
int NDRA_Read(int g_a, int d_a, int* request) {
  return run({"NDRA_Read", __builtin_return_address(0), in_c},
             [&] { return disk::move_all(disk::Way::from_disk, g_a, d_a, request); });
}
int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                       dra_size_t dhi[], int* request) {
  return run({"NDRA_Write_section", __builtin_return_address(0), in_c}, [&] {
    return disk::move_section(disk::Way::to_disk, transp != 0, g_a, {glo, ghi}, d_a, {dlo, dhi},
                              request);
  });
}
int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                      dra_size_t dhi[], int* request) {
  return run({"NDRA_Read_section", __builtin_return_address(0), in_c}, [&] {
    return disk::move_section(disk::Way::from_disk, transp != 0, g_a, {glo, ghi}, d_a, {dlo, dhi},
                              request);
  });
}
int DRA_Probe(int request, int* compl_status) {
  return run({"DRA_Probe", __builtin_return_address(0), in_c},
             [&] { return disk::probe(request, compl_status); });
}
int DRA_Wait(int request) {
  return run({"DRA_Wait", __builtin_return_address(0), in_c}, [&] { return disk::wait(request); });
}

int blockyard_ga_save(const char* file, const int* handles, int n) {
  return run({"blockyard_ga_save", __builtin_return_address(0), in_c},
             [&] { return disk::save(file, const_cast<int*>(handles), n); });
}
int blockyard_ga_load(const char* file, const int* handles, int n) {
  return run({"blockyard_ga_load", __builtin_return_address(0), in_c},
             [&] { return disk::load(file, const_cast<int*>(handles), n); });
}
}
