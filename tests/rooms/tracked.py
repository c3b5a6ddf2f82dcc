"""Where a project is, and which of its files git keeps: for the tests of the house."""
import os
import subprocess
import sys


def project_root():
    """The first argument, or the project that this file is of."""
    return os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))


def tracked_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    return [file for file in listed if file and os.path.exists(os.path.join(root, file))]


def report(found, fine):
    """Prints the faults that were found, or that there are none; gives the status."""
    found = list(found)
    print("\n".join(found) if found else fine)
    return 1 if found else 0
