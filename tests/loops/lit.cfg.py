# Programs that wait: loops, condition variables, home-made primitives (see verify.py and docs/accuracy.md).
import os
import sys

config.name = "norn-loops"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
# Before the same names of tests/behaviour: lit replaces in this order.
check = f"{sys.executable} {config.test_source_root}/verify.py"
config.substitutions.append(("%check-lto", f"{check} --lto -o %t.lto"))
config.substitutions.append(("%check", f"{check} -o %t.d"))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))
