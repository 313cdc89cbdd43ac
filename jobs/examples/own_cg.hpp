// Conjugate gradients of one's own: all on the device, one reduction an iteration, no CUDA, and as fast as solve().
#pragma once

#include <spmv_dist/solve.hpp>

struct OwnResult {
  int iterations;
  double seconds;  // of the iterations, as in SolveResult
};

/// Improves x until |b - A x| <= tolerance |b|, or the residual is no number, or 10000 iterations are done. Collective.
template <class T>
OwnResult own_cg(spmv_dist::Matrix<T>& A, const spmv_dist::Vector<T>& b, spmv_dist::Vector<T>& x,
                 double tolerance) {
  using spmv_dist::Number, spmv_dist::slot;
  spmv_dist::Workspace<T> on(A);
  auto r = A.make_x(), p = A.make_x(), s = A.make_x();
  const double goal = tolerance * on.norm(b);

  const Number rr = slot(0), ps = slot(1), ss = slot(2);  // numbers on the device
  const Number alpha = rr / ps, beta = (alpha * alpha * ss - rr) / rr;
  spmv_dist::Combination<T> first(on), step(on);  // a kernel each
  first.set(r, b - s).set(p, r).sum(0, r, r);
  step.require(goal * goal < rr).record(0, rr);  // once that does not hold, nothing changes
  step.set(x, x + alpha * p).set(r, r - alpha * s).set(p, r + beta * p).sum(0, r, r);

  const double start = MPI_Wtime();
  on.multiply(A, x, s);
  on.run(first);
  const spmv_dist::Loop<T> loop(on);
  spmv_dist::Line line;
  do {
    on.multiply_and_sum(A, p, s, 1, 2);  // s = A p, (p, s), (s, s)
    on.run(step);
    line = on.line();  // of some iterations ago, so that the device never waits
  } while (line[0] > goal * goal && line.number <= 10000);
  A.synchronize();
  return {static_cast<int>(line.number) - 1, MPI_Wtime() - start};
}
