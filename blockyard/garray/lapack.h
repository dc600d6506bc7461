// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

// The routines of BLAS and LAPACK that this room calls, with 4-byte integers.
extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void cgemm_(const char*, const char*, const int*, const int*, const int*,
            const std::complex<float>*, const std::complex<float>*, const int*,
            const std::complex<float>*, const int*, const std::complex<float>*,
            std::complex<float>*, const int*);
void zgemm_(const char*, const char*, const int*, const int*, const int*,
            const std::complex<double>*, const std::complex<double>*, const int*,
            const std::complex<double>*, const int*, const std::complex<double>*,
            std::complex<double>*, const int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*,
             const int*, int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
void dpotrs_(const char*, const int*, const int*, const double*, const int*, double*, const int*,
             int*);
void dpotri_(const char*, const int*, double*, const int*, int*);
void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*,
            int*);
void dsygv_(const int*, const char*, const char*, const int*, double*, const int*, double*,
            const int*, double*, double*, const int*, int*);
void zheev_(const char*, const char*, const int*, std::complex<double>*, const int*, double*,
            std::complex<double>*, const int*, double*, int*);
void zheevd_(const char*, const char*, const int*, std::complex<double>*, const int*, double*,
             std::complex<double>*, const int*, double*, const int*, int*, const int*, int*);
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*,
             const int*, int*, const int*, int*);
void dsygvd_(const int*, const char*, const char*, const int*, double*, const int*, double*,
             const int*, double*, double*, const int*, int*, const int*, int*);
}
