"""values.py NORN PROGRAM: what reports say of values.cpp's accesses, one schedule after the other, is what the program
says itself, or what it can only have been."""

import json
import re
import shutil
import subprocess
import sys

NORN, PROGRAM = sys.argv[1:]
# What is there first, and what each of the two writes.
WRITES = {
    "all.number": ("3", "5", "9"),
    "all.tiny": ("-2", "-3", "100"),
    "all.port": ("80", "65535", "1"),
    "all.wide": ("-1", "-6", "1099511627776"),
    "all.flag": ("false", "true", "true"),
    "all.ratio": ("0.5", "-0.25", "8"),
    "all.share": ("1e+100", "2.5", "-1"),
    "all.pointer": ("null", "0x1234", "0x5678"),
    "all.letter": ("'x'", "'\\n'", "'y'"),
}
SEEDS = range(1, 5)


def norn(*arguments):
    done = subprocess.run([NORN, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 66), (arguments, done)
    return done


def races():
    norn("report", "--json=report.json")
    with open("report.json", encoding="utf-8") as file:
        return json.load(file)["races"]


def check(condition, *what):
    if not condition:
        sys.exit(f"{PROGRAM}: {what}")


orders, crowds, seen = set(), set(), set()
identical = 0
for seed in SEEDS:
    shutil.rmtree(".norn", ignore_errors=True)
    norn("run", "--", PROGRAM)
    norn("confirm", "--all", "--strategy=race-directed", "--runs=1", f"--seed={seed}", "--", PROGRAM)
    for race in races():
        name, confirmation = race["location"]["name"], race["confirmation"]
        later, earlier = race["accesses"]
        if not confirmation["confirmed"]:
            check(earlier["values"] is None, "nobody knows what the earlier access did", race)
            continue
        said = {access["values"] for access in race["accesses"]}
        in_order = [next(access for access in race["accesses"]
                         if int(access["site_id"], 16) & 0xffffffff == int(met["site"], 16))
                    for met in confirmation.get("met", [])]
        if name in WRITES:
            old, a, b = WRITES[name]
            ways = [{f"{old} → {a}", f"{a} → {b}"}, {f"{old} → {b}", f"{b} → {a}"}]
            check(said in ways, name, said)
            check([access["old_value"] for access in in_order][1] == in_order[0]["value"], name, confirmation)
            if a != b:
                orders.add(ways.index(said))
            if name == "all.number":
                text = norn("show", "R" + race["id"]).stdout  # of the casebook
                for words in said:
                    check(re.search(f"write, .*, {re.escape(words)} ", text), text)
                first = "second" if in_order[0] is earlier else "first"
                check(f"where the access shown {first} goes first" in text, first, text)
        elif name in ("crowded", "read_once") and {"read", "write"} == {access["op"] for access in race["accesses"]}:
            # A third thread may write in between: what the program prints is what the read found.
            replayed = norn("replay", confirmation["token"], "--", PROGRAM)
            printed = re.search(f"{name}: (.*)", replayed.stdout).group(1)
            check("values: values.cpp:" in replayed.stderr and f"read: value {printed}" in replayed.stderr, replayed)
            read = next(access for access in race["accesses"] if access["op"] == "read")
            write = next(access for access in race["accesses"] if access["op"] == "write")
            if "replayed identically" in replayed.stderr:
                check(read["values"] == f"value {printed}", name, printed, said)
                identical += 1
            check(re.fullmatch(r"[0127] → (1|2|42)", write["values"]), name, write["values"])
            if name == "crowded":
                crowds.add((write["values"], printed))
        elif name.startswith("block"):
            # More bytes than the other one's, as the compiler has them.
            check(any(re.search("0x63627a", str(words)) for words in said) == ("'a' → 'z'" in said), name, said)
            check(any(re.search("0x636261", str(words)) for words in said) == ("'w' → 'z'" in said), name, said)
        elif name.startswith("text"):
            # A function of the C library writes, and may be done with its bytes: nothing is said of it.
            check(None in said and said - {None} in ({"'A' → 'Z'"}, {"'Y' → 'Z'"}), name, said)
        seen.add(name.split("[")[0])
check(set(WRITES) | {"read_once", "block", "text"} <= seen, "not all were confirmed", seen)
check(identical > 0, "no replay was the same")
check(orders == {0, 1}, "both orders", orders)
check(len(crowds) > 1, "a third thread comes between", crowds)
