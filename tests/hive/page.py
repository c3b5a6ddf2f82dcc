#!/usr/bin/env python3
"""The hive's page in a real browser: page.py BUILD_DIR [--screenshots=DIR]

Submits tests/page/bank.cpp to a server, and lets page_test.mjs drive the page in Chromium (Playwright from npm, as
report/web/package-lock.json pins it) while the program runs beside two agents. Part of make test-long: npm and Chromium
are large, and nothing else in make test needs them.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from hive_server import HiveServer  # noqa: E402

ROOT = HERE.parent.parent


def agent_of(hive, work, name):
    """A site: (process, environment of its programs)"""
    directory = work / name
    directory.mkdir()
    process = subprocess.Popen(
        [hive.norn, "hive", "agent", f"--hive={hive.url}", f"--socket={directory}/socket", f"--spool={directory}/spool"],
        env={**os.environ, "NORN_HIVE_TOKEN": hive.token("site", name)}, stdout=subprocess.PIPE, text=True)
    assert "listens at" in process.stdout.readline()
    return process, {"NORN_HIVE_SOCKET": f"{directory}/socket", "NORN_HIVE_WAIT": "5000"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--screenshots", default="", help="write them there: docs/images has those of docs/hive.md")
    options = parser.parse_args()
    binaries = pathlib.Path(options.build).absolute() / "bin"
    browser = shutil.which("chromium")
    if shutil.which("npm") is None or browser is None:
        sys.exit("page.py: npm or chromium is missing; type: tools/install-packages page")
    work = pathlib.Path(options.build).absolute() / "tests" / "hive-page"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "report" / "web" / name, work)
    shutil.copy(ROOT / "tests" / "page" / "bank.cpp", work)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=work, check=True)
    norn = str(binaries / "norn")
    with HiveServer(norn, str(work / "hive.db"), "--rate=200") as hive:
        developer = hive.token("developer", "ann")
        for label, level in (("1.3", "-O2"), ("1.4", "-O1")):
            subprocess.run([binaries / "norn-c++", "-std=c++20", "-g", level, "-pthread", "bank.cpp", "-o", "bank"],
                           cwd=work, check=True)
            subprocess.run([norn, "hive", "submit", f"--label={label}", "./bank"], cwd=work, check=True,
                           env={**os.environ, "NORN_HIVE": hive.url, "NORN_HIVE_TOKEN": developer})
        agents = [agent_of(hive, work, name) for name in ("desk-1", "desk-2")]
        try:
            config = {"url": hive.url, "developer": developer, "site": hive.token("site", "nobody"),
                      "browser": browser, "program": str(work / "bank.production"),
                      "environments": [environment for _, environment in agents],
                      "screenshots": os.path.abspath(options.screenshots) if options.screenshots else ""}
            (work / "config.json").write_text(json.dumps(config))
            status = subprocess.run(["node", HERE / "page_test.mjs", "config.json"], cwd=work).returncode
        finally:
            for process, _ in agents:
                process.terminate()
                process.wait(60)
                process.stdout.close()
    sys.exit(status)


if __name__ == "__main__":
    main()
