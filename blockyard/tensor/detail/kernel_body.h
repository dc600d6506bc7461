// SPDX-License-Identifier: Apache-2.0
// Included only by kernels_<instruction set>.cpp, each of which includes its
// vector_<instruction set>.h before.
// Everything is in an unnamed namespace and calls no inline function from outside: otherwise the
// linker could keep one copy of such a function, compiled for a processor that is not there.
#pragma once

#include "blockyard/tensor/detail/batch_kernels.h"
#include "blockyard/tensor/detail/copy_kernel.h"
#include "blockyard/tensor/detail/element_kernels.h"
#include "blockyard/tensor/detail/kernels.h"
#include "blockyard/tensor/detail/pack_kernels.h"
#include "blockyard/tensor/detail/product_kernels.h"
#include "blockyard/tensor/detail/scale_kernels.h"
#include "blockyard/tensor/detail/short_kernels.h"
#include "blockyard/tensor/detail/sum_kernels.h"
#include "blockyard/tensor/detail/tile_kernels.h"
#include "blockyard/tensor/detail/transpose_kernel.h"
#include "blockyard/tensor/detail/turn_kernel.h"

namespace blockyard::tensor::detail {
namespace {

template <class T>
constexpr Kernels<T> table = {copy<T>,       axpby<T>,          fill<T>,          add_scalar<T>,
                              product<T>,    transpose<T>,      turn_of_set<T>(), most_turned<T>,
                              small_gemm<T>, any_dot<T, false>, any_dot<T, true>, sum<T>,
                              finish_streams};

template <class R>
constexpr PanelKernels<R> panel_table = {tile_vectors* native_width<R>,
                                         tile_columns,
                                         native_width<R>,
                                         pack<R>,
                                         pack_together<R>,
                                         multiply<R>,
                                         multiply_batch<R>,
                                         finish_streams};

}  // namespace
}  // namespace blockyard::tensor::detail
