"""norn's verbs as functions: run, confirm, explore, replay, check. Each gives back what its JSON report or its text says.

Every call gets the directory it works in: the findings of `run` stay there for `confirm`.
"""

import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess

from bug import norn_tools

SECONDS = 900
CONFIRMED = 66
STRATEGIES = ("random", "race-directed", "pct", "pos", "rr")


@dataclasses.dataclass
class Done:
    status: int
    output: str
    errors: str
    report: dict | None


def environment(**more):
    kept = {key: value for key, value in os.environ.items() if not re.fullmatch("(.*SAN|NORN)_OPTIONS|NORN_DIR", key)}
    return {**kept, "NO_COLOR": "1", **more}


def norn(verb, arguments, directory, json_report=False, seconds=SECONDS, **keywords):
    directory = pathlib.Path(directory).absolute()
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{verb}.json"
    path.unlink(missing_ok=True)
    options = [f"--json={path}"] if json_report else []
    process = subprocess.Popen([str(norn_tools() / "norn"), verb, *options, *arguments], cwd=directory,
                               env=environment(**keywords), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        errors += f"\nnorn {verb}: stopped after {seconds} s\n".encode()
    report = json.loads(path.read_text()) if path.exists() else None
    return Done(process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"), report)


# A detection run that is always the same, and does not meet the bug it is to warn of.
IN_ORDER = {"NORN_OPTIONS": "schedule=rr"}


def run(command, directory, options=(), **keywords):
    return norn("run", [*options, "--", *command], directory, json_report=True, **keywords)


def confirm(which, command, directory, strategy=None, runs=None, seed=None, options=(), **keywords):
    """`which` is a list of race ids, ["--all"] or ["--explore"]. Returns what was done; entries(done) are its rows."""
    options = list(options)
    options += [f"--{name}={value}" for name, value in (("strategy", strategy), ("runs", runs), ("seed", seed)) if value]
    return norn("confirm", [*which, *options, "--", *command], directory, json_report=True, **keywords)


def entries(done):
    return done.report["confirm"] if done.report else []


def shown(entry, kinds):
    """In how many of its runs an entry saw a consequence of these kinds."""
    return sum(consequence["count"] for consequence in entry["consequences"] if consequence["kind"] in kinds)


def tokens(entry, standing="confirmed"):
    """The replay tokens of an entry that has this standing."""
    if entry["standing"] != standing:
        return []
    return [consequence["replay"] for consequence in entry["consequences"] if consequence.get("replay")]
