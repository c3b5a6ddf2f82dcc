"""An agent for tests: it speaks the wire protocol of runtime/probe/wire.h, and nothing else.

    with Agent(directory) as agent:
        program = subprocess.Popen(command, env={**os.environ, "NORN_HIVE_SOCKET": agent.path})
        client = agent.accept()
        client.give(Task(task=1, a=site, b=other, stages=INFER | DETECT))
        for message in client.until_gone(): …
"""

import array
import dataclasses
import mmap
import os
import socket
import struct
import time

INFER, DETECT, STEER, ASK = 1, 2, 4, 8
PRIMARY, ALTERNATE = 1, 2
HELLO, RESULT, BYE, TASK, DROP = 1, 2, 3, 4, 5
KINDS = ("", "progress", "context", "race", "no-race", "timeout", "not-seen", "crash", "hang", "misbehaved", "behaved",
         "not-probed")
FINAL = {"race", "no-race", "timeout", "not-seen", "not-probed"}
REACHED_A, REACHED_B, THREADS, ALIASING, SHARED = 1, 2, 4, 8, 16
SIZES = {HELLO: 124, RESULT: 472, BYE: 16}
ENDS = ("exit", "quick exit", "abort")


@dataclasses.dataclass
class Task:
    task: int
    a: int
    b: int
    round: int = 0
    tau: int = 1000
    instance: int = 1
    stages: int = INFER | DETECT
    order: int = PRIMARY

    def bytes(self):
        return struct.pack("<4sIQQQIIIBB10x", bytes((ord("n"), 1, TASK, 0)), 56, self.task, self.a, self.b, self.round,
                           self.tau, self.instance, self.stages, self.order)


@dataclasses.dataclass
class Hello:
    pid: int
    probes: int
    build: bytes
    program: str


@dataclasses.dataclass
class Result:
    task: int
    round: int
    kind: str
    order: int
    facts: int
    stages: int
    tau: int
    signal: int
    reached: tuple
    held: int
    synchronizations: int
    watched: int
    stacks: tuple  # of (module or None, offset)


@dataclasses.dataclass
class Bye:
    end: str


def text(raw):
    assert raw[-1] == 0
    return raw.rstrip(b"\0").decode()


def parse(packet):
    magic, version, kind, zero, size = struct.unpack_from("<BBBBI", packet)
    assert (magic, version, zero) == (ord("n"), 1, 0), packet[:8]
    assert size == len(packet) == SIZES[kind], (kind, size, len(packet))
    if kind == HELLO:
        pid, probes, build, length, name = struct.unpack_from("<II20sB3x64s20x", packet, 8)
        return Hello(pid, probes, build[:length], text(name))
    if kind == BYE:
        return Bye(ENDS[struct.unpack_from("<I", packet, 8)[0]])
    (task, round_, result, order, facts, stages, tau, signal, reached_a, reached_b, held, synchronizations, watched,
     frames_a, frames_b, module_count) = struct.unpack_from("<QIBBBBIIQQQQIBBB", packet, 8)
    modules = [text(packet[at:at + 32]) for at in range(328, 456, 32)][:module_count]

    def stack(at, count):
        words = struct.unpack_from(f"<{count}Q", packet, at)
        return [(None if word >> 56 == 255 else modules[word >> 56], word & ((1 << 56) - 1)) for word in words]

    return Result(task, round_, KINDS[result], order, facts, stages, tau, signal, (reached_a, reached_b), held,
                  synchronizations, watched, (stack(72, frames_a), stack(200, frames_b)))


class Client:
    """A program that said hello."""

    def __init__(self, connection, timeout):
        self.connection, self.timeout, self.between = connection, timeout, 0.1
        connection.settimeout(timeout)
        packet, rights, _, _ = connection.recvmsg(4096, socket.CMSG_SPACE(4))
        self.hello = parse(packet)
        (_, _, data), = rights
        descriptor, = array.array("i", data[:4])
        self.doorbell = mmap.mmap(descriptor, 4096)
        os.close(descriptor)

    def send(self, packet):
        self.connection.send(packet)
        self.ring()

    def ring(self):
        """As runtime/probe/doorbell.h has it."""
        self.doorbell[0] = 1
        count = min(struct.unpack_from("<I", self.doorbell, 8)[0], 248)
        for at in range(64, 64 + 8 * count, 8):
            self.doorbell[at:at + 8] = self.doorbell[at + 1984:at + 1992]

    def give(self, task):
        self.send(task.bytes())

    def drop(self, task):
        self.send(struct.pack("<4sIQ", bytes((ord("n"), 1, DROP, 0)), 16, task))

    def receive(self):
        """The next message; None: the program is gone. Meanwhile it is rung now and then, as by the agent."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            try:
                self.connection.settimeout(self.between)
                packet = self.connection.recv(4096)
                return parse(packet) if packet else None
            except ConnectionResetError:
                return None
            except TimeoutError:
                self.ring()
            finally:
                self.connection.settimeout(self.timeout)
        raise TimeoutError

    def until_gone(self):
        while (message := self.receive()) is not None:
            yield message

    def close(self):
        self.connection.close()


class Agent:
    def __init__(self, directory, timeout=60):
        self.path = os.path.join(directory, "hive.socket")
        self.timeout = timeout

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.listener.settimeout(self.timeout)
        return self

    def __exit__(self, *_):
        self.listener.close()
        os.unlink(self.path)

    def accept(self):
        connection, _ = self.listener.accept()
        return Client(connection, self.timeout)
