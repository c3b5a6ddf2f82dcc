# One test for each line of what users of race detectors suffer from, by its number.
import os

config.name = "norn-users"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))
