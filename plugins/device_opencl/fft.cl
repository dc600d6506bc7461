// SPDX-License-Identifier: Apache-2.0
// Fourier transforms along one index of a block, by Stockham's passes of mixed radix.
// R: the real type. A block is [inner][n][outer], first index fastest, of complex elements that
// are aligned as R. A work item does `chunk` neighbouring butterflies.

#define CONCAT(a, b) a##b
#define PAIR(r) CONCAT(r, 2)
typedef PAIR(R) R2;

R2 times(R2 a, R2 b) { return (R2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
/// a times -i sign: sign is 1 for the transform with exp(-i...), else -1.
R2 turned(R2 a, R sign) { return (R2)(sign * a.y, -sign * a.x); }

/// exp(-2 pi i number sign / n), of two tables: powers below 1 << shift, then every such power.
R2 root(global const R* roots, long number, int shift, R sign) {
  const long high = number >> shift;
  R2 value = vload2(number & ((1L << shift) - 1), roots);
  if (high > 0) value = times(value, vload2((1L << shift) + high, roots));
  value.y *= sign;
  return value;
}

void dft2(R2* u, R sign) {
  const R2 first = u[0];
  u[0] = first + u[1];
  u[1] = first - u[1];
}

void dft3(R2* u, R sign) {
  const R2 sum = u[1] + u[2], turn = turned((R)0.86602540378443864676 * (u[1] - u[2]), sign);
  const R2 middle = u[0] - (R)0.5 * sum;
  u[0] += sum;
  u[1] = middle + turn;
  u[2] = middle - turn;
}

void dft4(R2* u, R sign) {
  const R2 a = u[0] + u[2], b = u[0] - u[2], c = u[1] + u[3], d = turned(u[1] - u[3], sign);
  u[0] = a + c;
  u[1] = b + d;
  u[2] = a - c;
  u[3] = b - d;
}

void dft5(R2* u, R sign) {
  const R c1 = (R)0.30901699437494742410, c2 = (R)-0.80901699437494742410;
  const R s1 = (R)0.95105651629515357212, s2 = (R)0.58778525229247312917;
  const R2 a = u[1] + u[4], b = u[2] + u[3], c = u[1] - u[4], d = u[2] - u[3];
  const R2 m1 = u[0] + c1 * a + c2 * b, m2 = u[0] + c2 * a + c1 * b;
  const R2 t1 = turned(s1 * c + s2 * d, sign), t2 = turned(s2 * c - s1 * d, sign);
  u[0] += a + b;
  u[1] = m1 + t1;
  u[4] = m1 - t1;
  u[2] = m2 + t2;
  u[3] = m2 - t2;
}

void dft8(R2* u, R sign) {
  const R root_half = (R)0.70710678118654752440;
  R2 even[4] = {u[0], u[2], u[4], u[6]}, odd[4] = {u[1], u[3], u[5], u[7]};
  dft4(even, sign);
  dft4(odd, sign);
  odd[1] = root_half * (odd[1] + turned(odd[1], sign));
  odd[2] = turned(odd[2], sign);
  odd[3] = root_half * (turned(odd[3], sign) - odd[3]);
  for (int k = 0; k < 4; ++k) {
    u[k] = even[k] + odd[k];
    u[k + 4] = even[k] - odd[k];
  }
}

/// One pass: elements a distance n / radix apart make the `radix` elements, `done` apart, of
/// transforms of length done * radix. Butterflies are walked by inner, place in the line, outer.
#define PASS(radix)                                                                               \
  kernel void CONCAT(pass, radix)(global const R* from, long from_at, global R* to, long to_at,   \
                                  global const R* roots, int shift, long inner, long n,           \
                                  long outer, long done, R sign, R factor, long chunk) {          \
    const long third = n / radix, first = get_global_id(0) * chunk;                               \
    const long last = min(first + chunk, inner * third * outer);                                  \
    long i = first % inner, t = first / inner % third, o = first / inner / third, k = t % done;   \
    const long step = third / done;                                                               \
    from += from_at;                                                                              \
    to += to_at;                                                                                  \
    for (long butterfly = first; butterfly < last; ++butterfly) {                                 \
      R2 u[radix];                                                                                \
      for (int q = 0; q < radix; ++q) u[q] = vload2(i + inner * (t + q * third + n * o), from);   \
      if (k > 0)                                                                                  \
        for (int q = 1; q < radix; ++q) u[q] = times(u[q], root(roots, q * k * step, shift, sign)); \
      CONCAT(dft, radix)(u, sign);                                                                \
      const long begin = (t - k) * radix + k;                                                     \
      for (int q = 0; q < radix; ++q)                                                             \
        vstore2(factor * u[q], i + inner * (begin + q * done + n * o), to);                       \
      if (++i < inner) continue;                                                                  \
      i = 0;                                                                                      \
      if (++k == done) k = 0;                                                                     \
      if (++t < third) continue;                                                                  \
      t = k = 0;                                                                                  \
      ++o;                                                                                        \
    }                                                                                             \
  }
PASS(2)
PASS(3)
PASS(4)
PASS(5)
PASS(8)

/// A pass of any radix, by its definition: a work item does `chunk` neighbouring elements of `to`.
kernel void pass_any(global const R* from, long from_at, global R* to, long to_at,
                     global const R* roots, int shift, long inner, long n, long outer, long done,
                     R sign, R factor, long chunk, long radix) {
  const long third = n / radix, first = get_global_id(0) * chunk;
  const long last = min(first + chunk, inner * n * outer), step = third / done;
  from += from_at;
  to += to_at;
  for (long element = first; element < last; ++element) {
    const long i = element % inner, at = element / inner % n, o = element / inner / n;
    const long block = at / (done * radix), within = at % (done * radix), k = within % done;
    const long t = block * done + k;
    R2 sum = 0;
    long number = 0;  // of the root: q * within * step, modulo n
    for (long q = 0; q < radix; ++q) {
      sum += times(vload2(i + inner * (t + q * third + n * o), from),
                   root(roots, number, shift, sign));
      number += within * step;
      if (number >= n) number -= n;
    }
    vstore2(factor * sum, element, to);
  }
}

/// to(i, k, o) = factor * from(i, k, o), or where from ends before k the conjugate of element
/// n_to - k. Either may be real: then the imaginary part is 0, or left out.
kernel void move(global const R* from, long from_at, global R* to, long to_at, long inner,
                 long n_from, long n_to, long outer, int from_real, int to_real, R factor,
                 long chunk) {
  const long first = get_global_id(0) * chunk;
  const long last = min(first + chunk, inner * n_to * outer);
  from += from_at;
  to += to_at;
  for (long element = first; element < last; ++element) {
    const long i = element % inner, k = element / inner % n_to, o = element / inner / n_to;
    const int mirrored = k >= n_from;
    const long at = i + inner * ((mirrored ? n_to - k : k) + n_from * o);
    R2 value = from_real ? (R2)(from[at], 0) : vload2(at, from);
    if (mirrored) value.y = -value.y;
    if (to_real)
      to[element] = factor * value.x;
    else
      vstore2(factor * value, element, to);
  }
}

/// to(i, k, o) = factor * table(k) * from(i, k, o), or 0 where from ends before k. The table is
/// conjugated for the transform with exp(+i...).
kernel void chirp(global const R* from, long from_at, global R* to, long to_at,
                  global const R* table, long inner, long n_from, long n_to, long outer, R sign,
                  R factor, long chunk) {
  const long first = get_global_id(0) * chunk;
  const long last = min(first + chunk, inner * n_to * outer);
  from += from_at;
  to += to_at;
  for (long element = first; element < last; ++element) {
    const long i = element % inner, k = element / inner % n_to, o = element / inner / n_to;
    R2 value = 0;
    if (k < n_from) {
      R2 with = vload2(k, table);
      with.y *= sign;
      value = factor * times(vload2(i + inner * (k + n_from * o), from), with);
    }
    vstore2(value, element, to);
  }
}
