"""fake_spack.py RECIPE OPTIONS_FILE VERSION: runs a recipe with a fake Spack, with all variants on, and off.

Fails unless all options that it passes to CMake exist, and its newest version is the project's.
"""

import pathlib
import re
import sys
import types

recipe, options_file, version = sys.argv[1:4]
spack = types.ModuleType("spack")
package = types.ModuleType("spack.package")
variants, versions = {}, []


class CMakePackage:
    @staticmethod
    def define(name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        if variant not in variants and variant != "cuda":
            sys.exit(f"the recipe has no variant {variant}")
        return self.define(name, self.spec.satisfies("+" + variant))


class CudaPackage:
    pass


def ignore(*_args, **_more):
    return lambda function: function


package.CMakePackage, package.CudaPackage = CMakePackage, CudaPackage
package.variant = lambda name, **_more: variants.setdefault(name, True)
package.version = lambda number, **_more: versions.append(number)
for name in (
    "depends_on",
    "conflicts",
    "license",
    "run_after",
    "Executable",
    "join_path",
    "mkdirp",
    "which",
):
    setattr(package, name, ignore)
sys.modules["spack"], sys.modules["spack.package"] = spack, package
names = {}
exec(compile(pathlib.Path(recipe).read_text(encoding="utf-8"), recipe, "exec"), names)  # noqa: S102, the recipe of this project
made = names["SpmvDist"]()
known = pathlib.Path(options_file).read_text(encoding="utf-8")
for state in (True, False):
    made.spec = types.SimpleNamespace(
        satisfies=lambda _, on=state: on, variants={"cuda_arch": types.SimpleNamespace(value="90")}
    )
    for argument in made.cmake_args():
        option = re.match(r"-D(\w+)=", argument).group(1)
        if (
            not re.search(rf"(option|set)\({option}\b", known)
            and option != "CMAKE_CUDA_ARCHITECTURES"
        ):
            sys.exit(f"the build has no option {option}")
if versions != [version]:
    sys.exit(f"the recipe's versions are {versions}, but the project's is {version}")
print("all options of the recipe exist in the build")
