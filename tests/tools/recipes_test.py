# SPDX-License-Identifier: Apache-2.0
"""The lists of what Blockyard is built with, for apt, conda, Spack and pip, name every library that CMake asks for."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# what cmake/dependencies.cmake calls it: Debian's development package, conda's, Spack's
NAMES = {
    "fmt": ("libfmt-dev", "fmt", "fmt"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann_json", "nlohmann-json"),
    "CLI11": ("libcli11-dev", "cli11", "cli11"),
    "Eigen3": ("libeigen3-dev", "eigen", "eigen"),
    "BLAS": ("libopenblas-pthread-dev", "openblas", "blas"),
    "LAPACK": ("liblapacke-dev", "liblapacke", "lapack"),
    "HDF5": ("libhdf5-dev", "hdf5", "hdf5"),
    "ZLIB": ("zlib1g-dev", "zlib", "zlib-api"),
    "PkgConfig": ("pkg-config", "pkg-config", "pkgconfig"),
    "libint2": ("libint2-dev", "libint", "libint"),
    "ecpint": ("libecpint-dev", "libecpint", "libecpint"),
    "tomlplusplus": ("libtomlplusplus-dev", "tomlplusplus", "tomlplusplus"),
    "xxhash": ("libxxhash-dev", "xxhash", "xxhash"),
    "RANDOM123_INCLUDE_DIR": ("librandom123-dev", "RANDOM123_INCLUDE_DIR", "random123"),
}


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def required():
    """Libraries without which CMake does not go on, tests and benches aside."""
    text = read("cmake/dependencies.cmake").split("if(BLOCKYARD_MPI)")[0]
    return set(re.findall(r"(?:find_package|pkg_check_modules|find_path)\((\w+)[^)]*REQUIRED", text)) - {"Threads"}


def words(pattern, path):
    return set(re.findall(pattern, read(path), re.MULTILINE))


class Recipes(unittest.TestCase):

    def check(self, column, there):
        self.assertEqual(required(), set(NAMES), "cmake/dependencies.cmake and NAMES")
        missing = [names[column] for names in NAMES.values() if names[column] not in there]
        self.assertEqual(missing, [])

    def test_of_apt_is_whole(self):
        self.check(0, words(r"^build\??\s+(\S+)", "tools/packages.txt"))

    def test_of_conda_is_whole(self):
        self.check(1, words(r"^  - ([\w-]+)", "tools/environment.yml") | words(r"-D(\w+)=", "tools/environment.yml"))

    def test_of_spack_is_whole(self):
        self.check(2, words(r'depends_on\("([\w-]+)', "tools/spack/packages/blockyard/package.py"))

    def test_pip_names_what_is_missing(self):
        self.check(0, words(r"([\w-]+-dev|pkg-config)\b", "cmake/missing.cmake"))

    def test_containers_take_groups_that_there_are(self):
        groups = words(r"^(\w+)\??\s", "tools/packages.txt")
        for recipe in ("tools/Dockerfile", "tools/blockyard.def"):
            asked = words(r"(?:RUN |^    )\S*setup\.sh (\w+)", recipe)
            self.assertEqual(asked, {"build", "run"}, recipe)
            self.assertLessEqual(asked, groups)

    def test_paths_of_the_recipes_exist(self):
        for recipe, pattern in (("tools/Dockerfile", r"COPY ([^-].*) \S+$"), ("tools/blockyard.def", r"/blockyard/(\S+) ")):
            for paths in words(pattern, recipe):
                for path in paths.split():
                    self.assertTrue((ROOT / path).exists(), f"{recipe}: {path}")


if __name__ == "__main__":
    unittest.main()
