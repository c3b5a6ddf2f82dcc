#!/usr/bin/env python3
"""Recorded inputs: what a run got from outside is kept, and confirm, classify and replay need nothing of it again. By the
programs in inputs/, whose files, pipes and clients are there once.

    inputs.py --bin=build/bin
"""

import argparse
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "inputs"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def tokens_in(text):
    return re.findall(r"norn replay (n2[A-Za-z0-9_-]+)", text)


class Client:
    """A connection to the server, by lines."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rw")

    def ask(self, line):
        self.file.write(line + "\n")
        self.file.flush()
        return self.file.readline().strip()

    def close(self):
        self.file.close()
        self.socket.close()


class Inputs(unittest.TestCase):
    bin = None

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.temporary.name)
        self.environment = dict(os.environ, NORN_DIR=str(self.directory / ".norn"))
        self.environment.pop("NORN_OPTIONS", None)

    def tearDown(self):
        self.temporary.cleanup()

    def call(self, *command, status=None, stdin=subprocess.DEVNULL, **options):
        done = subprocess.run([str(self.bin / command[0]), *command[1:]], cwd=self.directory,
                              env={**self.environment, **options.pop("variables", {})}, capture_output=True, text=True,
                              errors="replace", timeout=300, stdin=stdin, **options)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def build(self, source, *options):
        self.call("norn-cc", "-g", "-O0", "-pthread", *options, str(PROGRAMS / source), "-o", "program", status=0)

    def keep_lines(self, source, label):
        """The race of a line with itself, as ThreadSanitizer would tell it."""
        text = (PROGRAMS / source).read_text().splitlines()
        line = next(number for number, line in enumerate(text, 1) if re.search(rf"// @{label}\b", line))
        frames = [f"    #0 f {source}:{line}:1 (p+0x1)\n\n"] * 2
        (self.directory / "races.tsan").write_text(
            "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 8 at 0x1 by thread T1:\n" + frames[0] +
            "  Previous write of size 8 at 0x1 by thread T2:\n" + frames[1])

    # --- files, standard input, the environment ----------------------------------------------------------------------

    def run_reads(self, *options):
        self.build("reads.c", *options)
        (self.directory / "data.txt").write_text("one\ntwo\nthree\n")
        read, write = os.pipe()
        os.write(write, b"from a pipe\n")
        os.close(write)
        done = self.call("norn", "run", "--keep-inputs", "--fail-on=none", "--", "./program", stdin=read,
                         variables={"COLOUR": "blue"}, status=0)
        os.close(read)
        self.assertRegex(done.stdout, r"(?s)1 there, 14 bytes, 14 in all\none\ntwo\nthree\nfrom a pipe\nblue\n")
        (self.directory / "data.txt").unlink()
        (self.directory / "absent.txt").write_text("now it is there")

    def test_what_was_read_is_read_again_though_it_is_gone(self):
        self.run_reads()
        confirmed = self.call("norn", "confirm", "--all", "--fail-on=none", "--", "./program", status=0)
        self.assertIn("inputs as in run 1: 1 file, 1 pipe, 0 connections, ", confirmed.stderr)
        token = tokens_in(confirmed.stdout)[0]
        outputs = set()
        for _ in range(5):
            replayed = self.call("norn", "replay", token, "--", "./program", status=0, variables={"COLOUR": "red"})
            self.assertIn("replayed identically", replayed.stderr)
            outputs.add(replayed.stdout)
        self.assertEqual(len(outputs), 1)
        self.assertRegex(outputs.pop(), r"(?s)1 there, 14 bytes, 14 in all\none\ntwo\nthree\nfrom a pipe\nblue\n\d+ 17672")

    def test_a_static_program_reads_its_files_again(self):
        self.run_reads("-static")
        confirmed = self.call("norn", "confirm", "--all", "--fail-on=none", "--", "./program", status=0)
        replayed = self.call("norn", "replay", tokens_in(confirmed.stdout)[0], "--", "./program", status=0)
        self.assertIn("replayed identically", replayed.stderr)
        self.assertRegex(replayed.stdout, r"(?s)1 there, 14 bytes, 14 in all\none\ntwo\nthree\nfrom a pipe\nblue\n")

    def test_a_token_without_its_inputs_is_refused(self):
        self.run_reads()
        confirmed = self.call("norn", "confirm", "--all", "--fail-on=none", "--", "./program", status=0)
        for file in (self.directory / ".norn" / "inputs").iterdir():
            file.unlink()
        refused = self.call("norn", "replay", tokens_in(confirmed.stdout)[0], "--", "./program", status=2)
        self.assertRegex(refused.stderr, r"^norn: the inputs that the token names, .*/inputs/[0-9a-f]{16}, are not here")

    def test_other_arguments_do_not_get_them(self):
        self.run_reads()
        done = self.call("norn", "confirm", "--all", "--runs=1", "--fail-on=none", "--", "./program", "other")
        self.assertNotIn("inputs as in run", done.stderr)

    def test_a_damaged_file_is_said(self):
        self.run_reads()
        (self.directory / ".norn" / "last" / "inputs").write_bytes(b"nothing of the kind")
        done = self.call("norn", "confirm", "--all", "--runs=1", "--fail-on=none", "--", "./program")
        self.assertIn("were not kept whole (their file is damaged)", done.stderr)

    def test_a_program_of_others_keeps_none(self):
        done = self.call("norn", "run", "--keep-inputs", "--", "/bin/true", status=2)
        self.assertIn("--keep-inputs needs a program that was built with norn-cc/norn-c++", done.stderr)

    # --- connections -------------------------------------------------------------------------------------------------

    def run_server(self, talk, end="stop"):
        """The server in a run that is kept; `talk` gets a function that connects."""
        self.build("server.c")
        port = free_port()
        server = subprocess.Popen([str(self.bin / "norn"), "run", "--keep-inputs", "--fail-on=none", "--", "./program",
                                   str(port)], cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual(server.stdout.readline(), "ready\n")
            talk(lambda: Client(port))
            if end == "stop":
                last = Client(port)
                self.assertEqual(last.ask("stop"), "bye")
                last.close()
            else:
                subprocess.run(["pkill", "-TERM", "-P", str(server.pid)], check=True)
        finally:
            output, errors = server.communicate(timeout=120)
        self.assertEqual(server.returncode, 0 if end == "stop" else -15, output + errors)
        return str(port)

    @staticmethod
    def two_clients_that_add(connect):
        # Both are served before either adds, so that their additions come side by side again.
        ready = threading.Barrier(2)

        def add():
            client = connect()
            client.ask("sum")
            ready.wait()
            for number in range(5):
                client.ask(f"add {number}")
            client.close()
        clients = [threading.Thread(target=add) for _ in range(2)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        asking = connect()
        asking.ask("sum")  # 20, or fewer: the race may have lost one in this very run
        asking.close()

    def test_a_server_replays_without_its_clients(self):
        port = self.run_server(self.two_clients_that_add)
        with socket.socket() as busy:  # nor is the port needed
            busy.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            busy.bind(("127.0.0.1", int(port)))
            busy.listen()
            self.keep_lines("server.c", "add")
            done = self.call("norn", "classify", "--all", "--from=races.tsan", "--", "./program", port, status=0)
            self.assertIn("inputs as in run 1: 0 files, 0 pipes, 4 connections, ", done.stderr)
            # The sum is asked for when both clients are done, so a lost addition shows in the answer, and in what the
            # server prints at its end; which of the two is said first depends on what else the schedules lost.
            self.assertRegex(done.stdout, r'output-differs: output: (connection \d, line 1: "\d+" instead of "\d+"|'
                                          r'standard output, line 6: "sum \d+" instead of "sum \d+")')
            for token in tokens_in(done.stdout):
                replays = [self.call("norn", "replay", token, "--", "./program", port, status=0) for _ in range(5)]
                for replay in replays:
                    self.assertIn("replayed identically", replay.stderr)
                    self.assertIn("connection 4 from 127.0.0.1\n", replay.stdout)
                self.assertEqual(len({replay.stdout for replay in replays}), 1)

    def test_a_server_that_was_ended_ends(self):
        port = self.run_server(self.two_clients_that_add, end="signal")
        self.keep_lines("server.c", "add")
        done = self.call("norn", "confirm", "--all", "--from=races.tsan", "--runs=4", "--fail-on=none", "--",
                         "./program", port, status=0)
        self.assertIn("inputs as in run 1: 0 files, 0 pipes, 3 connections, ", done.stderr)
        self.assertNotIn("hang", done.stdout)
        self.assertNotIn("SIGTERM", done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    Inputs.bin = arguments.bin.resolve()
    unittest.main(argv=["inputs.py", *rest])


if __name__ == "__main__":
    main()
