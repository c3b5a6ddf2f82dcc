#!/usr/bin/env python3
"""Whether the probes of a program stand at candidates alone: norn static --json PROGRAM | probes.py BUILT"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "hive"))
from validated import probes_of  # noqa: E402

candidates = {int(access["site_id"], 16) for race in json.load(sys.stdin)["races"] for access in race["accesses"]}
probes = probes_of(sys.argv[1])
strays = [site for site in probes if site not in candidates]
print(f"{len(probes)} probes, {'not ' if strays else ''}all of candidates")
sys.exit(1 if strays or not probes else 0)
