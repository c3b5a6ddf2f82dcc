# Programs written from the standards alone, in pairs: one that is right, and one with the mistake that users make. Each
# at one level, by its name; NORN_TEST_FULL=1 takes all.
import os

config.name = "norn-standards"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))
if not os.environ.get("NORN_TEST_FULL"):
    config.substitutions = [(name, command + " --levels=one" if name == "%check" else command)
                            for name, command in config.substitutions]
