# Behaviour tests: small programs that say in their comments what norn must report of them (see program.py).
#
#   lit -Dnorn_bin=build/bin tests/behaviour        or with NORN_BIN in the environment
#
# The tests in tests/robustness, tests/standards and tests/users use the same machinery: their lit.cfg.py load this one.
import os
import subprocess
import sys

behaviour = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, behaviour)
from program_format import ProgramFormat  # noqa: E402

norn_bin = lit_config.params.get("norn_bin") or os.environ.get("NORN_BIN")
if not norn_bin:
    lit_config.fatal("where are norn's tools? say -Dnorn_bin=build/bin, or set NORN_BIN")
norn_bin = os.path.abspath(norn_bin)

config.name = config.name if config.name != "<unnamed>" else "norn-behaviour"
config.test_source_root = getattr(config, "test_source_root", None) or behaviour
config.test_format = ProgramFormat([f"{behaviour}/check.py", os.path.abspath(f"{behaviour}/../loops/verify.py")])
config.suffixes = [".c", ".cpp", ".test"]
config.excludes = ["Inputs"]
output = lit_config.params.get("output") or os.path.join(os.path.dirname(norn_bin), "tests")
config.test_exec_root = os.path.join(output, os.path.basename(config.test_source_root))

config.environment["NORN_BIN"] = norn_bin
config.environment["NORN_TEST_PRECOMPILED"] = os.path.join(output, "precompiled")
config.environment["NO_COLOR"] = "1"
config.environment["NORN_VERIFY"] = "1"
if os.path.basename(config.test_source_root) in ("behaviour", "standards"):
    config.environment["NORN_CASEBOOK"] = "none"  # thousands of runs, each of which would wait for the disk
llvm_bin = subprocess.run(["llvm-config-19", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
config.environment["PATH"] = os.pathsep.join([llvm_bin, os.environ["PATH"]])  # FileCheck, not
for name in ("NORN_TEST_FULL", "XDG_RUNTIME_DIR", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

check = f"{sys.executable} {behaviour}/check.py"
# Longest names first: lit replaces in this order.
config.substitutions.append(("%check-loops", f"{check} --levels=-O0,-O1,-O2,-O3,-O2+-flto -o %t.d"))
config.substitutions.append(("%check", f"{check} -o %t.d"))
config.substitutions.append(("%behaviour", behaviour))
config.substitutions.append(("%races", f"{sys.executable} {behaviour}/races.py"))
config.substitutions.append((r"%norn-c\+\+", f"{norn_bin}/norn-c++ -std=c++20 -g -pthread -I{behaviour}"))
config.substitutions.append(("%norn-cc", f"{norn_bin}/norn-cc -std=gnu11 -D_GNU_SOURCE -g -pthread -I{behaviour}"))
config.substitutions.append(("%norn", f"{norn_bin}/norn"))
