! y = A x from Fortran: a one-dimensional Laplacian, checked. Global ids count from 0, as in C.
program multiply
  use mpi
  use spmv_dist
  implicit none
  integer, parameter :: per_rank = 1000
  integer(c_int64_t), target :: row_ptr(per_rank + 1), columns(3 * per_rank)
  real(c_double), target :: values(3 * per_rank), x_mine(per_rank), y_mine(per_rank)
  integer(c_int64_t) :: n, first, column, elements
  integer :: rank, ranks, ierr, i, wrong
  type(c_ptr) :: context, A, x, y
  type(spmv_dist_rows) :: rows
  type(spmv_dist_status) :: status

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
    x_mine(i) = real(first + i - 1, c_double)**2
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
  call require(spmv_dist_matrix_create(context, spmv_dist_double, rows, "format=csr" // c_null_char, A, status))
  call require(spmv_dist_vector_create(A, spmv_dist_x, x, status))
  call require(spmv_dist_vector_create(A, spmv_dist_y, y, status))
  call require(spmv_dist_vector_set(x, c_loc(x_mine), int(per_rank, c_int64_t), status))
  call require(spmv_dist_multiply(A, x, y, status))
  call require(spmv_dist_vector_get(y, c_loc(y_mine), int(per_rank, c_int64_t), status))

  wrong = 0
  do i = 1, per_rank
    if (first + i > 1 .and. first + i < n .and. abs(y_mine(i) + 2) > 1d-6) wrong = 1
  end do
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a)', trim(merge("wrong", "right", wrong == 1))
  call spmv_dist_vector_free(x)
  call spmv_dist_vector_free(y)
  call spmv_dist_matrix_free(A)
  call spmv_dist_context_free(context)
  call MPI_Finalize(ierr)
  if (wrong == 1) stop 1

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
