#!/usr/bin/env python3
"""Writes a damaged copy of a program: damage.py FILE COPY flip|magic|version|half|record

flip changes a byte of the first record's body, magic its beginning, version its version; half leaves half of the file;
record cuts the section's last record short, so that the next section begins within it.
"""
import struct
import sys


def main():
    path, copy, how = sys.argv[1:]
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = data.index(b"norn.img")
    if how == "flip":
        data[at + 60] ^= 1
    elif how == "magic":
        data[at] ^= 1
    elif how == "version":
        data[at + 8] = 9
    elif how == "half":
        del data[len(data) // 2:]
    elif how == "record":
        length = struct.unpack_from("<Q", data, at + 16)[0]
        struct.pack_into("<Q", data, at + 16, length * 1000)
    with open(copy, "wb") as file:
        file.write(data)


main()
