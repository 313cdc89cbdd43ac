"""Products, sums and memory that CuPy or PyTorch shares, in one short program for compute-sanitizer:

compute-sanitizer --tool memcheck python3 gpu_products.py [cupy|torch [FORMAT...]]"""

import sys

import numpy as np
from gpu_packages import PACKAGES

import spmv_dist

FORMATS = ("csr", "csr_vector", "sell", "sell_packed", "pjds")


def run(package, form: str, dtype: str) -> None:
    text = "stencil27:9,8,7"
    A = spmv_dist.Matrix.generate(text, backend="cuda", format=form, dtype=dtype)
    host = spmv_dist.Matrix.generate(text, backend="host", dtype=dtype)
    random = np.random.default_rng(1)
    natural = random.standard_normal((len(A.local_rows), 3)).astype(dtype)
    one = natural[:, 0].copy()
    stream = package.stream()
    A.order_with(stream)
    bound = 1e-3 if dtype in ("float32", "complex64") else 1e-11
    for columns in ((), (3,)):
        part = natural if columns else one
        expected = host @ part
        x = A.multivector(3) if columns else A.vector()
        y = A.multivector(3) if columns else A.vector()
        with package.on(stream):
            package.from_dlpack(x.memory)[:] = package.array(part[A.order()])
            A.multiply(x, out=y)
            seen = package.from_dlpack(y.memory) + 0
            there = A @ package.array(part)
        assert abs(package.numpy(seen) - expected[A.order()]).max() < bound
        assert abs(package.numpy(there) - expected).max() < bound
    b, found = A.vector(one), A.vector()
    on = spmv_dist.Workspace(A)
    on.multiply_and_sum(A, b, found, 0, 1)
    on.run(on.combination().set(found, found - b * 2.0).sum(2, found, found))
    expected = host @ one - 2 * one
    assert abs(on.value(2) - np.linalg.norm(expected) ** 2) < bound * abs(on.value(2))
    _, info = spmv_dist.cg(A, package.array(one), rtol=1e-4)
    assert info == 0
    for handle in (on, A, host):
        handle.close()


def main() -> None:
    package = PACKAGES[sys.argv[1] if len(sys.argv) > 1 else "cupy"]()
    for form in sys.argv[2:] or FORMATS:
        for dtype in ("float64", "complex64"):
            run(package, form, dtype)
            print(f"{form} of {dtype}: fine", flush=True)


if __name__ == "__main__":
    main()
