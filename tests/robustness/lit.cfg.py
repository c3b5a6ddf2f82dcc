# What a program may do to itself while norn watches: what was found is reported, and its output and status are its own.
import os

config.name = "norn-robustness"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))
