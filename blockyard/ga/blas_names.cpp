// SPDX-License-Identifier: Apache-2.0
// Products of matrices under the names that test programs of Global Arrays find in its library.
#include "blockyard/garray/lapack.h"

extern "C" {

void xb_sgemm(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
              const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
              const float* beta, float* c, const int* ldc) {
  sgemm_(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void xb_dgemm(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
              const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
              const double* beta, double* c, const int* ldc) {
  dgemm_(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void xb_zgemm(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
              const std::complex<double>* alpha, const std::complex<double>* a, const int* lda,
              const std::complex<double>* b, const int* ldb, const std::complex<double>* beta,
              std::complex<double>* c, const int* ldc) {
  zgemm_(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}
