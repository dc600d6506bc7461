// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "blockyard/ga/edge.h"
#include "blockyard/garray/lattice.h"

// One-sided transfers of a program: those of garray, looked at where BLOCKYARD_GA_CHECK asks for
// it.
namespace blockyard::ga {

void get(const garray::Array& array, const array::Box& box, garray::Local to,
         garray::Pending* pending = nullptr);
void put(const garray::Array& array, const array::Box& box, garray::Local from,
         garray::Pending* pending = nullptr);
void accumulate(const garray::Array& array, const array::Box& box, garray::Local from,
                const void* factor, garray::Pending* pending = nullptr);
void get(const garray::Array& array, const garray::Lattice& lattice, const garray::Spread& to);
void put(const garray::Array& array, const garray::Lattice& lattice, const garray::Spread& from);
void accumulate(const garray::Array& array, const garray::Lattice& lattice,
                const garray::Spread& from, const void* factor);
void gather(const garray::Array& array, std::span<const array::Indexes> places, void* values);
void scatter(const garray::Array& array, std::span<const array::Indexes> places,
             const void* values);
void scatter_add(const garray::Array& array, std::span<const array::Indexes> places,
                 const void* values, const void* factor);
[[nodiscard]] std::int64_t read_and_add(const garray::Array& array, const array::Indexes& at,
                                        std::int64_t increment);

}  // namespace blockyard::ga
