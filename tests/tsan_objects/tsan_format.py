"""A lit format: every program of tests/behaviour, as compiled for ThreadSanitizer, is a test of its own."""

import os

from binary_format import BEHAVIOUR, BinaryFormat

HERE = os.path.dirname(os.path.abspath(__file__))


class TsanFormat(BinaryFormat):
    DIRECTORIES = (BEHAVIOUR,)
    # Loops that wait are the compiler's to find, and what OpenMP's constructs order its runtime is told by norn's.
    WITHOUT = ("waiting", "openmp")
    DIFFERENCES = os.path.join(HERE, "differences.txt")
    WAY = "--tsan"
    NEEDS = os.path.join("lib", "norn", "libnorn-rt.a")
