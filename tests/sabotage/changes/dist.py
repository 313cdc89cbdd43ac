"""One distributed product: the matrix and its modes."""

from .change import Change, OVERLAP, PRODUCTS

DIST = [
    Change("boundary-waits-for-no-halo", "dist/dist_matrix.cpp",
           '''  wait_for_halo();
  const Range range("multiply_boundary");''',
           '''  const Range range("multiply_boundary");''',
           [OVERLAP, PRODUCTS]),
    Change("merged-waits-for-no-halo", "dist/dist_matrix.cpp",
           '''  wait_for_halo();
  const Range range("multiply_merged");''',
           '''  const Range range("multiply_merged");''',
           [OVERLAP, PRODUCTS]),
    Change("gather-does-not-wait-for-x", "dist/dist_matrix.cpp",
           "  gather_queue_->wait(*x_ready_);\n", "",
           [OVERLAP]),
    Change("send-index-by-order", "dist/dist_matrix.cpp",
           "rows.ghosts), inverse(operators_.x_order)", "rows.ghosts), operators_.x_order",
           [PRODUCTS, OVERLAP]),
    Change("halo-begins-at-x", "dist/dist_matrix.cpp",
           "exchange_->finish(reinterpret_cast<std::byte*>(x + owned())",
           "exchange_->finish(reinterpret_cast<std::byte*>(x)",
           [OVERLAP, PRODUCTS]),
    Change("boundary-reads-owned-x", "dist/dist_matrix.cpp",
           "operators_.boundary.op->apply(*compute_, x + operators_.boundary_x,",
           "operators_.boundary.op->apply(*compute_, x,",
           [PRODUCTS]),
    Change("y-back-by-the-inverse", "dist/dist_matrix.cpp",
           "return reorder(y, inverse(operators_.row_order));", "return reorder(y, operators_.row_order);",
           [PRODUCTS]),
    Change("x-stays-natural", "dist/dist_matrix.cpp",
           "return reorder(natural_x, operators_.x_order);",
           "return operators_.x_order.empty() ? natural_x : reorder(natural_x, {});",
           [PRODUCTS]),
    Change("replay-whatever-x-is", "dist/dist_matrix.cpp",
           "return r.x == x && r.y == y;", "return r.y == y;",
           [PRODUCTS]),
    Change("y-in-the-basis", "dist/product.cpp",
           "return matrix_.from_basis(y);", "return y;",
           [PRODUCTS]),
    Change("vectors-on-host-stay-there", "dist/product.cpp",
           "    queue.copy(host_y_.data(), y_.data(), host_y_.bytes(), Copy::to_host);\n", "",
           [PRODUCTS]),
    Change("naive-boundary-before-arrival", "dist/modes/naive.cpp",
           '''  matrix.finish_exchange(x, log);
  matrix.multiply_boundary(x, y, log);''',
           '''  matrix.multiply_boundary(x, y, log);
  matrix.finish_exchange(x, log);''',
           [OVERLAP, PRODUCTS]),
    Change("vector-product-before-arrival", "dist/modes/vector.cpp",
           '''  matrix.finish_exchange(x, log);
  matrix.multiply_merged(x, y, log);''',
           '''  matrix.multiply_merged(x, y, log);
  matrix.finish_exchange(x, log);''',
           [OVERLAP, PRODUCTS]),
    Change("device-boundary-before-arrival", "dist/modes/device.cpp",
           '''  matrix.finish_exchange(x, log);
  matrix.multiply_boundary(x, y, log);''',
           '''  matrix.multiply_boundary(x, y, log);
  matrix.finish_exchange(x, log);''',
           [OVERLAP, PRODUCTS]),
    Change("device-records-no-boundary", "dist/modes/device.cpp",
           "  matrix.multiply_boundary(x, y, log);\n", "",
           [PRODUCTS]),
    Change("task-joins-after-boundary", "dist/modes/task.cpp",
           '''  thread.join();
  matrix.multiply_boundary(x, y, log);''',
           '''  matrix.multiply_boundary(x, y, log);
  thread.join();''',
           [OVERLAP, PRODUCTS]),
    Change("task-joins-after-boundary-rows", "dist/modes/task.cpp",
           '''  thread.join();
  matrix.multiply_boundary(x, y, log);''',
           '''  const bool parted = matrix.operators().boundary_update == Update::assign;
  if (!parted) thread.join();
  matrix.multiply_boundary(x, y, log);
  if (parted) thread.join();''',
           [OVERLAP, PRODUCTS]),
]
