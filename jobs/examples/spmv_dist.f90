! The part of spmv_dist.h that multiply.f90 and solve.f90 need; the rest can be declared in the same way.
module spmv_dist
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: spmv_dist_double = 1, spmv_dist_x = 0, spmv_dist_y = 1

  type, bind(c) :: spmv_dist_status
    integer(c_int) :: code
    character(kind=c_char) :: message(2044)
  end type

  type, bind(c) :: spmv_dist_rows
    integer(c_int64_t) :: global_rows, global_cols, rows, first_row
    type(c_ptr) :: row_ids, row_ptr, columns, values
    integer(c_int64_t) :: elements, x_size, first_x
    type(c_ptr) :: x_ids
    integer(c_int64_t) :: where
  end type

  interface
    subroutine spmv_dist_rows_init(rows) bind(c)
      import
      type(spmv_dist_rows), intent(out) :: rows
    end subroutine
    function spmv_dist_context_create_fortran(communicator, options, context, status) bind(c) result(code)
      import
      integer(c_int), value :: communicator
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(out) :: context
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
    subroutine spmv_dist_context_free(context) bind(c)
      import
      type(c_ptr), value :: context
    end subroutine
    function spmv_dist_matrix_create(context, value_type, rows, options, matrix, status) bind(c) result(code)
      import
      type(c_ptr), value :: context
      integer(c_int), value :: value_type
      type(spmv_dist_rows), intent(in) :: rows
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(out) :: matrix
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
    subroutine spmv_dist_matrix_free(matrix) bind(c)
      import
      type(c_ptr), value :: matrix
    end subroutine
    function spmv_dist_vector_create(matrix, side, vector, status) bind(c) result(code)
      import
      type(c_ptr), value :: matrix
      integer(c_int), value :: side
      type(c_ptr), intent(out) :: vector
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
    subroutine spmv_dist_vector_free(vector) bind(c)
      import
      type(c_ptr), value :: vector
    end subroutine
    function spmv_dist_vector_set(vector, natural, count, status) bind(c) result(code)
      import
      type(c_ptr), value :: vector
      type(c_ptr), value :: natural
      integer(c_int64_t), value :: count
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
    function spmv_dist_vector_get(vector, natural, count, status) bind(c) result(code)
      import
      type(c_ptr), value :: vector
      type(c_ptr), value :: natural
      integer(c_int64_t), value :: count
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
    function spmv_dist_multiply(A, x, y, status) bind(c) result(code)
      import
      type(c_ptr), value :: A, x, y
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
  end interface
end module
