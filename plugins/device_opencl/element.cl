// SPDX-License-Identifier: Apache-2.0
// What kernels.cl and whole.cl begin with: the type T of elements. R: the real type; COMPLEX: 0 or 1.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#if COMPLEX
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(R, 2) T;
#define TIMES(p, q) ((T)((p).x * (q).x - (p).y * (q).y, (p).x * (q).y + (p).y * (q).x))
#define CONJUGATE(p, yes) ((yes) ? (T)((p).x, -(p).y) : (p))
#define IS_ZERO(p) ((p).x == 0 && (p).y == 0)
// p times q, where an infinity in q times the zero imaginary part of p is no NaN.
#define SCALED(p, q) ((p).y == 0 ? (p).x * (q) : TIMES(p, q))
#else
typedef R T;
#define TIMES(x, y) ((x) * (y))
#define CONJUGATE(x, yes) (x)
#define IS_ZERO(x) ((x) == 0)
#define SCALED(x, y) ((x) * (y))
#endif

