// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/garray/patch.h"

// Operations element by element. All: collective among the group of the result; no sync of their
// own, so callers order them. Each rank makes the part of the result that it holds. `value`,
// `alpha`, `beta`: of the array's type. Patches have the same shape (see Operand). All throw
// Error{bad_input} for types or shapes that do not fit.
namespace blockyard::garray {

void zero(const Patch& patch);
/// Of any type, including a user's.
void fill(const Patch& patch, const void* value);
void scale(const Patch& patch, const void* value);
/// Uniform numbers from 0 to `value`; the parts of a complex number each.
void randomize(const Patch& patch, const void* value, std::uint64_t seed);

/// to = from, or its transpose: indexes in the opposite order.
void copy(const Runtime& runtime, const Patch& from, const Patch& to, bool is_transposed = false);
/// c = alpha a + beta b
void add(const Runtime& runtime, const void* alpha, const Patch& a, const void* beta,
         const Patch& b, const Patch& c);

enum class Unary : std::uint8_t { absolute, add_constant, reciprocal };
/// constant: for add_constant.
void apply(Unary op, const Patch& patch, const void* constant = nullptr);

enum class Binary : std::uint8_t { multiply, divide, maximum, minimum };
/// c = a (op) b. Of complex numbers the one with the larger or smaller modulus. A divisor of zero
/// is an error in all types.
void apply(const Runtime& runtime, Binary op, const Patch& a, const Patch& b, const Patch& c);
/// m = the one of a, b, c that is neither larger nor smaller than both others.
void median(const Runtime& runtime, const Patch& a, const Patch& b, const Patch& c, const Patch& m);

/// The largest s with a + s b >= 0; a has no negative element. "Infinite" is a number of the type
/// (see infinite_step); NaN if an element of a or b is. Not for complex numbers.
void step_max(const Runtime& runtime, const Patch& a, const Patch& b, void* step);
struct StepBounds {
  void* least;       ///< of all steps to a bound
  void* least_free;  ///< of those with a direction other than 0
  void* largest;
};
/// Steps t with x + t v at a bound, where lower <= x <= upper. All are NaN if an element is.
void step_bounds(const Runtime& runtime, const Patch& x, const Patch& v, const Patch& lower,
                 const Patch& upper, const StepBounds& bounds);

/// The sum of a_i b_i (no conjugation) over all members, in the order of members. Single precision
/// is added up in double precision.
void dot(const Runtime& runtime, const Patch& a, bool a_transposed, const Patch& b,
         bool b_transposed, void* sum);
/// The smallest or largest element (complex: by modulus) and where it is; of equal ones the first.
/// NaN comes before all numbers.
void select(const Runtime& runtime, const Array& array, bool is_max, void* value, Indexes& at);

}  // namespace blockyard::garray
