# SPDX-License-Identifier: Apache-2.0
"""Blockyard for Spack, from a clone:  spack repo add tools/spack
spack dev-build --source-path $PWD blockyard@main
"""
from spack.package import *

try:  # Spack 1.0 and newer have the build systems in the repository of packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Blockyard(CMakePackage):
    """Computations on very large multidimensional arrays, in blocks: the SIAL language, its runtime, coupled cluster."""

    license("Apache-2.0")
    version("main", branch="main")

    variant("mpi", default=True, description="Run in many processes")
    variant("cuda", default=False, description="Compute on NVIDIA GPUs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("blas")
    depends_on("lapack")
    depends_on("hdf5~mpi")
    depends_on("libint@2.9: +cxx ~fortran tune=cp2k-lmax-6")  # with integrals of two and three centres
    depends_on("libecpint")
    depends_on("eigen", type="build")
    depends_on("boost", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("tomlplusplus")
    depends_on("xxhash")
    depends_on("random123", type="build")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("cuda", when="+cuda")

    generator("ninja")
    conflicts("%gcc@:11", msg="Blockyard is C++20: g++ 12 or newer")

    def cmake_args(self):
        return [
            self.define("BLOCKYARD_TESTS", False),
            self.define("BLOCKYARD_BENCH", False),
            self.define("BLOCKYARD_WERROR", False),
            self.define_from_variant("BLOCKYARD_MPI", "mpi"),
            self.define_from_variant("BLOCKYARD_CUDA", "cuda"),
        ]
