/* SPDX-License-Identifier: Apache-2.0 */
/* What Global Arrays of Blockyard have beyond the interface: docs/garray.md explains it. In Fortran
   the same names are integer functions. */
#ifndef BLOCKYARD_BLOCKYARD_GA_H
#define BLOCKYARD_BLOCKYARD_GA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. A checkpoint of n arrays, an HDF5 file with a dataset for each: the complete file is
   there on return, or what was there before. 0, or 1 if it failed; why is printed. */
int blockyard_ga_save(const char* file, const int* handles, int n);

/* Collective. Fills n arrays with those of the same names in such a file; extents and types must be
   the same. Any number of processes, any layout. 0, or 1 if it failed: no array is changed where
   the file has something else. */
int blockyard_ga_load(const char* file, const int* handles, int n);

#ifdef __cplusplus
}
#endif

#endif
