# The programs of tests/behaviour and tests/loops, built by ordinary compilers, under the Valgrind front end: the same
# verdict, but for those that differences.txt names with the reason.
#
# Each program is built by gcc-12 and by clang-19, at -O0 and at -O2. In a plain run of the tests a sample of them is
# taken, each with one of the four; NORN_TEST_FULL=1 takes all.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from binary_format import BinaryFormat  # noqa: E402

norn_bin = lit_config.params.get("norn_bin") or os.environ.get("NORN_BIN")
if not norn_bin:
    lit_config.fatal("where are norn's tools? say -Dnorn_bin=build/bin, or set NORN_BIN")
norn_bin = os.path.abspath(norn_bin)
output = os.path.join(lit_config.params.get("output") or os.path.join(os.path.dirname(norn_bin), "tests"), "binary")

config.name = "norn-binary"
config.test_source_root = here
config.test_exec_root = output
config.test_format = BinaryFormat(norn_bin, output, "NORN_TEST_FULL" in os.environ)
