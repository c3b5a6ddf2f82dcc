"""A program that speaks runtime/probe/wire.h, in Python: what the format says, written a second time."""
import array
import fcntl
import mmap
import os
import socket
import struct

SEALS = 0x1 | 0x2 | 0x4  # F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW
PROGRESS, CONTEXT, RACE, NO_RACE, TIMEOUT, NOT_SEEN, CRASH = 1, 2, 3, 4, 5, 6, 7
REACHED_A, REACHED_B, THREADS, ALIASING, SHARED = 1, 2, 4, 8, 16


def message(kind, body):
    return struct.pack("<ccBBI", b"n", b"\x01", kind, 0, 8 + len(body)) + body


class WireProgram:
    def __init__(self, path, build, sealed=True, greet=True):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)
        self.socket.settimeout(20)
        descriptor = os.memfd_create("doorbell", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(descriptor, 4096)
        if sealed:
            fcntl.fcntl(descriptor, 1033, SEALS)
        self.doorbell = mmap.mmap(descriptor, 4096)
        if greet:
            identity = bytes.fromhex(build)
            body = struct.pack("<II20sB3x64s20x", os.getpid(), 2, identity, len(identity), b"bank")
            self.socket.sendmsg([message(1, body)],
                                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))])
        os.close(descriptor)

    def task(self):
        """The next task; None: it was told to drop one."""
        packet = self.socket.recv(512)
        assert packet, "the agent ended the connection"
        if packet[2] == 5:
            return None
        names = ("task", "a", "b", "round", "tau", "instance", "stages", "order")
        return dict(zip(names, struct.unpack("<QQQIIIBB10x", packet[8:])))

    def result(self, task, kind, order=0, facts=0, held=0, signal=0, stacks=((), ()), modules=()):
        frames = b"".join(struct.pack("<16Q", *([m << 56 | o for m, o in stack] + [255 << 56] * (16 - len(stack))))
                          for stack in stacks)
        body = struct.pack("<QIBBBBIIQQQQIBBBx", task["task"], task["round"], kind, order, facts, task["stages"],
                           task["tau"], signal, 1, 1, held, 0, 1, len(stacks[0]), len(stacks[1]), len(modules))
        names = b"".join(name.encode().ljust(32, b"\0") for name in modules).ljust(128, b"\0")
        self.socket.send(message(2, body + frames + names + bytes(16)))

    def end(self, bye=True):
        if bye:
            self.socket.send(message(3, bytes(8)))
        self.socket.close()
