! A x = b and the largest eigenvalues of A from Fortran: a one-dimensional Laplacian, checked.
program solve
  use mpi
  use spmv_dist_solve
  implicit none
  integer, parameter :: per_rank = 60, wanted = 2, room = 1000
  integer(c_int64_t), target :: row_ptr(per_rank + 1), columns(3 * per_rank)
  real(c_double), target :: values(3 * per_rank), known(per_rank), x_mine(per_rank), history(room)
  character(kind=c_char, len=*), parameter :: name = "cg" // c_null_char, polynomial = "chebyshev" // c_null_char
  character(kind=c_char), target :: solver_name(len(name)), preconditioner(len(polynomial))
  real(c_double) :: eigenvalues(wanted)
  integer(c_int64_t) :: n, first, column, elements
  integer :: rank, ranks, ierr, i
  logical :: right
  type(c_ptr) :: context, A, x, b, solver
  type(spmv_dist_rows) :: rows
  type(spmv_dist_status) :: status
  type(spmv_dist_solve_options) :: options
  type(spmv_dist_solve_result) :: solved
  type(spmv_dist_eigen_options) :: search
  type(spmv_dist_eigen_result) :: found

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  n = int(per_rank, c_int64_t) * ranks
  first = int(per_rank, c_int64_t) * rank
  elements = 0
  row_ptr(1) = 0
  do i = 1, per_rank
    do column = first + i - 2, first + i
      if (column < 0 .or. column >= n) cycle
      elements = elements + 1
      columns(elements) = column
      values(elements) = merge(2d0, -1d0, column == first + i - 1)
    end do
    row_ptr(i + 1) = elements
    known(i) = cos(real(first + i, c_double))
  end do

  call require(spmv_dist_context_create_fortran(MPI_COMM_WORLD, c_null_char, context, status))
  call spmv_dist_rows_init(rows)
  rows%global_rows = n
  rows%global_cols = n
  rows%rows = per_rank
  rows%first_row = first
  rows%row_ptr = c_loc(row_ptr)
  rows%columns = c_loc(columns)
  rows%values = c_loc(values)
  rows%elements = elements
  call require(spmv_dist_matrix_create(context, spmv_dist_double, rows, c_null_char, A, status))
  call require(spmv_dist_vector_create(A, spmv_dist_x, x, status))
  call require(spmv_dist_vector_create(A, spmv_dist_y, b, status))

  ! b = A x of a known x; then x from the guess 0.
  call require(spmv_dist_vector_set(x, c_loc(known), int(per_rank, c_int64_t), status))
  call require(spmv_dist_multiply(A, x, b, status))
  x_mine = 0
  call require(spmv_dist_vector_set(x, c_loc(x_mine), int(per_rank, c_int64_t), status))
  call spmv_dist_solve_options_init(options)
  ! The last of the defaults: the declarations have the members of solve.h.
  right = options%degree == 3 .and. options%block_size == 8 .and. options%largest_eigenvalue == 0
  solver_name = transfer(name, solver_name)
  preconditioner = transfer(polynomial, preconditioner)
  options%solver = c_loc(solver_name)
  options%preconditioner = c_loc(preconditioner)
  options%tolerance = 1d-10
  options%degree = 2
  options%largest_eigenvalue = 4
  options%history = c_loc(history)
  options%history_room = room
  call require(spmv_dist_solver_create(A, options, solver, status))
  call require(spmv_dist_solver_solve(solver, b, x, solved, status))
  call spmv_dist_solver_free(solver)
  call require(spmv_dist_vector_get(x, c_loc(x_mine), int(per_rank, c_int64_t), status))
  right = right .and. solved%stop == spmv_dist_stop_converged .and. maxval(abs(x_mine - known)) < 1d-5
  right = right .and. abs(history(1) - 1) < 1d-12 .and. solved%history_count == solved%iterations + 1

  call spmv_dist_eigen_options_init(search)
  search%count = wanted
  search%which = spmv_dist_highest
  call require(spmv_dist_eigen(A, search, eigenvalues, c_null_ptr, c_null_ptr, found, status))
  right = right .and. found%stop == spmv_dist_stop_converged .and. found%found == wanted
  do i = 1, wanted
    right = right .and. abs(eigenvalues(i) - 2 - 2 * cos(i * acos(-1d0) / real(n + 1, c_double))) < 1d-6
  end do

  call MPI_Allreduce(MPI_IN_PLACE, right, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a)', trim(merge("right", "wrong", right))
  call spmv_dist_vector_free(x)
  call spmv_dist_vector_free(b)
  call spmv_dist_matrix_free(A)
  call spmv_dist_context_free(context)
  call MPI_Finalize(ierr)
  if (.not. right) stop 1

contains

  subroutine require(code)
    integer(c_int), intent(in) :: code
    integer :: k
    if (code == 0) return
    do k = 1, size(status%message)
      if (status%message(k) == c_null_char) exit
      write (*, '(a)', advance='no') status%message(k)
    end do
    print *
    call MPI_Abort(MPI_COMM_WORLD, int(code), ierr)
  end subroutine
end program
