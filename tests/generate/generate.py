#!/usr/bin/env python3
"""Writes a random multithreaded C++ program: the same for the same seed.

    generate.py SEED [-o FILE]

Threads take turns by means that norn does not see (tests/behaviour/order.h), so the order of all that happens is
fixed, and with it what norn must report; what orders the accesses is only what the program does besides: mutexes,
rwlocks, condition variables, barriers, semaphores, atomics, fences, spinning reads, creation and join. Every fourth
program takes one lock around all it shares and so has no race.

The programs have what the compiler's analyses reason about: locals whose address is passed down, kept, published or
given to a thread; heap in locals and in globals; helpers that synchronize and helpers that do not; loops, branches,
exceptions, recursion, virtual calls, strings and vectors; data written before there are threads, by main, helpers and a
constructor, and data that is written once more later: between creations, beside threads, after a join.
"""

import argparse
import random
import re

PROLOGUE = r"""// Made by tests/generate/generate.py @SEED@
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
@INCLUDES@
#include "order.h"

struct Node {
  int key;
  long total;
  double weight;
  unsigned char tag[8];
  Node* next;
};

struct Shape {
  virtual ~Shape() {}
  virtual int area(int n) { return sides * n; }
  virtual void grow(int n) { sides += n; }
  int sides = 4;
};
struct Square : Shape {
  int area(int n) override { return edge * edge + n; }
  int edge = 2;
};

int g0, g1, g2, g3;
long l0, l1;
double d0, d1;
unsigned char bytes[16];
int array[64];
double row0[64], row1[64];
float thin[64];
Node crowd[24];
static int hidden;
static const int kTable[4] = {1, 2, 3, 4};
static int quiet_table[4] = {5, 6, 7, 8};
static thread_local int mine;
Node node0, node1;
Node* slot0;
Node* slot1;
Shape* shape;
int flag0, flag1;
std::atomic<int> a0, a1;
pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw0 = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;
pthread_barrier_t b0;
sem_t s0;

static int peek(const Node* n) { return n->key + static_cast<int>(n->total); }
static void bump(int* p) { *p += 1; }
static void fill(Node* n, int v) {
  n->key = v;
  n->total = v;
  if (v > 3) n->weight = v;
  n->tag[v & 7] = 1;
}
__attribute__((noinline)) static void bump_slowly(int* p, int n) {
  for (int i = 0; i < n; ++i) *p += i;
}
__attribute__((noinline)) static int walk(const Node* n, int depth) {
  if (n == nullptr || depth == 0) return 0;
  return n->key + walk(n->next, depth - 1);
}
__attribute__((noinline)) static int sum(const int* from, int n) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += from[i];
  return total;
}
__attribute__((noinline)) static double total(const double* from, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) all += from[i];
  return all;
}
__attribute__((noinline)) static void smooth(double* to, const double* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = (from[i] + from[i + 1]) / 2;
}
__attribute__((noinline)) static void drift(double* row, int n) {
  for (int i = 1; i < n; ++i) row[i] = row[i - 1] + row[i + 1];
}
__attribute__((noinline)) static void every_other(double* row, int n) {
  for (int i = n; i > 1; i -= 2) row[i] += row[i - 1];
}
__attribute__((noinline)) static void scale(float* row, int n, float by) {
  for (int i = 0; i < n; ++i) row[i] *= by;
}
__attribute__((noinline)) static double weigh(int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) {
    all += crowd[i].weight;
    if (i & 2) all += d1;
  }
  return all;
}
__attribute__((noinline)) static void locked_bump(int* p) {
  pthread_mutex_lock(&m1);
  *p += 1;
  pthread_mutex_unlock(&m1);
}
__attribute__((noinline)) static void release_then_bump(int* p) {
  a1.store(1, std::memory_order_release);
  *p += 1;
}
__attribute__((noinline)) void visible(int* p) { *p += 2; }
__attribute__((noinline)) static Node* make(int v) {
  Node* n = static_cast<Node*>(calloc(1, sizeof(Node)));
  n->key = v;
  return n;
}
__attribute__((noinline)) static void keep(Node** where, Node* n) { *where = n; }
static Node* same(Node* n) { return n; }

static int early_limit;
static int early_table[16];
static Node early_node;
static int near0, near1, near2, near3;
static Node near_node;
__attribute__((noinline)) static void fill_table(int* to, int from) {
  for (int i = 0; i < 16; ++i) to[i] = from + i;
}
__attribute__((noinline)) static void set_near0(int v) { near0 = v; }
__attribute__((noinline)) static void set_int(int* where, int v) { *where = v; }
__attribute__((noinline)) static void start(pthread_t* id, void* (*body)(void*)) {
  pthread_create(id, nullptr, body, nullptr);
}
"""

CONSTRUCTOR = """
static int early_constructed[4];
static struct Setup {
  Setup() {
    for (int i = 0; i < 4; ++i) early_constructed[i] = @VALUE@;
  }
} setup;
"""


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.safe = seed % 4 == 3
        self.library = seed % 5 == 0
        self.functions = []  # texts that stand before the steps
        self.lines = []
        self.indent = 1
        self.names = 0
        self.set_flags = set()
        self.posts = 0
        self.forget()

    def forget(self):
        """No local is in scope."""
        self.ints, self.counters, self.nodes, self.vectors, self.strings = [], [], [], [], []

    # ---- Text -----------------------------------------------------------------------------------------------------

    def put(self, text):
        self.lines.append("  " * self.indent + text)

    def block(self, head, body, tail="}"):
        self.put(head)
        self.indent += 1
        known = [list(names) for names in (self.ints, self.counters, self.nodes, self.vectors, self.strings)]
        body()
        self.ints, self.counters, self.nodes, self.vectors, self.strings = known
        self.indent -= 1
        self.put(tail)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    # ---- Expressions ----------------------------------------------------------------------------------------------

    def shared_int(self):
        """Something that can be assigned, of type int, and shared."""
        return self.pick("g0", "g1", "g2", "g3", "hidden", "near3", "node0.key", "node1.key",
                         f"array[{self.random.randrange(64)}]", "array[n & 63]")

    def shared_other(self):
        return self.pick("l0", "l1", "d0", "d1", "node0.total", "node1.total", "node0.weight",
                         f"bytes[{self.random.randrange(16)}]", "bytes[n & 15]", f"node1.tag[{self.random.randrange(8)}]")

    def value(self):
        choices = [lambda: str(self.random.randrange(1, 9)), lambda: "n", self.shared_int,
                   lambda: f"(int){self.shared_other()}", lambda: "kTable[n & 3]", lambda: "quiet_table[n & 3]",
                   lambda: "peek(&node0)", lambda: "mine", lambda: "sum(array, 4)", lambda: "shape->area(n)"]
        choices += [lambda: self.pick("early_limit", "early_table[n & 15]", "early_node.key", "early_constructed[n & 3]",
                                      "peek(&early_node)"),
                    lambda: self.pick("near0", "near1", "near2", "near3", "near_node.key")]
        choices += [lambda: self.pick(*self.ints)] * 3 if self.ints else []
        choices += [lambda: self.pick(*self.counters)] * 2 if self.counters else []
        choices += [lambda: f"{self.pick(*self.nodes)}->key", lambda: f"peek({self.pick(*self.nodes)})",
                    lambda: f"walk({self.pick(*self.nodes)}, 3)"] if self.nodes else []
        choices += [lambda: f"{self.pick(*self.vectors)}[n & 1]"] if self.vectors else []
        choices += [lambda: f"(int){self.pick(*self.strings)}.size()"] if self.strings else []
        first = self.random.choice(choices)()
        return first if self.chance(60) else f"{first} + {self.random.choice(choices)()}"

    # ---- Statements -----------------------------------------------------------------------------------------------

    def assign(self):
        target = self.shared_int() if self.chance(65) else self.shared_other()
        if self.ints and self.chance(20):
            target = self.pick(*self.ints)
        self.pick(lambda: self.put(f"{target} = {self.value()};"), lambda: self.put(f"{target} += 1;"),
                  lambda: self.put(f"{target} += {self.value()};"),
                  lambda: self.put(f"if ({target} > 1) {target} = {self.value()};"))()

    def helper(self):
        target = f"&{self.shared_int()}"
        if self.ints and self.chance(50):
            target = f"&{self.pick(*self.ints)}"
        calls = ["bump({0});", "bump_slowly({0}, 3);", "visible({0});"]
        calls += [] if self.safe else ["locked_bump({0});", "release_then_bump({0});"]
        self.put(self.pick(*calls).format(target))

    def local_int(self):
        name = self.name("v")
        self.put(f"int {name} = {self.value()};")
        self.ints.append(name)

    def local_node(self):
        name = self.name("n")
        if self.chance(50):
            self.put(f"Node {name}_ = {{}}; Node* {name} = &{name}_;")
        else:
            self.put(f"Node* {name} = {self.pick('make(n)', 'same(make(2))', 'new Node()')};")
        self.nodes.append(name)
        self.put(f"fill({name}, {self.value()});")

    def use_node(self):
        node = self.pick(*self.nodes)
        self.put(self.pick(f"{node}->key += {self.value()};", f"{node}->total = n;", f"bump(&{node}->key);",
                           f"{node}->tag[n & 7] = 2;", f"fill({node}, {self.value()});", f"node1 = *{node};",
                           f"*{node} = node0; {node}->next = nullptr;",
                           f"memcpy({node}->tag, bytes, 8);", f"memset({node}->tag, n, 8);"))

    def publish(self):
        """A heap node, or a local's heap neighbour, becomes everybody's."""
        slot = self.pick("slot0", "slot1")
        name = self.name("p")
        self.put(f"Node* {name} = make({self.value()});")
        if self.chance(40):
            holder = self.name("h")
            self.put(f"Node {holder} = {{}}; {holder}.next = {name};")
            self.put(f"keep(&{slot}, {holder}.next);")
        else:
            self.put(self.pick(f"{slot} = {name};", f"keep(&{slot}, {name});", f"keep(&{slot}, same({name}));"))
        self.put(f"{name}->key += 1;")
        self.nodes.append(name)

    def short_life(self):
        name = self.name("f")
        self.put(f"Node* {name} = make({self.value()});")
        self.put(f"{name}->total += {self.value()}; {self.shared_int()} += (int){name}->total;")
        self.put(f"free({name});")

    def use_slot(self):
        slot = self.pick("slot0", "slot1")
        name = self.name("q")
        self.put(f"if (Node* {name} = {slot}) {name}->{self.pick('key += n', 'total = n', 'weight = 1.5', 'key++')};")

    def copy(self):
        self.put(self.pick("node1 = node0;", "memcpy(&node0, &node1, sizeof node0);", "memset(bytes, n, sizeof bytes);",
                           "memmove(array, array + n % 4, 40);", "memcpy(bytes, node0.tag, 8);"))

    def atomic(self):
        order = "std::memory_order_"
        self.put(self.pick(f"a0.store(n, {order}release);", f"g0 += a0.load({order}acquire);",
                           f"a1.fetch_add(1, {order}acq_rel);", f"a0.fetch_add(1, {order}relaxed);",
                           f"a1.store(n, {order}relaxed);", f"std::atomic_thread_fence({order}seq_cst);"))

    def semaphore(self):
        if self.posts > 0 and self.chance(50):
            self.posts -= 1
            self.put("sem_wait(&s0);")
        else:
            self.posts += 1
            self.put("sem_post(&s0);")

    def flag(self):
        """A plain flag: set, or waited for by somebody who will find it set."""
        flag = self.pick("flag0", "flag1")
        if flag in self.set_flags:
            self.put(f"while ({flag} == 0) {self.pick('sched_yield()', '')};")
        else:
            self.set_flags.add(flag)
            self.put(f"{flag} = 1;")

    def locked(self, depth):
        lock = self.pick("pthread_mutex_lock(&m0);", "pthread_mutex_lock(&m2);", "pthread_rwlock_rdlock(&rw0);",
                         "pthread_rwlock_wrlock(&rw0);")
        self.put(lock)
        self.statements(depth + 1, 3, inside_lock=True)
        self.put("pthread_rwlock_unlock(&rw0);" if "rw" in lock else lock.replace("_lock", "_unlock"))

    def branch(self, depth, inside):
        condition = f"{self.value()} > {self.random.randrange(8)}"
        self.block(f"if ({condition}) {{", lambda: self.statements(depth + 1, 2, inside), "} else {")
        self.lines.pop()
        self.block("} else {", lambda: self.statements(depth + 1, 2, inside))

    def loop(self, depth, inside):
        index = self.name("i")
        def body():
            self.counters.append(index)
            self.put(f"array[{index} * 3 & 63] += {self.pick(index, 'g1', 'node0.key')};")
            self.statements(depth + 1, 2, inside)
            self.put(f"{self.shared_int()} += {index};")
        bound = self.pick("3", "n", "(n & 3) + 1")
        if self.chance(70):
            self.block(f"for (int {index} = 0; {index} < {bound}; ++{index}) {{", body)
        else:
            self.put(f"int {index} = 0;")
            self.block("do {", body, f"}} while (++{index} < {bound});")

    def sweep(self):
        """A loop over many numbers, none of which can be a flag."""
        row = self.pick("row0", "row1", "row0 + 3", "row1 + n")
        count = self.pick("7", "8", "24", "40", "n", "n * 9")
        self.put(self.pick(f"d0 += total({row}, {count});", f"smooth({row}, row1, {count});", f"drift({row}, {count});",
                           f"every_other({row}, {count});", f"scale(thin + {self.pick('0', '1', 'n')}, {count}, 1.5f);",
                           "d0 += weigh(n * 4 & 15);", f"for (double& each : row1) each *= {self.value()};"))

    def exception(self, depth, inside):
        def body():
            self.statements(depth + 1, 1, inside)
            self.put(f"if (n > {self.random.randrange(8)}) throw {self.random.randrange(9)};")
            self.statements(depth + 1, 1, inside)
        self.block("try {", body, "} catch (int caught) {")
        self.indent += 1
        self.put(f"{self.shared_int()} += caught;")
        self.indent -= 1
        self.put("}")

    def containers(self):
        if self.chance(50):
            name = self.name("vec")
            self.put(f"std::vector<int> {name}(2, n); {name}.push_back({self.value()});")
            self.put(f"for (int& each : {name}) each += g2;")
            self.vectors.append(name)
        else:
            name = self.name("str")
            self.put(f"std::string {name} = n > 2 ? \"a\" : \"a string that is too long to lie in the object\";")
            self.put(f"{name} += 'x'; {name}[0] = static_cast<char>(n); {name}.append({name});")
            self.strings.append(name)

    def spawn(self):
        """A thread that gets a local's address, and a parent that does not wait before it touches the local."""
        mark = self.name("spawn")
        self.functions.append(f"static void* {mark}(void* given) {{  // {mark}\n"
                              f"  Node* n = static_cast<Node*>(given);  // {mark}\n"
                              f"  n->key {self.pick('= 3', '+= 1')};  // {mark}\n"
                              f"  return nullptr;  // {mark}\n}}\n")
        early = self.chance(50)
        self.put(f"pthread_t t_{mark}; Node on_{mark} = {{}};  // {mark}")
        self.put(f"Node* n_{mark} = {self.pick(f'&on_{mark}', f'same(&on_{mark})', 'make(1)')};  // {mark}")
        self.put(f"n_{mark}->key = 1;  // {mark}")
        self.put(f"pthread_create(&t_{mark}, nullptr, {mark}, n_{mark});  // {mark}")
        if early:
            self.put(f"n_{mark}->{self.pick('key', 'total')} += 1;  // {mark}")
        self.put(f"pthread_join(t_{mark}, nullptr);  // {mark}")
        self.put(f"n_{mark}->key += 1;  // {mark}")

    def statements(self, depth, count, inside_lock=False):
        for _ in range(self.random.randrange(1, count + 1)):
            kinds = [self.assign] * 5 + [self.helper] * 3 + [self.local_int, self.local_node, self.use_slot, self.copy,
                                                              self.sweep, self.sweep, self.publish, self.short_life]
            kinds += [self.use_node] * 3 if self.nodes else []
            kinds += [lambda: self.put(f"shape->grow({self.value()});"), lambda: self.put("mine += n; bump(&mine);")]
            if depth < 3:
                kinds += [lambda: self.branch(depth, inside_lock), lambda: self.loop(depth, inside_lock)]
                kinds += [lambda: self.exception(depth, inside_lock)]
            if not self.safe:
                kinds += [self.atomic]
                if not inside_lock:
                    kinds += [lambda: self.locked(depth)] * 2
                if depth == 0:
                    kinds += [self.semaphore, self.flag, self.flag, self.spawn]
            if self.library:
                kinds += [self.containers] * 2
            self.random.choice(kinds)()

    # ---- Before there are threads, and once more -------------------------------------------------------------------

    def early(self):
        """What main does first."""
        self.lines, self.indent = [], 1
        some = str(self.random.randrange(1, 9))
        choices = [f"for (int i = 0; i < 16; ++i) early_table[i] = i * {some};", f"fill_table(early_table, {some});",
                   f"early_limit = given[{self.random.randrange(8)}];", "early_limit += early_table[3];",
                   f"if (early_limit > 3) early_node.key = {some};", "early_node.total = early_limit;",
                   "early_node = node0;", "memset(early_table, 1, sizeof early_table);",
                   f"set_near0({some});", f"near1 = {some};", f"set_int(&near2, {some});",
                   f"if (arguments[0] > 2) near3 = {some};", "near_node = node0;"]
        for line in self.random.sample(choices, self.random.randrange(4, len(choices) + 1)):
            self.put(line)
        return "\n".join(self.lines) + "\n"

    def late(self):
        """What main writes when there are threads."""
        some = str(self.random.randrange(1, 9))
        line = self.pick(f"set_near0({some});", f"near1 = {some};", "near1 += 1;", f"set_int(&near2, {some});",
                         f"near3 = near2 + {some};", f"if (arguments[1] > 2) near1 = {some};",
                         "near_node = early_node;")
        return f"pthread_mutex_lock(&m0); {line} pthread_mutex_unlock(&m0);" if self.safe else line

    def main_turn(self, turn, ended):
        """Main's, among the threads' turns; it may wait for the end of a thread that has done all of its own."""
        lines = [f"  await_turn({turn});\n"]
        if ended is not None:
            lines.append(f"  pthread_join(ids[{ended}], nullptr);\n")
        lines.append(f"  {self.late()}\n  end_turn();\n")
        return "".join(lines)

    def creations(self, threads, between):
        """All threads are created; nobody has a turn before main has ended its own, if it writes in between."""
        text = ""
        if self.chance(25):
            bodies = ", ".join(f"thread{number}" for number in range(threads))
            text += f"  void* (*const bodies[{threads}])(void*) = {{{bodies}}};\n"
            text += f"  for (int i = 0; i < {threads}; ++i) {{\n"
            text += f"    {self.late()}\n" if between else ""
            text += "    pthread_create(&ids[i], nullptr, bodies[i], nullptr);\n  }\n"
        else:
            for number in range(threads):
                text += self.pick(f"  pthread_create(&ids[{number}], nullptr, thread{number}, nullptr);\n",
                                  f"  start(&ids[{number}], thread{number});\n")
                text += f"  {self.late()}\n" if between and self.chance(50) else ""
        return text + ("  end_turn();\n" if between else "")

    # ---- The program ----------------------------------------------------------------------------------------------

    def step(self, thread, turn):
        """Returns the code that a thread runs at its turn."""
        name = f"step_{turn}"
        self.lines, self.indent = [], 1
        self.forget()
        if self.safe:
            self.put("pthread_mutex_lock(&m0);")
        self.statements(0, 6, inside_lock=self.safe)
        if self.safe:
            self.put("pthread_mutex_unlock(&m0);")
        self.functions.append(f"static void {name}(int n) {{\n" + "\n".join(self.lines) + "\n}\n")
        return name

    def program(self):
        threads = self.random.randrange(2, 4)
        bodies = [[] for _ in range(threads)]
        between = self.chance(30)
        turn = 1 if between else 0
        main, main_turns = "", []
        for _ in range(self.random.randrange(4, 9)):
            if self.chance(15):
                main_turns.append(turn)
                turn += 1
            one = self.random.randrange(threads)
            kind = "step" if self.safe else self.pick("step", "step", "step", "step", "condition", "barrier")
            if kind == "step":
                step = self.step(one, turn)
                bodies[one].append(f"  await_turn({turn});\n  {step}(arguments[{turn} & 7]);\n  end_turn();\n")
                turn += 1
                continue
            other = (one + 1) % threads
            first, second = self.step(one, turn), self.step(other, turn + 1)
            if kind == "barrier":
                bodies[one].append(f"  await_turn({turn});\n  {first}(arguments[{turn} & 7]);\n  end_turn();\n"
                                   "  pthread_barrier_wait(&b0);\n")
                bodies[other].append(f"  await_turn({turn + 1});\n  {second}(arguments[{turn + 1} & 7]);\n"
                                     "  pthread_barrier_wait(&b0);\n  end_turn();\n")
            else:
                # The waiter ends its signaller's turn, so that it has left the wait before anything else happens.
                ready = self.name("ready")
                self.functions.append(f"static int {ready};\n")
                bodies[one].append(f"  await_turn({turn});\n  {first}(arguments[{turn} & 7]);\n"
                                   "  pthread_mutex_lock(&m1);\n  end_turn();\n"
                                   f"  while (!{ready}) pthread_cond_wait(&c0, &m1);\n"
                                   "  g1 += node0.key;\n  pthread_mutex_unlock(&m1);\n  end_turn();\n")
                bodies[other].append(f"  await_turn({turn + 1});\n  {second}(arguments[{turn + 1} & 7]);\n"
                                     f"  pthread_mutex_lock(&m1);\n  {ready} = 1;\n  pthread_cond_signal(&c0);\n"
                                     "  pthread_mutex_unlock(&m1);\n")
            turn += 2
        last = [max([int(number) for number in re.findall(r"await_turn\((\d+)\)", "".join(body))], default=-1)
                for body in bodies]
        joined = []
        if self.chance(40):
            main_turns.append(turn)
        for at in main_turns:
            # Who waits in the turn of another ends it: only who has ended a turn long ago is surely gone.
            gone = [number for number in range(threads) if last[number] < at - 1 and number not in joined]
            ended = self.random.choice(gone) if gone and self.chance(50) else None
            joined += [] if ended is None else [ended]
            main += self.main_turn(at, ended)
        includes = "#include <string>\n#include <vector>\n" if self.library else ""
        text = PROLOGUE.replace("@SEED@", str(self.seed)).replace("@INCLUDES@\n", includes)
        text += CONSTRUCTOR.replace("@VALUE@", self.pick("i", "i * 3", "7"))
        text += "\nstatic int arguments[8];\n\n" + "\n".join(self.functions)
        for number, body in enumerate(bodies):
            text += f"\nstatic void* thread{number}(void*) {{\n" + "".join(body) + "  return nullptr;\n}\n"
        arguments = ", ".join(str(self.random.randrange(1, 8)) for _ in range(8))
        text += ("\nint main() {\n"
                 f"  const int given[8] = {{{arguments}}};\n  memcpy(arguments, given, sizeof given);\n"
                 "  pthread_barrier_init(&b0, nullptr, 2);\n  sem_init(&s0, 0, 0);\n  shape = new Square;\n"
                 f"  pthread_t ids[{threads}];\n")
        text += self.early() + self.creations(threads, between) + main
        text += "".join(f"  pthread_join(ids[{number}], nullptr);\n" for number in range(threads)
                        if number not in joined)
        text += '  printf("%d %d %d %d %ld %ld %g %d\\n", g0, g1, g2, g3, l0, l1, d0, node0.key);\n}\n'
        return text


def generate(seed):
    return Writer(seed).program()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("-o", default=None)
    arguments = parser.parse_args()
    text = generate(arguments.seed)
    if arguments.o:
        with open(arguments.o, "w") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
