# What a program may do while it is run under control: it ends as it would, the same seed does the same, and what goes
# wrong is told.
import os

config.name = "norn-control"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(config.test_source_root, "..", "..")
lit_config.load_config(config, os.path.join(root, "tests", "behaviour", "lit.cfg.py"))
config.test_exec_root = os.path.join(os.path.dirname(config.test_exec_root), "control")

# Nothing goes wrong, whatever the strategy.
harmless = " && ".join(
    f"%norn confirm --explore --strategy={strategy} --runs=4 --timeout=60 -- %t" for strategy in ("random", "pct", "pos", "rr")
)
config.substitutions.insert(0, ("%harmless", harmless))
# A run by a seed and its replay take the same decisions.
config.substitutions.insert(0, ("%replays", f"sh {config.test_source_root}/replays.sh %norn"))
