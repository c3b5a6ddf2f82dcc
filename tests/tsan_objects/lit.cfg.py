# The programs of tests/behaviour, compiled by gcc and by clang with -fsanitize=thread and linked by norn: the same
# verdict, but for those that differences.txt names with the reason.
#
# As in tests/binary, a plain run of the tests takes a sample, each program in one of four builds; NORN_TEST_FULL=1 takes
# all.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.dirname(here), os.path.join(os.path.dirname(here), "binary")]
import borrowed  # noqa: E402
from tsan_format import TsanFormat  # noqa: E402

borrowed.settle(config, lit_config, here, TsanFormat)
