"""What a tool's reports are about: how many on each word of memory, and how many that are no races.

The three tools load a program at the same addresses, but for libraries: what lies in a library's data is known by the
library and the last twelve bits of its address, what lies in a block by the block's size and the place in it.
"""

import collections
import json
import os
import re

# Of helgrind's and drd's reports that are no races: what they begin with, and what they are.
OTHERS = [
    (r"Thread #\d+: pthread_cond_\{signal,broadcast\}", "signals without the lock"),
    (r"Probably a race condition: condition variable", "signals without the lock"),
    (r"Thread #\d+: lock order", "orders of locks"),
    (r"Thread #\d+: Exiting thread still holds", "threads that end with a lock"),
    (r"Thread #\d+('s call| unlocked|: )", "misuse"),
    (r"Thread #\d+ (deallocated|unlocked)", "misuse"),
    (r"(Mutex|The object at address|Destroying|Recursive|Thread \d+ (ended|exited)|Reader-writer|Attempt)", "misuse"),
]
RACE = re.compile(r"(?:Possible data race during (?:read|write) of size \d+ at|Conflicting (?:load|store) by thread \d+ at)"
                  r" (0x[0-9a-fA-F]+)")


def in_module(path, address):
    return f"{os.path.basename(path)} …{address & 0xfff:03x}"


def in_block(size, offset):
    return f"block of {size}, at {offset}"


def word_of_location(location):
    """By norn's JSON."""
    if location["kind"] == "heap":
        return in_block(location.get("object_size", "?"), location.get("offset", 0))
    if location["kind"] == "stack":
        return "a stack"
    module, plus, _ = location["name"].partition("+0x")
    return in_module(module, int(location["address"], 16)) if plus else location["name"] or location["address"]


def word_of_report(text, address):
    """By what helgrind or drd say of the address."""
    number = r"([\d,]+)"
    for pattern in (rf"is {number} bytes inside a block of size {number}", rf"is at offset {number} from 0x[0-9a-fA-F]+\. Allocation"):
        found = re.search(pattern, text)
        if found:
            size = found.group(2) if found.lastindex == 2 else "?"
            return in_block(size.replace(",", ""), found.group(1).replace(",", ""))
    found = re.search(r'bytes inside data symbol "([^"]+)"', text) or re.search(r"is at offset \d+ from (\w+)\b", text)
    if found:
        return found.group(1)
    found = re.search(r"is in the \S+ (?:\S+ )?segment of (\S+)", text) or re.search(r"context: \S+ section of (\S+)", text)
    if found:
        return in_module(found.group(1), address)
    if re.search(r"on thread #?\d+'s stack|stack of thread", text):
        return "a stack"
    return hex(address)


def reports_in(errors):
    """The reports of helgrind or drd: each a text that begins with what is wrong."""
    lines = [re.sub(r"^==\d+== ?", "", line) for line in errors.splitlines() if re.match(r"==\d+==", line)]
    begins = re.compile("|".join([RACE.pattern, *(f"{pattern}" for pattern, _ in OTHERS)]))
    report = None
    for line in lines:
        if begins.match(line):
            if report:
                yield "\n".join(report)
            report = [line]
        elif line.startswith("ERROR SUMMARY") or line.startswith("For lists of detected"):
            break
        elif report:
            report.append(line)
    if report:
        yield "\n".join(report)


def of_peer(errors):
    """Counter of words, Counter of what is no race."""
    races, others = collections.Counter(), collections.Counter()
    for report in reports_in(errors):
        race = RACE.match(report)
        if race:
            races[word_of_report(report, int(race.group(1), 16))] += 1
        else:
            others[next(name for pattern, name in OTHERS if re.match(pattern, report))] += 1
    return races, others


def of_norn(path):
    """Two Counters of words: observed, predicted."""
    counted = {"observed": collections.Counter(), "predicted": collections.Counter()}
    with open(path, encoding="utf-8") as file:
        for race in json.load(file)["races"]:
            if not race["suppressed"]:
                counted[race["standing"]][word_of_location(race["location"])] += 1
    return counted["observed"], counted["predicted"]
