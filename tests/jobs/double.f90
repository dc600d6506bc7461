! SPDX-License-Identifier: Apache-2.0
! A library of super instructions in Fortran: `double u` multiplies a block by two.
! The derived types repeat the structs of blockyard/super/c_abi.h.
module double_super
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: operand
    type(c_ptr) :: name, values
    integer(c_int64_t) :: element_count
    type(c_ptr) :: extents, segments, kinds
    integer(c_int32_t) :: order, access
    type(c_ptr) :: elements
    integer(c_int32_t) :: element_type
  end type
  type, bind(c) :: instruction
    type(c_ptr) :: name, signature
    type(c_funptr) :: function
    type(c_ptr) :: types
  end type
  type, bind(c) :: instruction_table
    integer(c_int32_t) :: version, count
    type(c_ptr) :: instructions
  end type

  character(kind=c_char), target, save :: name(7) = ['d', 'o', 'u', 'b', 'l', 'e', c_null_char]
  character(kind=c_char), target, save :: signature(2) = ['u', c_null_char]
  type(instruction), target, save :: instructions(1)
  type(instruction_table), target, save :: table

contains

  function double_block(operands, count, context) bind(c) result(status)
    integer(c_int32_t), value :: count
    type(operand), intent(in) :: operands(count)
    type(c_ptr), value :: context
    integer(c_int) :: status
    real(c_double), pointer :: values(:)
    call c_f_pointer(operands(1)%values, values, [operands(1)%element_count])
    values = 2 * values
    status = 0
  end function

  function all_instructions() bind(c, name="blockyard_super_instructions") result(answer)
    type(c_ptr) :: answer
    instructions(1) = instruction(c_loc(name), c_loc(signature), c_funloc(double_block), c_null_ptr)
    table = instruction_table(3, 1, c_loc(instructions))
    answer = c_loc(table)
  end function

end module
