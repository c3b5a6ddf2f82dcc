# The programs of tests/behaviour and tests/loops, built by ordinary compilers, under the Valgrind front end: the same
# verdict, but for those that differences.txt names with the reason.
#
# Each program is built by gcc-12 and by clang-19, at -O0 and at -O2. In a plain run of the tests a sample of them is
# taken, each with one of the four; NORN_TEST_FULL=1 takes all.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.dirname(here)]
import borrowed  # noqa: E402
from binary_format import BinaryFormat  # noqa: E402

borrowed.settle(config, lit_config, here, BinaryFormat)
