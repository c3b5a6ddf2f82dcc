# Programs with schedule-dependent bugs, and what norn's controlled runs must make of them and of others (see bug.py).
import os
import sys

config.name = "norn-schedule"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.excludes = ["figures", "programs", "Inputs"]
here = config.test_source_root
config.substitutions.append(("%schedule", here))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%show", f"{sys.executable} {here}/show.py -o %t.d"))
config.substitutions.append(("%found", f"{sys.executable} {here}/found.py -o %t.d"))
excludes = config.excludes
lit_config.load_config(config, os.path.join(here, "..", "behaviour", "lit.cfg.py"))
config.excludes = excludes
# With NORN_TEST_FULL all. The bugs are many, and each is built three times.
if not os.environ.get("NORN_TEST_FULL"):
    config.excludes += ["bugs", "predicted.test", "progress.test", "race-free.test", "replays.test", "sleeps.test",
                        "two-hundred-threads.test"]
