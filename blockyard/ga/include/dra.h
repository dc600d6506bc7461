/* SPDX-License-Identifier: Apache-2.0 */
/* Disk resident arrays: arrays in files, which exchange sections with global arrays. All calls are
   collective but DRA_Probe. docs/garray.md explains them. */
#ifndef BLOCKYARD_DRA_H
#define BLOCKYARD_DRA_H

#include <chemio.h>
#include <typesf2c.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef long dra_size_t;

#define DRA_RW ELIO_RW
#define DRA_W ELIO_W
#define DRA_R ELIO_R
#define DRA_REQ_INVALID -333

int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory);
int DRA_Terminate();
void DRA_Set_default_config(int numfiles, int numioprocs);
void DRA_Set_debug(logical flag);
void DRA_Flick();

int NDRA_Create(int type, int ndim, dra_size_t dims[], char* name, char* filename, int mode,
                dra_size_t reqdims[], int* d_a);
int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char* name, char* filename, int mode,
                       dra_size_t reqdims[], int numfiles, int numioprocs, int* d_a);
int DRA_Open(char* filename, int mode, int* d_a);
int DRA_Close(int d_a);
int DRA_Delete(int d_a);
int NDRA_Inquire(int d_a, int* type, int* ndim, dra_size_t dims[], char* name, char* filename);
void DRA_Print_internals(int d_a);

int NDRA_Write(int g_a, int d_a, int* request);
int NDRA_Read(int g_a, int d_a, int* request);
int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                       dra_size_t dhi[], int* request);
int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                      dra_size_t dhi[], int* request);
int DRA_Probe(int request, int* compl_status);
int DRA_Wait(int request);

#ifdef __cplusplus
}
#endif

#endif
