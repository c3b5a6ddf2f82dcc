"""norn in gdb: stop at a race, see both sides.

    (gdb) source …/norn.py            (installed: lib/norn/gdb/norn.py)
    (gdb) norn break                  stop where a race is found
    (gdb) run
    (gdb) norn race                   what was found last: both stacks, threads, locks
    (gdb) norn races                  all of this process, a line each

The program is built with norn-cc or norn-c++ and started in gdb as always. The runtime calls __norn_on_report with what
it found, in the record's own words (report/record.h).
"""

import json
import os
import tempfile

import gdb


def frame_line(frame):
    place = os.path.basename(frame.get("file", "")) or os.path.basename(frame.get("module", ""))
    line = f":{frame['line']}" if frame.get("line") else ""
    return f"      {frame.get('function', '?'):<40} {place}{line}"


def access_lines(access):
    name = f' "{access["thread_name"]}"' if access.get("thread_name") else ""
    locks = ", ".join(lock.get("name") or lock["address"] for lock in access.get("locks", []))
    yield f"  {access['op']}, {access['size']} bytes, by thread {access['thread']}{name}: " \
          + (f"holds {locks}" if locks else "no locks held")
    for frame in access.get("stack") or [access.get("site", {})]:
        if not frame.get("library"):
            yield frame_line(frame)


def race_lines(race):
    yield f"norn: {race['standing']} race on {race['location'].get('name', race['location']['address'])}  R{race['id']}"
    for access in race["accesses"]:
        yield from access_lines(access)


class Norn(gdb.Command):
    """Races that norn found in this process: norn break | race | races"""

    def __init__(self):
        super().__init__("norn", gdb.COMMAND_USER)
        self.findings = os.path.join(tempfile.mkdtemp(prefix="norn-gdb-"), "findings.jsonl")

    def races(self):
        try:
            with open(self.findings, encoding="utf-8", errors="replace") as file:
                records = [json.loads(line) for line in file.read().replace("\0", "").splitlines() if line.strip()]
        except (OSError, ValueError):
            return []
        return [record for record in records if record["record"] == "race"]

    def invoke(self, argument, from_tty):
        if argument == "break":
            options = os.environ.get("NORN_OPTIONS", "")
            gdb.execute(f"set environment NORN_OPTIONS {options + ':' if options else ''}findings={self.findings}")
            gdb.execute("set breakpoint pending on")
            gdb.execute("break __norn_on_report")
            return
        races = self.races()
        if argument == "races":
            for race in races:
                print(next(race_lines(race)))
        elif argument == "race" and races:
            print("\n".join(race_lines(races[-1])))
        elif argument != "race":
            raise gdb.GdbError("norn break, norn race or norn races")
        if not races:
            print("norn: no race so far (norn break comes before run)")

    def complete(self, text, word):
        return [name for name in ("break", "race", "races") if name.startswith(word)]


Norn()
