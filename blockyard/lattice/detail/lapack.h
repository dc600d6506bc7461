// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

// Column-major; `info` 0 is success.
extern "C" {
void zgesv_(const int* n, const int* nrhs, std::complex<double>* a, const int* lda, int* pivots,
            std::complex<double>* b, const int* ldb, int* info);
void zgeev_(const char* left, const char* right, const int* n, std::complex<double>* a,
            const int* lda, std::complex<double>* values, std::complex<double>* vl, const int* ldvl,
            std::complex<double>* vr, const int* ldvr, std::complex<double>* work, const int* lwork,
            double* rwork, int* info);
}
