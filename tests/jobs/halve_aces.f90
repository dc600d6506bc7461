! SPDX-License-Identifier: Apache-2.0
! A super instruction with the arguments of ACES4: x = x/2, for segments whose number is even.
subroutine halve(slot, rank, index_values, size_, extents, x, ierr) bind(C)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), intent(in) :: slot, rank, size_
  integer(c_int), intent(in) :: index_values(1:rank), extents(1:rank)
  real(c_double), intent(inout) :: x(1:size_)
  integer(c_int), intent(out) :: ierr
  ierr = 0
  if (rank /= 1 .or. extents(1) /= size_) ierr = 1
  if (mod(index_values(1), 2) == 0) x = x/2
end subroutine halve
