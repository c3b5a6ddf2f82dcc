"""Where the sources of real programs come from, and how LevelDB is built of them: for tests/real/run and bench/loads.py."""
import base64
import hashlib
import json
import os
import shutil
import subprocess
import tarfile

# name, version, and the integrity that the registry gives
PACKAGES = {
    "classic-level": ("1.4.1", "sha512-qGx/KJl3bvtOHrGau2WklEZuXhS3zme+jf+fsu6Ej7W7IP/C49v7KNlWIsT1jZu0YnfzSIYDGcEWpCa1wKGWXQ=="),
    "lmdb": ("3.5.6", "sha512-j3uE8ReKNyUWDjhfEFSJqE/1DLtfTR5Z8yFzVHvBjAk37wNg7HdScjcv8ttPHRvrdgPQMPWxFFI0SsdBzI5lBw=="),
}


class Unavailable(Exception):
    """A program cannot be had; the message says why."""


def run_logged(command, log, **options):
    with open(log, "a", encoding="utf-8") as out:
        out.write("$ " + " ".join(command) + "\n")
        out.flush()
        if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False, **options).returncode:
            raise Unavailable(f"{command[0]} failed; see {os.path.relpath(log)}")


def pack(name, version, directory):
    """Lets npm put the package's archive into the directory; gives the integrity that npm tells."""
    if not shutil.which("npm"):
        raise Unavailable("npm is missing; type: apt-get install npm")
    packed = subprocess.run(
        ["npm", "pack", "--json", "--silent", f"{name}@{version}"],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if packed.returncode:
        raise Unavailable(f"npm pack {name}@{version} failed: {''.join(packed.stderr.strip().splitlines()[-1:])}")
    return json.loads(packed.stdout)[0]["integrity"]


def fetch(work, name):
    """Returns the directory with the package's files."""
    version, integrity = PACKAGES[name]
    target = os.path.join(work, "packages", f"{name}-{version}")
    if os.path.isdir(target):
        return target
    os.makedirs(os.path.dirname(target), exist_ok=True)
    archive = target + ".tgz"
    if not os.path.exists(archive):
        told = pack(name, version, os.path.dirname(target))
        if told != integrity:
            os.remove(archive)
            raise Unavailable(f"npm tells another hash for {name}@{version}: {told}")
    with open(archive, "rb") as data:
        found = "sha512-" + base64.b64encode(hashlib.sha512(data.read()).digest()).decode()
    if found != integrity:
        os.remove(archive)
        raise Unavailable(f"{name}@{version} is not what it was: {found}")
    with tarfile.open(archive) as files:
        files.extractall(target + ".part")
    os.rename(target + ".part", target)
    return target


def copy_sources(source, target):
    if not os.path.isdir(target):
        shutil.copytree(source, target)


def build_leveldb(work, directory, make_variables, jobs, names, atomics):
    """Builds programs of LevelDB 1.20 in the directory with its own Makefile; gives their paths by name.

    With atomics=True, AtomicPointer is the header's own std::atomic variant instead of its plain pointer with a compiler
    barrier, which the header prefers on x86.
    """
    copy_sources(os.path.join(fetch(work, "classic-level"), "package/deps/leveldb/leveldb-1.20"), directory)
    os.chmod(os.path.join(directory, "build_detect_platform"), 0o755)
    header = os.path.join(directory, "port/atomic_pointer.h")
    if atomics:
        with open(header, encoding="utf-8") as file:
            text = file.read()
        changed = text.replace("#elif defined(ARCH_CPU_X86_FAMILY) && defined(__GNUC__)\n", "#elif 0\n")
        if changed != text:
            with open(header, "w", encoding="utf-8") as file:
                file.write(changed)
    settings = [f"{name}={value}" for name, value in make_variables.items()]
    targets = [f"out-static/{name}" for name in names]
    run_logged(["make", f"-j{jobs}", *settings, *targets], directory + ".log", cwd=directory)
    return {name: os.path.join(directory, "out-static", name) for name in names}
