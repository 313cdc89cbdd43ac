# A Spack recipe. Put it into your own package repository as packages/spmv_dist/package.py, and build from a folder with the source:
#   spack repo create ~/site && spack repo add ~/site
#   spack dev-build --source-path FOLDER spmv-dist@0.3.0 +cuda cuda_arch=90
from spack.package import *


class SpmvDist(CMakePackage, CudaPackage):
    """Distributed sparse matrix-vector product for GPU clusters, with pJDS and ELLPACK-R storage and overlap of
    communication and computation."""

    license("BSD-3-Clause")

    version("0.3.0")

    variant("nccl", default=True, when="+cuda", description="Halo exchange by NCCL")
    variant("scotch", default=True, description="Partitioning by PT-Scotch on all ranks")
    variant("hwloc", default=True, description="Communication threads near their GPU")
    variant("shared", default=True, description="Install a shared library")
    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("help2man", type="build")
    depends_on("mpi@3:")
    depends_on("metis@5:")
    depends_on("lapack")
    depends_on("zlib-api")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.10:")
    depends_on("cli11@2.1:")
    depends_on("cuda@12.2:", when="+cuda")
    depends_on("nccl@2.18:", when="+nccl")
    depends_on("scotch+mpi", when="+scotch")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("googletest", type=("build", "test"), when="+tests")

    conflicts("%gcc@:10", msg="C++20 is needed")
    conflicts(
        "cuda_arch=none",
        when="+cuda",
        msg="name the architecture of your GPUs, such as cuda_arch=90",
    )

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SPMV_CUDA", "cuda"),
            self.define("SPMV_NCCL", self.spec.satisfies("+nccl")),
            self.define_from_variant("SPMV_SCOTCH", "scotch"),
            self.define_from_variant("SPMV_BUILD_TESTS", "tests"),
            self.define("SPMV_BUILD_BENCHMARKS", False),
            # Spack chooses the processor by the spec's target.
            self.define("SPMV_NATIVE", False),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(
                self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value)
            )
        return args

    @run_after("install")
    def install_for_the_shell(self):
        bash = which("bash", required=True)
        bash(
            join_path(self.stage.source_path, "jobs", "site", "man_pages.sh"),
            join_path(self.prefix.bin, "spmv_dist"),
            self.prefix.share.man,
        )
