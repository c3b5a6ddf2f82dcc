#!/usr/bin/env python3
"""The agent between programs that speak the wire's bytes and a hive: agent.py --bin DIRECTORY [--fuzz N]"""
import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
import wire_program as wire  # noqa: E402
from hive_server import BUILD, HiveServer  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def until(condition, what, patience=40):
    end = time.monotonic() + patience
    while not (value := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.02)
    return value


class Agent:
    def __init__(self, hive, directory, token, *options):
        self.socket = os.path.join(directory, "socket")
        self.spool = os.path.join(directory, "spool")
        self.command = [hive.norn, "hive", "agent", f"--hive={hive.url}", f"--socket={self.socket}",
                        f"--spool={self.spool}", *options]
        self.environment = {**os.environ, "NORN_HIVE_TOKEN": token}

    def start(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdout=subprocess.PIPE, text=True)
        assert "listens at" in self.process.stdout.readline()
        return self

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        status = self.process.wait(timeout=90)
        self.process.stdout.close()
        return status

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            assert self.kill(signal.SIGTERM) == 0


class Place:
    """A hive with so many candidates, one site."""

    def __init__(self, norn, directory, name, candidates, *options):
        self.directory = os.path.join(directory, name)
        os.mkdir(self.directory)
        self.hive = HiveServer(norn, os.path.join(self.directory, "hive.db"), "--poll=1", *options).start()
        self.developer, self.site = self.hive.token("developer", "d"), self.hive.token("site", "s")
        self.hive.submit(self.developer, candidates)

    def agent(self, *options):
        return Agent(self.hive, self.directory, self.site, *options)

    def candidate(self, race):
        return self.hive.get(f"/api/v1/versions/{BUILD}/candidates/{race}", self.developer)

    def results(self):
        body = self.hive.get(f"/api/v1/versions/{BUILD}/candidates", self.developer)
        total = {}
        for candidate in body["candidates"]:
            for kind, tally in candidate["results"].items():
                total[kind] = total.get(kind, 0) + tally["count"]
        return total

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hive.kill()


def race_of(task):
    """The id of the candidate with the sites of a task (hive_server.records)."""
    assert task["b"] - task["a"] == 0x1000, task
    return f"{task['a'] - 0x1000:012x}"


def rings(program):
    """Returns when the agent has rung."""
    end = time.monotonic() + 10
    while program.doorbell[0] != 1:
        assert time.monotonic() < end, "nobody rang"
        time.sleep(0.001)


def validates(norn, directory):
    with Place(norn, directory, "validates", 1) as place, place.agent() as agent:
        program = wire.WireProgram(agent.socket, BUILD)
        task = program.task()
        race = race_of(task)
        assert task["stages"] == 1 and task["round"] == 0 and task["tau"] == 1000, task
        rings(program)  # behind the task, not before it
        program.result(task, wire.CONTEXT, facts=31)
        promoted = program.task()
        assert promoted["task"] == task["task"] and promoted["round"] == 1 and promoted["stages"] == 7, promoted
        # A site that times out waits longer, in a new round.
        program.result(promoted, wire.TIMEOUT, facts=31, held=1000)
        longer = program.task()
        assert longer["round"] == 2 and longer["tau"] == 51_000, longer
        program.result(longer, wire.RACE, order=longer["order"], facts=31, held=1500,
                       stacks=(((0, 0x11d0), (255, 7)), ((0, 0x22e0),)), modules=("/secret/place/bank",))
        program.end()
        seen = until(lambda: (body := place.candidate(race))["verdict"] == "true-race" and body, "no verdict")
        assert seen["results"] == {"context": {"count": 1, "sites": 1}, "timeout": {"count": 1, "sites": 1},
                                   "race": {"count": 1, "sites": 1}}, seen["results"]
        race_result = next(each for each in seen["history"] if each["kind"] == "race")
        assert race_result["detail"]["stacks"][0] == [{"module": "bank", "offset": "11d0"}, {"module": "", "offset": "7"}]
        assert race_result["spent"] == 500 and "secret" not in json.dumps(seen), race_result


def tells_what_ended_runs_showed(norn, directory):
    both = wire.REACHED_A | wire.REACHED_B
    cases = ((wire.REACHED_A, "not-seen"), (both, "single-context"), (both | wire.THREADS, "not-aliasing"),
             (both | wire.THREADS | wire.ALIASING, "single-context"), (31, "context"))
    with Place(norn, directory, "ended", 1) as place, place.agent() as agent:
        for number, (facts, kind) in enumerate(cases):
            before = place.results().get(kind, 0)
            program = wire.WireProgram(agent.socket, BUILD)
            program.result(program.task(), wire.PROGRESS, facts=facts)
            program.end(bye=number % 2 == 0)  # without, it was killed
            until(lambda: place.results().get(kind, 0) == before + 1, f"{kind} of {facts}")


def leaves_out_what_its_owner_does_not_want(norn, directory):
    with Place(norn, directory, "owner", 1) as place, place.agent("--no-steer", "--ask") as agent:
        program = wire.WireProgram(agent.socket, BUILD)
        task = program.task()
        program.result(task, wire.CONTEXT, facts=31)
        assert program.task()["stages"] == 3
        program.end()


def loses_nothing(norn, directory):
    """The hive is gone, the agent is killed with -9 with results on disk; both come back, and are killed once more."""
    with Place(norn, directory, "killed", 1) as place:
        agent = place.agent().start()
        program = wire.WireProgram(agent.socket, BUILD)
        task = program.task()
        place.hive.kill()
        for _ in range(40):
            program.result(task, wire.CONTEXT, facts=31)
        lines = os.path.join(agent.spool, "results")
        until(lambda: len(open(lines).readlines()) == 40, "they are not on disk")
        agent.kill()
        place.hive.start()
        agent = place.agent().start()
        place.hive.kill()  # perhaps after it took some, and before the agent knows
        agent.kill()
        place.hive.start()
        with place.agent() as again:
            until(lambda: os.path.getsize(os.path.join(again.spool, "results")) == 0, "the spool is not emptied")
        assert place.results() == {"context": 40}, place.results()


def is_bounded(norn, directory):
    with Place(norn, directory, "bounded", 1) as place, place.agent("--spool-size=1") as agent:
        program = wire.WireProgram(agent.socket, BUILD)
        task = program.task()
        place.hive.kill()
        for _ in range(6000):
            program.result(task, wire.CONTEXT, facts=31)
        program.end()
        time.sleep(0.3)
        assert os.path.getsize(os.path.join(agent.spool, "results")) <= 1 << 20
        place.hive.start()


def survives_noise(norn, directory, number):
    with Place(norn, directory, "noise", 1) as place, place.agent() as agent:
        honest = wire.WireProgram(agent.socket, BUILD)
        task = honest.task()
        for index in range(number):
            chance = random.Random(index)
            try:
                program = wire.WireProgram(agent.socket, BUILD, sealed=index % 7 != 0, greet=index % 3 != 0)
                for _ in range(chance.randrange(1, 6)):
                    size = chance.choice((0, 1, 8, 16, 56, 124, 472, 473, 5000))
                    packet = bytearray(chance.randbytes(size))
                    if chance.random() < 0.8 and size >= 8:
                        packet[:8] = b"n\x01" + bytes((chance.randrange(7), 0)) + size.to_bytes(4, "little")
                    program.socket.send(packet)
            except (BrokenPipeError, ConnectionResetError):
                pass
            finally:
                program.socket.close()
        # Whose doorbell can shrink is not spoken to.
        unsealed = wire.WireProgram(agent.socket, BUILD, sealed=False)
        assert unsealed.socket.recv(512) == b""
        assert agent.process.poll() is None
        honest.result(task, wire.CONTEXT, facts=31)
        until(lambda: place.results().get("context"), "the honest program is not heard")
        descriptors = os.listdir(f"/proc/{agent.process.pid}/fd")
        assert len(descriptors) < 40, descriptors


def nobody_waits(norn, directory):
    """A program that never reads, an agent that does not run, and one that is stopped."""
    with Place(norn, directory, "waits", 1) as place, place.agent() as agent:
        agent.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        program = wire.WireProgram(agent.socket, BUILD)
        program.end()
        assert time.monotonic() - began < 5
        agent.process.send_signal(signal.SIGCONT)
        silent = wire.WireProgram(agent.socket, BUILD)
        other = wire.WireProgram(agent.socket, BUILD)
        assert other.task()
        silent.end(bye=False)


def says_what_is_wrong(norn, directory):
    with Place(norn, directory, "wrong", 1) as place, place.agent() as agent:
        second = subprocess.run([*agent.command[:-1], "--spool=" + directory + "/other"], env=agent.environment,
                                capture_output=True, text=True, timeout=60)
        assert second.returncode == 2 and "an agent is there already" in second.stderr, second
        shared = subprocess.run([each.replace("/socket", "/other") for each in agent.command], env=agent.environment,
                                capture_output=True, text=True, timeout=60)
        assert shared.returncode == 2 and "another agent's" in shared.stderr, shared


def runs_on_one_machine(norn, directory):
    program = os.path.join(directory, "speaks")
    subprocess.run([os.path.join(os.path.dirname(norn), "norn-c++"), "-std=c++20", "-g", "-O1", "-pthread", "-I", ROOT,
                    os.path.join(ROOT, "tests/hive/speaking_program.cpp"), "-o", program, "-Wl,--build-id"], check=True)

    def hive(*words):
        return subprocess.run([norn, "hive", *words], cwd=directory, capture_output=True, text=True, timeout=200)

    once = hive("run", "--", program)
    # The status is the program's own.
    assert once.returncode == 7 and "norn: true-race (single-order): " in once.stderr, once
    fleet = hive("simulate", "--sites=3", "--json", "--", program)
    assert fleet.returncode == 0, fleet
    kinds = [candidate["results"] for candidate in json.loads(fleet.stdout)]
    # Two sites settle it; the third has nothing to do.
    assert sum(each.get("race", {"count": 0})["count"] for each in kinds) == 2, kinds
    workload = os.path.join(directory, "workload")
    with open(workload, "w") as file:
        file.write("\nordered\n")
    fleet = hive("simulate", "--sites=4", f"--workload={workload}", "--json", "--", program)
    kinds = [candidate["results"] for candidate in json.loads(fleet.stdout)]
    assert [sum(each.get(kind, {"count": 0})["count"] for each in kinds) for kind in ("race", "no-race")] == [2, 1], kinds
    for words, said in ((("run",), "say which program"), (("run", "--", "./nothing"), "cannot be read"),
                        (("run", "--runs=0", "--", program), "at least 1"),
                        (("run", "--", "/bin/true"), "norn-c++"),
                        (("simulate", "--sites=0", "--", program), "from 1 to"),
                        (("simulate", "--workload=none", "--", program), "no line")):
        got = hive(*words)
        assert got.returncode == 2 and said in got.stderr and got.stderr.count("\n") == 1, (words, got)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fuzz", type=int, default=300, help="connections that say nonsense")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    norn = os.path.join(os.path.abspath(options.bin), "norn")
    with tempfile.TemporaryDirectory(prefix="norn-agent-") as directory:
        for test in (validates, tells_what_ended_runs_showed, leaves_out_what_its_owner_does_not_want, loses_nothing,
                     is_bounded, survives_noise, nobody_waits, says_what_is_wrong, runs_on_one_machine):
            if options.only not in test.__name__:
                continue
            print(test.__name__, flush=True)
            test(norn, directory, *((options.fuzz,) if test is survives_noise else ()))


if __name__ == "__main__":
    main()
