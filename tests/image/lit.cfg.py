# Programs that carry their own bitcode, and what is built of it (docs/design/image.md).
import os
import shutil

config.name = "norn-image"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))
config.suffixes = [".test"]

# Whole projects and random programs, in the long tests.
if os.environ.get("NORN_TEST_FULL"):
    config.available_features.add("long")
    for tool in ("cmake", "meson", "automake"):
        if shutil.which(tool):
            config.available_features.add(tool)
        else:
            lit_config.note(f"projects of {tool} are left out: it is not installed")
