# Programs built in the sampling profile: those here, whose races must be found, and the programs of tests/behaviour and
# tests/loops, of which nothing else may be reported than ever. In a plain run of the tests a sample of those is taken;
# NORN_TEST_FULL=1 takes all.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from sampling_format import SamplingFormat  # noqa: E402

norn_bin = lit_config.params.get("norn_bin") or os.environ.get("NORN_BIN")
if not norn_bin:
    lit_config.fatal("where are norn's tools? say -Dnorn_bin=build/bin, or set NORN_BIN")
norn_bin = os.path.abspath(norn_bin)
output = os.path.join(lit_config.params.get("output") or os.path.join(os.path.dirname(norn_bin), "tests"), "sampling")

config.name = "norn-sampling"
config.test_source_root = here
config.test_exec_root = output
config.test_format = SamplingFormat(norn_bin, output, "NORN_TEST_FULL" in os.environ)
