"""Prints the sites of an instrumented module in LLVM's text form, one a line:

    LINE KIND SIZE EXPRESSION in FUNCTION [at CALLER:LINE ...]

Sites of library functions are left out; so are those of calls, unless -c is given.
"""
import re
import sys

KINDS = ("read write atomic-load atomic-store atomic-rmw atomic-cas fence call vptr-read vptr-write range-read "
         "range-write").split()
LIBRARY = 4

texts = {}
sites = {}
source = (open(sys.argv[1]) if sys.argv[1] != "-" else sys.stdin).read()
for match in re.finditer(r'^(@norn\.text(?:\.\d+)?) = .* c"(.*)\\00"', source, re.M):
    texts[match[1]] = match[2]
for match in re.finditer(r"^(@norn\.site(?:\.\d+)?) = .*? constant \{.*?\} \{ (.*?) \}, section", source, re.M):
    values = [field.split()[-1] for field in match[2].split(",")]
    names = ("file", "directory", "function", "expression", "inlined_at", "line", "column", "hash", "kind", "order",
             "size", "flags")
    sites[match[1]] = dict(zip(names, values))

lines = set()
for site in sites.values():
    kind = KINDS[int(site["kind"])]
    if (kind == "call" and "-c" not in sys.argv) or int(site["flags"]) & LIBRARY:
        continue
    line = "%4s %s %s %s in %s" % (site["line"], kind, site["size"], texts.get(site["expression"], "-"),
                                  texts.get(site["function"]))
    if "-h" in sys.argv:
        line += " #" + site["hash"]
    caller = sites.get(site["inlined_at"])
    while caller:
        line += " at %s:%s" % (texts.get(caller["function"]), caller["line"])
        caller = sites.get(caller["inlined_at"])
    lines.add(line)
print("\n".join(sorted(lines)))
