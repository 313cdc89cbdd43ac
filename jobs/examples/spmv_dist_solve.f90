! Of solve.h and spectrum.h what solve.f90 needs, which is most of solve.h; the rest can be declared in the same way.
module spmv_dist_solve
  use spmv_dist
  implicit none

  integer(c_int), parameter :: spmv_dist_stop_converged = 0, spmv_dist_lowest = 0, spmv_dist_highest = 1

  type, bind(c) :: spmv_dist_solve_options
    type(c_ptr) :: solver, preconditioner ! texts that end with c_null_char
    real(c_double) :: tolerance
    integer(c_int) :: max_iterations
    type(c_funptr) :: watch
    type(c_ptr) :: watch_data, history
    integer(c_int64_t) :: history_room
    integer(c_int) :: degree, block_size
    real(c_double) :: largest_eigenvalue
    type(c_ptr) :: inner
  end type

  type, bind(c) :: spmv_dist_solve_result
    integer(c_int) :: stop, iterations, restarts
    real(c_double) :: residual, seconds
    integer(c_int64_t) :: history_count
    character(kind=c_char) :: reason(1024)
    integer(c_int) :: updates
  end type

  type, bind(c) :: spmv_dist_eigen_options
    integer(c_int) :: count, which
    real(c_double) :: tolerance
    integer(c_int) :: subspace, max_restarts, copies
    type(c_funptr) :: watch
    type(c_ptr) :: watch_data
  end type

  type, bind(c) :: spmv_dist_eigen_result
    integer(c_int) :: stop, found
    real(c_double) :: norm
    integer(c_int) :: subspace, products, restarts
    real(c_double) :: seconds
    character(kind=c_char) :: reason(1024)
  end type

  interface
    subroutine spmv_dist_solve_options_init(options) bind(c)
      import
      type(spmv_dist_solve_options), intent(out) :: options
    end subroutine
    function spmv_dist_solver_create(A, options, solver, status) bind(c) result(code)
      import
      type(c_ptr), value :: A
      type(spmv_dist_solve_options), intent(in) :: options
      type(c_ptr), intent(out) :: solver
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
    function spmv_dist_solver_solve(solver, b, x, result, status) bind(c) result(code)
      import
      type(c_ptr), value :: solver, b, x
      type(spmv_dist_solve_result), intent(out) :: result
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
    subroutine spmv_dist_solver_free(solver) bind(c)
      import
      type(c_ptr), value :: solver
    end subroutine
    subroutine spmv_dist_eigen_options_init(options) bind(c)
      import
      type(spmv_dist_eigen_options), intent(out) :: options
    end subroutine
    ! residuals and vectors: c_null_ptr, or c_loc() of an array of options%count numbers, or of such pointers
    function spmv_dist_eigen(A, options, values, residuals, vectors, result, status) bind(c) result(code)
      import
      type(c_ptr), value :: A
      type(spmv_dist_eigen_options), intent(in) :: options
      real(c_double), intent(out) :: values(*)
      type(c_ptr), value :: residuals, vectors
      type(spmv_dist_eigen_result), intent(out) :: result
      type(spmv_dist_status), intent(out) :: status
      integer(c_int) :: code
    end function
  end interface
end module
