# Tests of the plugins and the drivers. Run by ctest (compiler-lit), or:
#   python3 lit.py -sv --param build=BUILD --param tools=LLVM/bin compiler/test
import os
import shutil
import subprocess

import lit.formats

config.name = "norn-compiler"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
build = os.path.abspath(lit_config.params["build"])
tools = os.path.abspath(lit_config.params["tools"])
config.test_exec_root = os.path.join(build, "compiler", "test")

# The drivers find everything relative to themselves. So these tests have a tree of their own, in which the runtime is
# one that prints what it is told: what is tested here is what instrumented programs say, not what is made of it.
tree = os.path.join(config.test_exec_root, "tree")
library = os.path.join(tree, "lib", "norn")
inputs = os.path.join(config.test_source_root, "Inputs")
shutil.rmtree(tree, ignore_errors=True)
os.makedirs(os.path.join(tree, "bin"))
os.makedirs(library)
shutil.copy(os.path.join(build, "bin", "norn-cc"), os.path.join(tree, "bin"))
os.symlink("norn-cc", os.path.join(tree, "bin", "norn-c++"))
for name in ("libnorn-plugin.so", "libnorn-frontend.so"):
    os.symlink(os.path.join(build, "lib", "norn", name), os.path.join(library, name))
clang = os.path.join(tools, "clang")
printing = os.path.join(tree, "printing_runtime.o")
root = os.path.dirname(os.path.dirname(config.test_source_root))
subprocess.check_call([clang, "-O1", "-fPIC", "-mcx16", "-Wall", "-Werror", f"-I{root}/include", "-c", "-o", printing,
                       os.path.join(inputs, "printing_runtime.c")])
for archive in ("libnorn-rt.a", "libnorn-rt-debug.a", "libnorn-rt-static.a"):
    subprocess.check_call([os.path.join(tools, "llvm-ar"), "rcs", os.path.join(library, archive), printing])
open(os.path.join(library, "libnorn-rt-static.a.wraps"), "w").close()
with open(os.path.join(library, "libnorn-rt.a.syms"), "w") as exported:
    exported.write("{ __norn_*; };\n")

config.environment["PATH"] = os.pathsep.join([os.path.join(tree, "bin"), tools, os.environ["PATH"]])
config.environment["NORN_VERIFY"] = "1"
config.substitutions += [
    ("%norn-cc", os.path.join(tree, "bin", "norn-cc")),
    ("%norn-c\\+\\+", os.path.join(tree, "bin", "norn-c++")),
    ("%instrument-program", "opt -load-pass-plugin=%s/libnorn-plugin.so -passes=norn-program,verify -S" % library),
    ("%instrument", "opt -load-pass-plugin=%s/libnorn-plugin.so -passes=norn,verify -S" % library),
    ("%plugin", os.path.join(library, "libnorn-plugin.so")),
    ("%sites", "python3 %s/sites.py" % inputs),
    ("%clang", clang),
    ("%inputs", inputs),
]
