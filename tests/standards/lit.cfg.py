# Programs written from the standards alone, in pairs: one that is right, and one with the mistake that users make.
import os

config.name = "norn-standards"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))
