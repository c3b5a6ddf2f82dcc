# What a program may do to itself while norn watches: what was found is reported, and its output and status are its own.
import os
import subprocess

config.name = "norn-robustness"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.test_source_root, "..", "behaviour", "lit.cfg.py"))

# Whether a file system can be mounted for a test alone, which needs rights.
mounts = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
if mounts.returncode == 0:
    config.available_features.add("mounts")
else:
    lit_config.note("tests of full disks are left out: no file system can be mounted here without more rights")
