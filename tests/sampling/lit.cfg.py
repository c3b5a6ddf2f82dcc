# Programs built in the sampling profile: those here, whose races must be found, and the programs of tests/behaviour and
# tests/loops, of which nothing else may be reported than ever. In a plain run of the tests a sample of those is taken;
# NORN_TEST_FULL=1 takes all.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.dirname(here)]
import borrowed  # noqa: E402
from sampling_format import SamplingFormat  # noqa: E402

borrowed.settle(config, lit_config, here, SamplingFormat)
