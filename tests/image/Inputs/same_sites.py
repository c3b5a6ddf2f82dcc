#!/usr/bin/env python3
"""Do two programs have the same sites, place and identity of each? same_sites.py ONE OTHER

A site is 64 bytes of the section norn_sites (include/norn/abi.h); the pointers in it are the linker's matter.
"""
import struct
import subprocess
import sys


def sites(program):
    """Line, column, identity, kind, order, size and flags of each, sorted."""
    subprocess.run(["llvm-objcopy", "--dump-section", f"norn_sites={program}.sites", program, "/dev/null"], check=True)
    with open(program + ".sites", "rb") as file:
        table = file.read()
    return sorted(struct.unpack_from("<IIQBBHI", table, at + 40) for at in range(0, len(table), 64))


one, other = sites(sys.argv[1]), sites(sys.argv[2])
print(f"{len(one)} and {len(other)} sites, {len(set(one) ^ set(other))} differ")
sys.exit(one != other or not one)
