#!/usr/bin/env python3
"""Programs in the production profile, and agents that behave well and badly: robust.py --bin BUILD/bin [--long] [NAME…]

Each function below is a test: it builds its program with probes everywhere, drives it through the wire protocol
(probe_agent.py), and asserts what both sides saw. What the program itself does must be as ever in all of them.
"""

import argparse
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from probe_agent import (ALIASING, ALTERNATE, ASK, DETECT, INFER, PRIMARY, SHARED, STEER, THREADS,  # noqa: E402
                         Agent, Bye, Result, Task)
from validated import probes_of  # noqa: E402

SECONDS = 60
ALL = INFER | DETECT | STEER
HEAD = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t b;
void* thread_of(void* (*f)(void*)) { pthread_t t; pthread_create(&t, 0, f, 0); return (void*)t; }
void join(void* t) { pthread_join((pthread_t)t, 0); }
"""
WRITER_AND_READER = HEAD + """
void* writes(void* a) { x = 1; return a; }
void* reads(void* a) { usleep(1000); printf("%s\\n", x < 2 ? "fine" : "odd"); return a; }
int main(void) { void* w = thread_of(writes); void* r = thread_of(reads); join(w); join(r); return 0; }
"""


class World:
    def __init__(self, bin_dir, directory):
        self.bin_dir, self.directory = bin_dir, directory

    def build(self, text, flags=()):
        source = f"{self.directory}/program.c"
        pathlib.Path(source).write_text(text)
        built = f"{self.directory}/program"
        subprocess.run([f"{self.bin_dir}/norn-cc", "-O1", "-g", "-w", "-pthread", "-fnorn-profile=production",
                        "-fnorn-probes=all", *flags, source, "-o", built], check=True)
        self.built = built
        self.write, self.read = self.sites()

    def sites(self):
        """Where candidates of norn static write and read it; else the first site that writes."""
        probes = probes_of(self.built)
        found = subprocess.run([f"{self.bin_dir}/norn", "static", "--json", self.built], capture_output=True, check=True)
        accesses = [access for race in json.loads(found.stdout)["races"] for access in race["accesses"]]
        writes = [int(access["site_id"], 16) for access in accesses if access["op"] == "write"]
        reads = [int(access["site_id"], 16) for access in accesses if access["op"] == "read"]
        return next(iter(writes or [site for site, does in probes.items() if does]), 0), next(iter(reads), 0)

    def start(self, agent, wait=20000, **more):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("NORN_")}
        environment |= {"NORN_HIVE_SOCKET": agent.path if agent else "", "NORN_HIVE_WAIT": str(wait)}
        return subprocess.Popen([self.built], stdout=subprocess.PIPE, env=environment, cwd=self.directory, **more)

    def agent(self):
        return Agent(self.directory, SECONDS)

    def run(self, *tasks, status=0, output=b"fine\n"):
        """All that the program said, of tasks that it has from the beginning."""
        with self.agent() as agent:
            program = self.start(agent)
            client = agent.accept()
            for task in tasks:
                client.give(task)
            said = list(client.until_gone())
            out, _ = program.communicate(timeout=SECONDS)
            assert program.returncode == status, program.returncode
            assert output is None or out == output, out
            return said

    def run_any(self, task):
        """The same of one task, however the program ends."""
        with self.agent() as agent:
            program = self.start(agent)
            client = agent.accept()
            client.give(task)
            said = list(client.until_gone())
            program.communicate(timeout=SECONDS)
            return said


def results(said):
    return [message for message in said if isinstance(message, Result)]


def last(said):
    return results(said)[-1]


def test_both_orders_are_steered_to(world):
    world.build(WRITER_AND_READER)
    for order in (PRIMARY, ALTERNATE):
        said = world.run(Task(1, world.write, world.read, stages=ALL, order=order, tau=1000000))
        assert (last(said).kind, last(said).order) == ("race", order), said
        assert last(said).facts & SHARED and all(last(said).stacks), said
        assert said[-1] == Bye("exit"), said
        assert [result.kind for result in results(said)].count("context") == 1, said


def test_a_stage_that_is_off_is_not_done(world):
    world.build(WRITER_AND_READER)
    said = world.run(Task(1, world.write, world.read, stages=INFER))
    assert last(said).kind == "not-seen" and last(said).facts & (THREADS | ALIASING | SHARED), said
    assert last(said).held == last(said).watched == 0, said
    said = world.run(Task(1, world.write, world.read, stages=INFER | DETECT))
    assert last(said).kind in ("race", "no-race") and last(said).held == 0, said


# RaceMob's figure 4: one access, a barrier, and then a lot of synchronization.
def test_figure_4_stops_after_the_barrier(world):
    world.build(HEAD + """
long count;
void* f(void* first) {
  if (first) x = 1;
  pthread_barrier_wait(&b);
  for (int i = 0; i < 5000; ++i) { pthread_mutex_lock(&m); ++count; pthread_mutex_unlock(&m); }
  return 0;
}
int main(void) {
  pthread_barrier_init(&b, 0, 3);
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(t + i, 0, f, 0);
  f(t);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  printf(count == 15000 && x == 1 ? "fine\\n" : "odd\\n");
  return 0;
}""")
    said = world.run(Task(1, world.write, world.write))
    assert last(said).kind == "no-race" and last(said).watched == 1, said
    assert last(said).synchronizations <= 4, said  # of the barrier: into it once, out of it twice


def test_later_instances_are_watched(world):
    world.build(HEAD + """
void* f(void* a) {
  for (int i = 0; i < 4; ++i) {
    if (!a || i == 3) x += 1;
    pthread_barrier_wait(&b);
    pthread_barrier_wait(&b);  // all have left the first
  }
  return 0;
}
void* g(void* a) { return f(&x); }
int main(void) {
  pthread_barrier_init(&b, 0, 3);
  void* p = thread_of(f); void* q = thread_of(g);
  for (int i = 0; i < 8; ++i) pthread_barrier_wait(&b);
  join(p); join(q);
  puts("fine");
}""")
    task = Task(1, world.write, world.write)
    assert last(world.run(task)).kind == "no-race"
    task.instance = 4
    assert last(world.run(task)).kind == "race"
    task.instance = 0  # the first, the second, the fourth
    assert last(world.run(task)).kind == "race"


def test_a_timeout_ends_the_round_and_another_begins(world):
    world.build(HEAD + """
void* f(void* a) { x = 1; return a; }
int main(void) { void* t = thread_of(f); join(t); t = thread_of(f); join(t); sleep(1); x = 3; puts("fine"); }""")
    with world.agent() as agent:
        program = world.start(agent)
        client = agent.accept()
        client.give(Task(1, world.write, world.write, stages=ALL, tau=1000))
        while (message := client.receive()).kind != "timeout":
            assert message.kind == "progress", message
        assert message.held >= 1000, message
        client.give(Task(1, world.write, world.write, round=1, stages=ALL, tau=1000))
        said = list(client.until_gone())
        assert all(result.round == 1 for result in results(said)) and said[-1] == Bye("exit"), said
        assert program.wait(SECONDS) == 0


def test_a_site_without_a_probe_is_said(world):
    world.build(WRITER_AND_READER)
    assert last(world.run(Task(1, world.write, 12345))).kind == "not-probed"


def test_without_an_agent_nothing_is_different(world):
    world.build(WRITER_AND_READER)
    for agent in (None, Agent(world.directory)):  # none is wanted; none is there
        out, _ = world.start(agent).communicate(timeout=SECONDS)
        assert out == b"fine\n", out


LONG_RUNNING = HEAD + """
volatile int done;
void* f(void* a) {
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) { ++x; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
  return 0;
}
int main(void) {
  void* p = thread_of(f); void* q = thread_of(f);
  getchar();
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  join(p); join(q);
  puts("fine");
}"""


def test_a_running_program_gets_a_task_and_loses_it(world):
    world.build(LONG_RUNNING)
    with world.agent() as agent:
        program = world.start(agent, wait=0, stdin=subprocess.PIPE)
        client = agent.accept()
        time.sleep(0.2)
        client.give(Task(1, world.write, world.write, stages=INFER))
        while (message := client.receive()).kind != "context":
            assert message.kind == "progress", message
        client.drop(1)
        assert client.receive().kind == "not-seen"
        # Steered: whether both are there at once without it is up to the machine.
        client.give(Task(2, world.write, world.write, stages=ALL, instance=0, tau=10_000_000))
        while (message := client.receive()).kind not in ("race", "no-race", "timeout"):
            pass
        assert (message.task, message.kind) == (2, "race"), message
        out, _ = program.communicate(b"\n", timeout=SECONDS)
        assert out == b"fine\n" and program.returncode == 0
        assert list(client.until_gone())[-1] == Bye("exit")


def test_the_agent_dies(world):
    world.build(LONG_RUNNING)
    with world.agent() as agent:
        program = world.start(agent, wait=0, stdin=subprocess.PIPE)
        client = agent.accept()
        client.give(Task(1, world.write, world.write, stages=ALL, tau=1000))
        client.receive()
        client.close()
        time.sleep(0.1)
        out, _ = program.communicate(b"\n", timeout=SECONDS)
        assert out == b"fine\n" and program.returncode == 0


def test_an_agent_that_says_nonsense_is_none(world):
    world.build(LONG_RUNNING)
    with world.agent() as agent:
        program = world.start(agent, wait=0, stdin=subprocess.PIPE)
        client = agent.accept()
        client.send(b"n" * 56)
        assert list(client.until_gone()) == []
        out, _ = program.communicate(b"\n", timeout=SECONDS)
        assert out == b"fine\n" and program.returncode == 0


# It never reads: soon there is no room for what the program says.
def test_a_slow_agent_with_a_full_queue(world):
    world.build(LONG_RUNNING)
    with world.agent() as agent:
        program = world.start(agent, wait=0, stdin=subprocess.PIPE)
        client = agent.accept()
        client.connection.settimeout(0.2)
        sent = 0
        try:
            for sent in range(3000):
                client.give(Task(1, 1, 2, round=sent))
        except TimeoutError:
            pass  # the program has no room either, or does not listen just now
        assert sent > 100, sent
        begin = time.monotonic()
        out, _ = program.communicate(b"\n", timeout=SECONDS)
        assert out == b"fine\n" and program.returncode == 0
        assert time.monotonic() - begin < 20


def test_killed_it_says_no_bye(world):
    world.build(LONG_RUNNING)
    with world.agent() as agent:
        program = world.start(agent, wait=0, stdin=subprocess.PIPE)
        client = agent.accept()
        client.give(Task(1, world.write, world.write, stages=INFER))
        first = client.receive()
        program.kill()
        said = [first, *client.until_gone()]
        assert all(isinstance(message, Result) for message in said), said
        assert program.wait(SECONDS) == -signal.SIGKILL


def test_ways_to_end(world):
    for call, status, end in (("_exit(3)", 3, "quick exit"), ("quick_exit(4)", 4, "quick exit"),
                              ("abort()", -signal.SIGABRT, "abort"), ("exit(5)", 5, "exit")):
        world.build(HEAD + "int main(void) { x = 2; %s; }" % call)
        said = world.run(Task(1, world.write, world.write, stages=ALL), status=status, output=b"")
        assert said[-1] == Bye(end) and last(said).kind == "not-seen", said


def test_after_a_fork_both_are_there(world):
    world.build(HEAD + """
int main(void) {
  x = 1;
  pid_t child = fork();
  x = 2;
  if (child == 0) _exit(7);
  int status;
  waitpid(child, &status, 0);
  puts(WEXITSTATUS(status) == 7 ? "fine" : "odd");
  return 0;
}""")
    with world.agent() as agent:
        program = world.start(agent)
        parent = agent.accept()
        parent.give(Task(1, world.write, world.write))
        child = agent.accept()
        child.give(Task(2, world.write, world.write))
        assert parent.hello.pid == program.pid != child.hello.pid
        assert {result.task for result in results(child.until_gone())} == {2}
        assert {result.task for result in results(parent.until_gone())} == {1}
        out, _ = program.communicate(timeout=SECONDS)
        assert out == b"fine\n" and program.returncode == 0, out


def test_what_it_becomes_is_another_program(world):
    world.build(HEAD + """int main(void) { x = 1; execl("/bin/echo", "echo", "fine", NULL); return 1; }""")
    said = world.run(Task(1, world.write, world.write))
    assert all(isinstance(message, Result) for message in said), said


# It closes all descriptors, and its own file gets the number that the connection had.
def test_closed_descriptors(world):
    world.build(HEAD + """
int main(void) {
  int high = -1;
  for (int i = 3; i < 1024; ++i) if (fcntl(i, F_GETFD) >= 0) high = i;
  closefrom(3);
  int file = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (high >= 0) dup2(file, high);
  for (int i = 0; i < 100; ++i) { x = i; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
  puts(lseek(file, 0, SEEK_END) == 0 && high > 3 ? "fine" : "odd");
  return 0;
}""")
    world.run(Task(1, world.write, world.write))


def test_chroot(world):
    if os.getuid() != 0:
        return
    world.build(HEAD + """
void* f(void* a) { x = 1; return a; }
int main(void) {
  mkdir("empty", 0700);
  if (chroot("empty") != 0 || chdir("/") != 0) return 1;
  void* p = thread_of(f); void* q = thread_of(f);
  join(p); join(q);
  puts("fine");
  return 0;
}""", ["-include", "sys/stat.h"])
    assert last(world.run(Task(1, world.write, world.write))).kind in ("race", "no-race")


# Handlers come while the thread is in the library, and do what is followed.
def test_signals_at_any_time(world):
    world.build(HEAD + """
#include <sys/time.h>
atomic_int n;
void on(int s) { ++x; atomic_fetch_add(&n, 1); }
void* f(void* a) { for (int i = 0; i < 20000; ++i) { ++x; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); } return 0; }
int main(void) {
  struct itimerval often = {{0, 200}, {0, 200}};
  signal(SIGALRM, on);
  setitimer(ITIMER_REAL, &often, 0);
  void* p = thread_of(f); void* q = thread_of(f);
  join(p); join(q);
  puts("fine");
  return 0;
}""", ["-include", "stdatomic.h"])
    sites = [site for site, writes in probes_of(world.built).items() if writes]
    world.run(*(Task(1 + i, site, site, instance=0) for i, site in enumerate(sites[:8])))


# It went into the lock while nobody listened, so nobody saw that it comes after who has it.
def test_who_was_in_a_lock_already_is_no_race(world):
    world.build(HEAD + """
void* second(void* a) { pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); return a; }
int main(void) {
  pthread_mutex_lock(&m);
  void* t = thread_of(second);
  while (getchar() != '!') {}
  usleep(1000);
  x = 1;
  pthread_mutex_unlock(&m);
  join(t);
  puts("fine");
  return 0;
}""")
    sites = [site for site, writes in probes_of(world.built).items() if writes]
    assert len(sites) == 2, sites
    for pair in (sites, sites[::-1]):
        with world.agent() as agent:
            program = world.start(agent, wait=0, stdin=subprocess.PIPE)
            client = agent.accept()
            time.sleep(0.1)
            client.give(Task(1, *pair, instance=0))
            program.stdin.write(b"!")
            program.stdin.flush()
            kinds = [result.kind for result in results(client.until_gone())]
            out, _ = program.communicate(timeout=SECONDS)
            assert out == b"fine\n" and program.returncode == 0
            assert "race" not in kinds, kinds


# Twenty million accesses; a few are looked at, at the beginning and now and then.
def test_a_site_that_is_reached_often_is_looked_at_seldom(world):
    world.build(HEAD + """
volatile int own[64];
void* f(void* a) {
  volatile int* at = a;
  for (int i = 0; i < 10000000; ++i) {
    *at = i;
    if (i % 1024 == 0) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(t + i, 0, f, (void*)(own + 32 * i));
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  puts("fine");
  return 0;
}""")
    site = next(site for site, writes in probes_of(world.built).items() if writes)
    for stages in (INFER, INFER | DETECT):
        # Any instance: one that a lock orders does not end the round.
        said = last(world.run(Task(1, site, site, stages=stages, instance=0)))
        assert said.kind in ("not-seen", "no-race") and not said.facts & SHARED, said
        assert 4096 <= said.reached[0] < 100000, said  # and more if the agent rings meanwhile


# Where nothing else wakes it, the agent's ring does: the race comes long after the first accesses.
def test_a_late_race_at_such_a_site(world):
    world.build(HEAD + """
volatile int own[64];
volatile int done;
void* f(void* a) {
  for (int i = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); ++i) {
    volatile int* at = i < 3000000 ? (volatile int*)a : own;
    *at = i;
    if (i % 64 == 0) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(t + i, 0, f, (void*)(own + 32 * i));
  while (getchar() != '!') {}
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], 0);
  puts("fine");
  return 0;
}""")
    site = next(site for site, writes in probes_of(world.built).items() if writes)
    with world.agent() as agent:
        program = world.start(agent, stdin=subprocess.PIPE)
        client = agent.accept()
        client.give(Task(1, site, site, stages=INFER))
        while (message := client.receive()).kind != "context":
            assert message.kind == "progress", message
        out, _ = program.communicate(b"!", timeout=SECONDS)
        assert out == b"fine\n" and program.returncode == 0


CRASHES = HEAD + """
int own = 5;
int* p;
void* sets(void* a) { usleep(200000); p = &own; return a; }
void* uses(void* a) { %s int* v = p; *(volatile int*)v = 1; return a; }
int main(void) { void* r = thread_of(uses); void* w = thread_of(sets); join(r); join(w); puts("fine"); return 0; }
"""


def test_a_crash_after_steering_is_reported(world):
    world.build(CRASHES % "usleep(400000);")
    probes = probes_of(world.built)
    pairs = [(a, b) for a, writes in probes.items() for b in probes if writes and a != b]
    kinds = set()
    for write, use in pairs:
        said = world.run_any(Task(1, use, write, stages=INFER | STEER, order=PRIMARY, tau=1000000))
        if any(result.kind == "crash" for result in results(said)):
            crash = next(result for result in results(said) if result.kind == "crash")
            assert crash.signal == signal.SIGSEGV and crash.stacks[0], crash
            assert not any(isinstance(message, Bye) for message in said), said
            kinds.add("crash")
    assert "crash" in kinds, pairs


# At a terminal, of a program that leaves interrupts to their default.
def test_an_interrupt_asks(world):
    world.build(HEAD + """
void* f(void* a) { x = 1; return a; }
int main(void) {
  void* p = thread_of(f); void* q = thread_of(f);
  join(p); join(q);
  puts("fine");
  for (;;) pause();
}""")
    for stages, key, kind in ((ALL | ASK, b"y", "misbehaved"), (ALL | ASK, b"n", "behaved"), (ALL, b"", None)):
        with world.agent() as agent:
            pid, terminal = pty.fork()
            if pid == 0:
                os.execve(world.built, [world.built], {"NORN_HIVE_SOCKET": agent.path, "NORN_HIVE_WAIT": "20000"})
            client = agent.accept()
            client.give(Task(1, world.write, world.write, stages=stages, tau=300000))
            read_until(terminal, b"fine")
            os.write(terminal, b"\x03")
            if kind is not None:
                read_until(terminal, b"[y/N]")
                os.write(terminal, key + b"\n")
            kinds = [result.kind for result in results(client.until_gone())]
            assert ("misbehaved" in kinds, "behaved" in kinds) == (kind == "misbehaved", kind == "behaved"), kinds
            assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGINT
            os.close(terminal)


def read_until(terminal, words):
    seen = b""
    while words not in seen:
        seen += os.read(terminal, 1024)


def test_long_a_hang_after_steering_is_reported(world):
    world.build(HEAD + """
void* f(void* a) { x = 1; return a; }
int main(void) {
  void* p = thread_of(f); void* q = thread_of(f);
  join(p); join(q);
  pthread_mutex_lock(&m);
  alarm(13);
  pthread_mutex_lock(&m);
}""")
    said = world.run(Task(1, world.write, world.write, stages=ALL, tau=200000), status=-signal.SIGALRM, output=b"")
    assert "hang" in [result.kind for result in results(said)], said


# What is linked into a program that ships needs no library that the program does not.
def test_it_needs_the_c_library_alone(world):
    world.build(WRITER_AND_READER)
    lines = subprocess.run(["readelf", "-dW", world.built], capture_output=True, text=True, check=True).stdout
    needed = {line.split("[")[1].split("]")[0] for line in lines.splitlines() if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6"}, needed  # of the second the driver asks, as for every program
    world.build(WRITER_AND_READER, ["-static"])
    said = world.run(Task(1, world.write, world.read, stages=ALL, tau=1000000))
    assert last(said).kind == "race", said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    failed = False
    for name, test in sorted(globals().items()):
        if not name.startswith("test_") or (name.startswith("test_long_") and not arguments.long):
            continue
        if arguments.names and not any(part in name for part in arguments.names):
            continue
        with tempfile.TemporaryDirectory() as directory:
            try:
                test(World(pathlib.Path(arguments.bin).absolute(), directory))
            except Exception as problem:  # noqa: BLE001
                failed = True
                print(f"{name}: {type(problem).__name__} {problem}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
