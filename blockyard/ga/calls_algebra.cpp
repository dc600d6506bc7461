// SPDX-License-Identifier: Apache-2.0
// Operations element by element of the C interface, on whole arrays and on patches.
#include <fmt/format.h>
#include <ga_calls.h>

#include <cstring>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/mirror.h"

namespace blockyard::ga::calls {

namespace {

using garray::Binary;
using garray::Patch;
using garray::refuse;
using garray::Unary;
using garray::whole;

Array& made(int handle) { return runtime().made_array(handle); }

Patch patch(int handle, Ints lo, Ints hi, std::string_view lo_name, std::string_view hi_name) {
  const Array& array = made(handle);
  return {array, operand_box_of(tongue(), array, lo, hi, lo_name, hi_name)};
}
Patch patch(int handle, Ints lo, Ints hi) { return patch(handle, lo, hi, "lo", "hi"); }
Patch patch_a(int handle, Ints lo, Ints hi) { return patch(handle, lo, hi, "alo", "ahi"); }
Patch patch_b(int handle, Ints lo, Ints hi) { return patch(handle, lo, hi, "blo", "bhi"); }
Patch patch_c(int handle, Ints lo, Ints hi) { return patch(handle, lo, hi, "clo", "chi"); }

void unary(Unary op, const Patch& patch, const void* constant = nullptr) {
  together(patch.array, [&] { garray::apply(op, patch, constant); });
}
void binary(Binary op, const Patch& a, const Patch& b, const Patch& c) {
  together(c.array, [&] { garray::apply(runtime(), op, a, b, c); });
}

bool is_transposed(char flag) { return flag == 't' || flag == 'T'; }

/// The array whose group copies between the two: the smaller one, for others do not know both. Of
/// a mirrored array each node has a copy, so that all take part.
const Array& copied_by(const Array& a, const Array& b) {
  const bool is_for_all = garray::is_mirrored(runtime(), a) || garray::is_mirrored(runtime(), b);
  return (a.bases.size() < b.bases.size()) == is_for_all ? b : a;
}

template <class T>
T dot_of(const Patch& a, bool a_transposed, const Patch& b, bool b_transposed) {
  if (a.array.kind.element != fabric::element_of<T>())
    refuse(a.array, fmt::format("has elements of type {}: another dot product is for them",
                                name_of(a.array.kind)));
  T sum{};
  together(a.array, [&] { garray::dot(runtime(), a, a_transposed, b, b_transposed, &sum); });
  return sum;
}
template <class T>
T dot_whole(int g_a, int g_b) {
  garray::require_same_shape(made(g_a), made(g_b));
  return dot_of<T>(whole(made(g_a)), false, whole(made(g_b)), false);
}

}  // namespace

void zero(int g_a) {
  together(made(g_a), [&] { garray::zero(whole(made(g_a))); });
}
void zero_patch(int g_a, Ints lo, Ints hi) {
  const Patch p = patch(g_a, lo, hi);
  together(p.array, [&] { garray::zero(p); });
}
void fill(int g_a, void* value) {
  together(made(g_a), [&] { garray::fill(whole(made(g_a)), value); });
}
void fill_patch(int g_a, Ints lo, Ints hi, void* val) {
  const Patch p = patch(g_a, lo, hi);
  together(p.array, [&] { garray::fill(p, val); });
}
void scale(int g_a, void* value) {
  together(made(g_a), [&] { garray::scale(whole(made(g_a)), value); });
}
void scale_patch(int g_a, Ints lo, Ints hi, void* alpha) {
  const Patch p = patch(g_a, lo, hi);
  together(p.array, [&] { garray::scale(p, alpha); });
}
void randomize(int g_a, void* value) {
  static std::uint64_t seed = 1;
  const Array& array = made(g_a);
  ++seed;
  together(array, [&] {
    garray::randomize(whole(array), value, seed * 1000003 + static_cast<std::uint64_t>(array.me));
  });
}

void copy(int g_a, int g_b) {
  const Array &a = made(g_a), &b = made(g_b);
  garray::require_same_shape(a, b);
  together(copied_by(a, b), [&] { garray::copy(runtime(), whole(a), whole(b)); });
}
void copy_patch(char trans, int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi) {
  const Patch a = patch_a(g_a, alo, ahi), b = patch_b(g_b, blo, bhi);
  if (&a.array == &b.array && a.box == b.box && !is_transposed(trans))
    return together(a.array, [] {});
  if (&a.array == &b.array && !array::common(a.box, b.box).is_empty())
    refuse(a.array, "the patches to copy from and to overlap");
  together(copied_by(a.array, b.array),
           [&] { garray::copy(runtime(), a, b, is_transposed(trans)); });
}
void add(void* alpha, int g_a, void* beta, int g_b, int g_c) {
  garray::require_same_shape(made(g_a), made(g_c));
  garray::require_same_shape(made(g_b), made(g_c));
  together(made(g_c), [&] {
    garray::add(runtime(), alpha, whole(made(g_a)), beta, whole(made(g_b)), whole(made(g_c)));
  });
}
void add_patch(void* alpha, int g_a, Ints alo, Ints ahi, void* beta, int g_b, Ints blo, Ints bhi,
               int g_c, Ints clo, Ints chi) {
  const Patch a = patch_a(g_a, alo, ahi), b = patch_b(g_b, blo, bhi), c = patch_c(g_c, clo, chi);
  together(c.array, [&] { garray::add(runtime(), alpha, a, beta, b, c); });
}

void abs_value(int g_a) { unary(Unary::absolute, whole(made(g_a))); }
void abs_value_patch(int g_a, Ints lo, Ints hi) { unary(Unary::absolute, patch(g_a, lo, hi)); }
void add_constant(int g_a, void* alpha) { unary(Unary::add_constant, whole(made(g_a)), alpha); }
void add_constant_patch(int g, Ints lo, Ints hi, void* alpha) {
  unary(Unary::add_constant, patch(g, lo, hi), alpha);
}
void recip(int g_a) { unary(Unary::reciprocal, whole(made(g_a))); }
void recip_patch(int g_a, Ints lo, Ints hi) { unary(Unary::reciprocal, patch(g_a, lo, hi)); }

void elem_multiply(int g_a, int g_b, int g_c) {
  binary(Binary::multiply, whole(made(g_a)), whole(made(g_b)), whole(made(g_c)));
}
void elem_divide(int g_a, int g_b, int g_c) {
  binary(Binary::divide, whole(made(g_a)), whole(made(g_b)), whole(made(g_c)));
}
void elem_maximum(int g_a, int g_b, int g_c) {
  binary(Binary::maximum, whole(made(g_a)), whole(made(g_b)), whole(made(g_c)));
}
void elem_minimum(int g_a, int g_b, int g_c) {
  binary(Binary::minimum, whole(made(g_a)), whole(made(g_b)), whole(made(g_c)));
}
void elem_multiply_patch(int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi, int g_c,
                         Ints clo, Ints chi) {
  binary(Binary::multiply, patch_a(g_a, alo, ahi), patch_b(g_b, blo, bhi), patch_c(g_c, clo, chi));
}
void elem_divide_patch(int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi, int g_c, Ints clo,
                       Ints chi) {
  binary(Binary::divide, patch_a(g_a, alo, ahi), patch_b(g_b, blo, bhi), patch_c(g_c, clo, chi));
}
void elem_maximum_patch(int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi, int g_c, Ints clo,
                        Ints chi) {
  binary(Binary::maximum, patch_a(g_a, alo, ahi), patch_b(g_b, blo, bhi), patch_c(g_c, clo, chi));
}
void elem_minimum_patch(int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi, int g_c, Ints clo,
                        Ints chi) {
  binary(Binary::minimum, patch_a(g_a, alo, ahi), patch_b(g_b, blo, bhi), patch_c(g_c, clo, chi));
}

void median(int g_a, int g_b, int g_c, int g_m) {
  together(made(g_m), [&] {
    garray::median(runtime(), whole(made(g_a)), whole(made(g_b)), whole(made(g_c)),
                   whole(made(g_m)));
  });
}
void median_patch(int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi, int g_c, Ints clo,
                  Ints chi, int g_m, Ints mlo, Ints mhi) {
  const Patch a = patch_a(g_a, alo, ahi), b = patch_b(g_b, blo, bhi), c = patch_c(g_c, clo, chi);
  const Patch m = patch(g_m, mlo, mhi, "mlo", "mhi");
  together(m.array, [&] { garray::median(runtime(), a, b, c, m); });
}

void step_max(int g_a, int g_b, void* step) {
  together(made(g_a),
           [&] { garray::step_max(runtime(), whole(made(g_a)), whole(made(g_b)), step); });
}
void step_max_patch(int g_a, Ints alo, Ints ahi, int g_b, Ints blo, Ints bhi, void* step) {
  const Patch a = patch_a(g_a, alo, ahi), b = patch_b(g_b, blo, bhi);
  together(a.array, [&] { garray::step_max(runtime(), a, b, step); });
}
void step_bound_info(int g_xx, int g_vv, int g_xxll, int g_xxuu, void* boundmin, void* wolfemin,
                     void* boundmax) {
  together(made(g_xx), [&] {
    garray::step_bounds(runtime(), whole(made(g_xx)), whole(made(g_vv)), whole(made(g_xxll)),
                        whole(made(g_xxuu)), {boundmin, wolfemin, boundmax});
  });
}
void step_bound_info_patch(int g_xx, Ints xxlo, Ints xxhi, int g_vv, Ints vvlo, Ints vvhi,
                           int g_xxll, Ints xxlllo, Ints xxllhi, int g_xxuu, Ints xxuulo,
                           Ints xxuuhi, void* boundmin, void* wolfemin, void* boundmax) {
  const Patch x = patch(g_xx, xxlo, xxhi, "xxlo", "xxhi");
  const Patch v = patch(g_vv, vvlo, vvhi, "vvlo", "vvhi");
  const Patch l = patch(g_xxll, xxlllo, xxllhi, "xxlllo", "xxllhi");
  const Patch u = patch(g_xxuu, xxuulo, xxuuhi, "xxuulo", "xxuuhi");
  together(x.array, [&] {
    garray::step_bounds(runtime(), x, v, l, u, {boundmin, wolfemin, boundmax});
  });
}

void select_elem(int g_a, char* op, void* val, Ints index) {
  const Array& array = made(g_a);
  // Programs also give longer names.
  const std::string_view name(op, strnlen(op, 3));
  if (name != "min" && name != "max")
    refuse(array, fmt::format("op = \"{}\" is not one of min, max", op));
  Indexes at{};
  together(array, [&] { garray::select(runtime(), array, name == "max", val, at); });
  write_indexes(tongue(), array.axes(), at, index);
}

int idot(int g_a, int g_b) { return dot_whole<int>(g_a, g_b); }
long ldot(int g_a, int g_b) { return dot_whole<long>(g_a, g_b); }
long long lldot(int g_a, int g_b) { return dot_whole<long long>(g_a, g_b); }
float fdot(int g_a, int g_b) { return dot_whole<float>(g_a, g_b); }
double ddot(int g_a, int g_b) { return dot_whole<double>(g_a, g_b); }
SingleComplex cdot(int g_a, int g_b) { return dot_whole<SingleComplex>(g_a, g_b); }
DoubleComplex zdot(int g_a, int g_b) { return dot_whole<DoubleComplex>(g_a, g_b); }

int idot_patch(int g_a, char t_a, Ints alo, Ints ahi, int g_b, char t_b, Ints blo, Ints bhi) {
  return dot_of<int>(patch_a(g_a, alo, ahi), is_transposed(t_a), patch_b(g_b, blo, bhi),
                     is_transposed(t_b));
}
long ldot_patch(int g_a, char t_a, Ints alo, Ints ahi, int g_b, char t_b, Ints blo, Ints bhi) {
  return dot_of<long>(patch_a(g_a, alo, ahi), is_transposed(t_a), patch_b(g_b, blo, bhi),
                      is_transposed(t_b));
}
long long lldot_patch(int g_a, char t_a, Ints alo, Ints ahi, int g_b, char t_b, Ints blo,
                      Ints bhi) {
  return dot_of<long long>(patch_a(g_a, alo, ahi), is_transposed(t_a), patch_b(g_b, blo, bhi),
                           is_transposed(t_b));
}
float fdot_patch(int g_a, char t_a, Ints alo, Ints ahi, int g_b, char t_b, Ints blo, Ints bhi) {
  return dot_of<float>(patch_a(g_a, alo, ahi), is_transposed(t_a), patch_b(g_b, blo, bhi),
                       is_transposed(t_b));
}
double ddot_patch(int g_a, char t_a, Ints alo, Ints ahi, int g_b, char t_b, Ints blo, Ints bhi) {
  return dot_of<double>(patch_a(g_a, alo, ahi), is_transposed(t_a), patch_b(g_b, blo, bhi),
                        is_transposed(t_b));
}
SingleComplex cdot_patch(int g_a, char t_a, Ints alo, Ints ahi, int g_b, char t_b, Ints blo,
                         Ints bhi) {
  return dot_of<SingleComplex>(patch_a(g_a, alo, ahi), is_transposed(t_a), patch_b(g_b, blo, bhi),
                               is_transposed(t_b));
}
DoubleComplex zdot_patch(int g_a, char t_a, Ints alo, Ints ahi, int g_b, char t_b, Ints blo,
                         Ints bhi) {
  return dot_of<DoubleComplex>(patch_a(g_a, alo, ahi), is_transposed(t_a), patch_b(g_b, blo, bhi),
                               is_transposed(t_b));
}

}  // namespace blockyard::ga::calls
