# Programs with schedule-dependent bugs, and what norn's controlled runs must make of them (see bug.py).
import os
import sys

config.name = "norn-schedule"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))

here = config.test_source_root
config.substitutions.insert(0, ("%schedule", here))
config.substitutions.insert(0, ("%show", f"{sys.executable} {here}/show.py -o %t.d"))
