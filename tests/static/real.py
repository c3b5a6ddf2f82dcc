#!/usr/bin/env python3
"""What norn static says of real programs, and what that takes: the table of docs/design/static.md.

    real.py --bin BUILD/bin [--directory DIRECTORY] [--write] [PROGRAM…]

Builds programs of Debian's sources by norn-cc and norn-c++, in the directory (a temporary one otherwise; what is there is
not built again), and analyses each once. --write puts the rows into the document; programs that are not named keep theirs.
"""

import argparse
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "docs" / "design" / "static.md"
BEGIN, END = "<!-- made by tests/static/real.py: begin -->\n", "<!-- made by tests/static/real.py: end -->\n"
HEAD = ["| program | bitcode, MB | candidates | on objects | flags | CPU seconds | memory, MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
QUIET = "AUTOCONF=: AUTOMAKE=: ACLOCAL=: AUTOHEADER=:"

# Of each program the source packages (the first is where the work is done), how it is built, and its path.
PROGRAMS = {
    "memcached": (["memcached"],
                  f"./configure --disable-docs --disable-extstore && make -j$JOBS memcached CFLAGS='-O2 -g -pthread' {QUIET}",
                  "memcached"),
    "pbzip2": (["pbzip2", "bzip2"],
               "cp ../bzip2/*.[ch] . && rm bzip2.c bzip2recover.c dlltest.c mk251.c spewG.c unzcrash.c && "
               "$CC -O2 -g -D_FILE_OFFSET_BITS=64 -c *.c && "
               "$CXX -std=gnu++98 -w -O2 -g -D_FILE_OFFSET_BITS=64 -I. *.cpp *.o -pthread -o pbzip2", "pbzip2"),
    "xz": (["xz-utils"],
           "./configure --disable-nls --disable-doc --disable-shared --disable-scripts --disable-xzdec "
           "--disable-lzmadec --disable-lzmainfo --disable-lzma-links && "
           "for part in liblzma xz; do make -j$JOBS -C src/$part CFLAGS='-O2 -g'; done", "src/xz/xz"),
    "redis": (["redis"],
              "make -j$JOBS -C src redis-server MALLOC=libc BUILD_TLS=no USE_SYSTEMD=no OPTIMIZATION=-O2 DEBUG=-g",
              "src/redis-server"),
    "sqlite3": (["sqlite3"],
                "./configure --disable-tcl --disable-readline --enable-threadsafe && make sqlite3.c shell.c && "
                "$CC -O2 -g -DSQLITE_THREADSAFE=1 -I. shell.c sqlite3.c -o sqlite3 -lpthread -ldl -lm", "sqlite3"),
    # Its event MPM, with apr and apr-util of their sources: otherwise its locks are holes. What Debian's own build passes
    # for a program's name and date is given here; parts that do not matter fail without it.
    "apache2": (["apache2", "apr", "apr-util"],
                "prefix=$(realpath ..)/inst; export CFLAGS='-O2 -g' CPATH=$prefix/include/apr-1; "
                "(cd ../apr && ./buildconf && ./configure --prefix=$prefix --disable-shared --enable-static && "
                "make -j$JOBS && make install); "
                "(cd ../apr-util && ./buildconf --with-apr=../apr && ./configure --prefix=$prefix --with-apr=../apr && "
                "cp $prefix/build-1/apr_rules.mk build/rules.mk && make -j$JOBS && make install); "
                "./buildconf --with-apr=../apr --with-apr-util=../apr-util && ./configure --prefix=$prefix "
                "--with-apr=$prefix/bin/apr-1-config --with-apr-util=$prefix/bin/apu-1-config --with-mpm=event "
                "--enable-mods-static=few --disable-so --with-pcre=$(command -v pcre2-config) && "
                "sed -i '1i #define BUILD_DATETIME \"unknown\"' server/buildmark.c && "
                "{ make -k -j$JOBS LIBTOOL=\"/bin/sh $prefix/build-1/libtool --silent\" || test -x httpd; }", "httpd"),
}


def packages_module():
    loader = importlib.machinery.SourceFileLoader("package", str(HERE.parent / "real" / "package"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("package", loader))
    loader.exec_module(module)
    return module


def build(name, directory, bin_dir):
    """Gives the program's path and its version."""
    packages, commands, path = PROGRAMS[name]
    root = directory / name
    stamp = root / "version"
    if not stamp.exists():
        root.mkdir(parents=True, exist_ok=True)
        (directory / "apt").mkdir(exist_ok=True)
        apt = packages_module().Apt(str(directory / "apt"))
        version = [apt.source(source, str(root / source)) for source in packages][0]
        environment = os.environ | {"CC": str(bin_dir / "norn-cc"), "CXX": str(bin_dir / "norn-c++"),
                                    "JOBS": str(os.cpu_count())}
        done = subprocess.run(["sh", "-ec", commands], cwd=root / packages[0], env=environment, capture_output=True,
                              text=True, errors="replace", stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(f"{name} cannot be built:\n{(done.stdout + done.stderr)[-3000:]}")
        stamp.write_text(version)
    return root / packages[0] / path, stamp.read_text()


def row(name, directory, bin_dir):
    program, version = build(name, directory, bin_dir)
    image = subprocess.run([bin_dir / "norn", "image", program], capture_output=True, text=True, check=True).stdout
    unpacked = int(re.search(r"([\d,]+) unpacked", image).group(1).replace(",", ""))
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([bin_dir / "norn", "static", "--json", program], stdout=out, cwd=directory)
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"norn static {name} ended with {os.waitstatus_to_exitcode(status)}")
        out.seek(0)
        report = json.load(out)
    objects = {race["location"].get("object") or race["location"].get("name") for race in report["races"]}
    return (f"| {name} {version} | {unpacked / 1e6:.1f} | {len(report['races']):,} | {len(objects)} "
            f"| {len(report.get('flags', []))} | {used.ru_utime + used.ru_stime:.1f} | {used.ru_maxrss / 1024:.0f} |")


def known_rows(text):
    inside = text[text.index(BEGIN) + len(BEGIN):text.index(END)]
    return {line.split()[1]: line for line in inside.splitlines()[len(HEAD):] if line.startswith("| ")}


def main():
    parser = argparse.ArgumentParser(usage="real.py --bin BUILD/bin [--directory DIRECTORY] [--write] [PROGRAM…]")
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--directory", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.programs:
        if name not in PROGRAMS:
            parser.error(f"{name} is none of {', '.join(PROGRAMS)}")
    rows = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name in arguments.programs or PROGRAMS:
            rows[name] = row(name, (arguments.directory or pathlib.Path(temporary)).resolve(), arguments.bin.resolve())
            print(rows[name], flush=True)
    if arguments.write:
        text = DOCUMENT.read_text()
        rows = known_rows(text) | rows
        lines = [*HEAD, *(rows[name] for name in PROGRAMS if name in rows)]
        start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        DOCUMENT.write_text(text[:start] + "\n".join(lines) + "\n" + text[end:])


main()
