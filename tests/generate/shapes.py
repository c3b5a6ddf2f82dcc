#!/usr/bin/env python3
"""A random C++ program without undefined behaviour whose output is the same in every schedule: shapes.py SEED

It computes a hash and prints it; its argument says for how many rounds. What is random is the shape of the control flow and of the data: loop nests with
several exits, gotos out of nests and into the middle of loops, switches, exceptions through frames with destructors,
early returns, walking pointers, vectors and loops that become vectors, recursion, virtual calls, coroutines, longjmp,
computed gotos; on 1 to 3 threads that work on their own state and share sums under locks, by atomics, and by turns.
`unchanged.py` builds it natively and with norn and compares what is printed. It has no race, either.
"""

import argparse
import random

PROLOGUE = r"""// Made by tests/generate/shapes.py @SEED@
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <coroutine>
@INCLUDES@
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
typedef u32 Lanes __attribute__((vector_size(16)));
typedef double Pair __attribute__((vector_size(16)));

struct Item {
  u32 key;
  u16 small;
  u8 tag;
  u32 low : 3, high : 11;
  u64 wide;
  Item* next;
};

struct Node {
  virtual ~Node() {}
  virtual u32 step(u32 x) { return x * 3 + weight; }
  u32 weight = 1;
};
struct Odd : Node {
  u32 step(u32 x) override { return x ^ (weight += 2); }
};
struct Wide : Node {
  u32 step(u32 x) override { return row[x & 7] += x; }
  u32 row[8] = {1, 2, 3, 4, 5, 6, 7, 8};
};

struct State {
  u32 a[64], b[64];
  u8 bytes[256];
  double row[64], other[64];
  Lanes lanes[16];
  Item items[16];
  Item* first;
  u64 hash;
  Node* nodes[3];
};

struct Oops {
  u32 code;
};
struct Guard {
  Guard(State& state, u32 value) : state(state), value(value) {}
  ~Guard() { state.hash = state.hash * 31 + value; }
  State& state;
  u32 value;
};

static const u32 kTable[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static thread_local u32 own_count;
static u64 shared_sum, locked_count, atomic_sum;
static pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;
struct Lock {
  Lock() { pthread_mutex_lock(&shared_mutex); }
  ~Lock() { pthread_mutex_unlock(&shared_mutex); }
};

static u32 least(u32 x, u32 y) { return x < y ? x : y; }
static u32 most(u32 x, u32 y) { return x < y ? y : x; }
template <class T>
static void swap_two(T& x, T& y) {
  T kept = x;
  x = y;
  y = kept;
}
static u32 mix(u32 x) { return (x ^ (x >> 15)) * 2654435761u; }
__attribute__((noinline)) static void note(State& s, u32 x) { s.hash = s.hash * 31 + x; }
__attribute__((noinline)) static u32 checked(State& s, u32 x, u32 limit) {
  if (x % 97 >= limit) throw Oops{x};
  return s.a[x & 63];
}
static u32 drop(u32 depth, State& s) {
  if (depth == 0) return s.b[7];
  Guard guard(s, depth);
  if (depth % 13 == 12 && (s.a[depth & 63] & 3) == 0) throw static_cast<int>(depth);
  return drop(depth - 1, s) * 5 + depth;
}
static u32 tail(State& s, u32 n, u32 x) {
  if (n == 0) return x;
  s.b[n & 63] += x;
  return tail(s, n - 1, x * 7 + s.a[n & 63]);
}
static u32 sum_of(int count, ...) {
  va_list list;
  va_start(list, count);
  u32 total = 0;
  for (int i = 0; i < count; ++i) total += va_arg(list, u32);
  va_end(list);
  return total;
}
static void reverse(u32* from, u32* to) {
  while (from < to) swap_two(*from++, *--to);
}
__attribute__((noinline)) static void partition(u32* a, long n) {
  while (n > 1) {
    const u32 pivot = a[n / 2];
    long i = 0, j = n - 1;
    while (i <= j) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i <= j) {
        const u32 t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    if (j + 1 < n - i) {
      partition(a, j + 1);
      a += i;
      n -= i;
    } else {
      partition(a + i, n - i);
      n = j + 1;
    }
  }
}
static u32 machine(State& s, u32 x, u32 steps) {
  static void* const labels[4] = {&&add, &&turn, &&jump, &&done};
  u32 at = x;
  goto* labels[x & 1];
add:
  at += s.a[at & 63];
  goto* labels[steps-- ? at & 3 : 3];
turn:
  s.b[at & 63] ^= at;
  at = at << 3 | at >> 29;
  goto* labels[steps-- ? (at >> 2) & 3 : 3];
jump:
  at ^= steps;
  if (steps-- && at % 5) goto add;
done:
  return at;
}
static u32 far_jump(State& s, u32 x) {
  jmp_buf back;
  volatile u32 rounds = 0;
  volatile u32 seen = x;
  const int how = setjmp(back);
  if (how != 0) seen = seen * 3 + static_cast<u32>(how);
  rounds = rounds + 1;
  s.a[rounds & 63] += seen;
  if (rounds < 1 + (x & 7)) longjmp(back, static_cast<int>(rounds));
  return seen;
}
struct Numbers {
  struct promise_type {
    u32 value = 0;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(u32 v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};
static Numbers numbers(State& s, u32 n) {
  u32 x = n;
  for (u32 i = 0; i < n; ++i) {
    x = x * 5 + s.a[i & 63];
    if (x % 3 == 0) continue;
    co_yield x;
    if (x % 31 == 0) co_return;
  }
}
static u32 generated(State& s, u32 n) {
  Numbers all = numbers(s, n);
  u32 total = 0;
  for (all.handle.resume(); !all.handle.done(); all.handle.resume()) total = total * 3 + all.handle.promise().value;
  all.handle.destroy();
  return total;
}
static u32 stack_array(State& s, u32 n) {
  u32* row = static_cast<u32*>(__builtin_alloca(sizeof(u32) * (n & 31) + sizeof(u32)));
  for (u32 i = 0; i <= (n & 31); ++i) row[i] = s.a[i] + i;
  reverse(row, row + (n & 31) + 1);
  return row[0] * 3 + row[n & 31];
}
static u64 wide_product(u64 x, u64 y) {
  unsigned __int128 product = static_cast<unsigned __int128>(x) * y + 12345;
  product %= 1000000007u * 3ull;
  return static_cast<u64>(product >> 3);
}
static u32 blocks(State& s, u32 n) {
  Item* list = nullptr;
  for (u32 i = 0; i < (n & 15) + 1; ++i) list = new Item{s.a[i], static_cast<u16>(i), 1, i & 7, i, i * 3, list};
  u32 total = 0;
  while (list != nullptr) {
    Item* next = list->next;
    total = total * 7 + list->key + list->low + static_cast<u32>(list->wide);
    list->high = total & 2047;
    total ^= list->high;
    delete list;
    list = next;
  }
  return total;
}
"""

# In every third program: what the C++ library adds, which takes long to compile.
INCLUDES = """#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>
"""
LIBRARY = r"""static u32 once(u32 x) {
  static const std::vector<u32> values = [] {
    std::vector<u32> made(16);
    std::iota(made.begin(), made.end(), 100u);
    return made;
  }();
  return values[x & 15];
}
static u32 words(State& s, u32 n) {
  std::map<std::string, u32> count;
  std::string word;
  for (u32 i = 0; i < (n & 63) + 3; ++i) {
    word.push_back(static_cast<char>('a' + s.bytes[i] % 5));
    if (s.bytes[i] % 3 == 0) {
      ++count[word];
      word.clear();
    }
  }
  u32 total = 0;
  for (const auto& [key, times] : count) total = total * 31 + times * static_cast<u32>(key.size());
  return total;
}
static std::atomic<u64> library_sum;
static std::mutex library_mutex;
"""
LIBRARY_CALLS = ["once({})", "words(s, {})"]

CALLS = ["drop({} & 15, s)", "tail(s, {} & 31, {})", "sum_of(3, {}, {}, s.a[1])", "machine(s, {}, {} & 63)",
         "far_jump(s, {})", "generated(s, {} & 31)", "stack_array(s, {})",
         "static_cast<u32>(wide_product({}, s.hash))", "blocks(s, {})", "checked(s, {}, 90)",
         "s.nodes[{} % 3]->step({})", "mix({})"]
MAY_THROW = ("drop(", "checked(", "f(")
HOT = 40000  # how many times a statement is executed in one call, at most


class Function:
    """One function `static u32 NAME(State& s, u32 x)`, whose callees are those made before it."""

    def __init__(self, rng, name, callees, library):
        self.rng, self.name, self.callees, self.library = rng, name, callees, library
        self.lines, self.scalars, self.loops = [], [f"v{i}" for i in range(rng.randint(2, 5))], 0
        self.labels, self.indices = 0, []
        self.cost = 0
        self.budget = rng.choice([500, 5000, HOT, HOT])
        self.result = self.make()

    def pick(self, *choices):
        return self.rng.choice(choices)

    def say(self, depth, line):
        self.lines.append("  " * depth + line)

    # Expressions: u32 all of them.
    def value(self, deep=0):
        rng = self.rng
        kind = rng.randint(0, 11 if deep < 3 else 4)
        if kind <= 1:
            return rng.choice([*self.scalars, "x"])
        if kind == 2:
            return f"{rng.choice([rng.randint(0, 9), rng.randint(0, 1 << 31)])}u"
        if kind == 3:
            return rng.choice(self.indices) if self.indices else "x"
        if kind == 4:
            return self.load()
        one, two = self.value(deep + 1), self.value(deep + 1)
        return rng.choice([f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} ^ {two})",
                           f"({one} & {two})", f"({one} | {two})", f"({one} / ({two} | 1))", f"({one} % ({two} | 1))",
                           f"({one} << ({two} & 31))", f"({one} >> ({two} & 31))", f"({self.test()} ? {one} : {two})",
                           f"least({one}, {two})", f"static_cast<u32>(~{one})", f"mix({one})"])

    def test(self):
        rng = self.rng
        one = rng.choice([*self.scalars, *self.indices, self.load(), self.load()])
        return rng.choice([f"{one} % {rng.randint(2, 9)} == {rng.randint(0, 1)}", f"({one} & {rng.choice([1, 3, 8, 32])})",
                           f"{one} > {self.value(3)}", f"{one} % {rng.randint(11, 99)} != 0"])

    def index(self, mask):
        return f"{self.value(2)} & {mask}"

    def load(self):
        rng = self.rng
        index = rng.choice([*self.indices, *self.scalars, "x"])
        return rng.choice([f"s.a[{index} & 63]", f"s.b[{index} & 63]", f"u32(s.bytes[{index} & 255])", f"kTable[{index} & 15]",
                           f"s.items[{index} & 15].key", f"u32(s.items[{index} & 15].high)", f"s.lanes[{index} & 15][{rng.randint(0, 3)}]",
                           "s.first->key", "own_count"])

    def store(self, depth):
        rng, value = self.rng, self.value()
        places = [f"s.a[{self.index(63)}]", f"s.b[{self.index(63)}]", f"s.items[{self.index(15)}].key",
                  f"s.items[{self.index(15)}].wide", f"s.lanes[{self.index(15)}][{rng.randint(0, 3)}]", "own_count"]
        self.say(depth, rng.choice([
            f"{rng.choice(places)} {rng.choice(['=', '+=', '^='])} {value};",
            f"s.bytes[{self.index(255)}] = static_cast<u8>({value});",
            f"s.items[{self.index(15)}].{rng.choice(['low', 'high'])} = {value} & 7;",
            f"s.row[{self.index(63)}] = s.other[{self.index(63)}] * 0.5 + {value} % 256;",
            f"s.items[{self.index(15)}].tag = static_cast<u8>({value});",
            f"s.first = &s.items[{self.index(15)}];"]))

    # Statements. `times`: how often one of this block is executed, at most.
    def block(self, depth, times, nest, exits):
        for _ in range(self.rng.randint(1, 4)):
            self.statement(depth, times, nest, exits)

    def statement(self, depth, times, nest, exits):
        rng = self.rng
        self.cost += times
        kinds = [self.assign, self.store, self.assign, self.store, self.branch, self.call, self.flat, self.leave]
        if nest < 4 and len(self.lines) < 150:
            kinds += [self.counted, self.counted, self.counted, self.walk, self.walk, self.again, self.tangle, self.choose,
                      self.attempt, self.endless]
        kind = rng.choice(kinds)
        if kind in (self.assign, self.store):
            kind(depth)
        else:
            kind(depth, times, nest, exits)

    def assign(self, depth):
        self.say(depth, f"{self.rng.choice(self.scalars)} {self.rng.choice(['=', '+=', '^=', '-='])} {self.value()};")

    def branch(self, depth, times, nest, exits):
        self.say(depth, f"if ({self.test()}) {{")
        self.block(depth + 1, times, nest + 1, exits)
        if self.rng.random() < 0.5:
            self.say(depth, "} else {")
            self.block(depth + 1, times, nest + 1, exits)
        self.say(depth, "}")

    def leave(self, depth, _times, _nest, exits):
        """One of the ways out of what surrounds this."""
        if not exits:
            return self.assign(depth)
        way = self.rng.choice(exits)
        seldom = f"mix({self.value(2)}) % {self.rng.choice([9, 50, 500])} == 0"
        self.say(depth, f"if ({self.test()} && {self.test() if way == 'continue' else seldom}) {way};")

    def bound(self, times):
        rng = self.rng
        fitting = [n for n in (2, 3, 5, 8, 16, 33, 64, 200, 1500, 5000) if n * times <= self.budget] or [2]
        return rng.choice(fitting[-4:])

    def new_index(self):
        self.loops += 1
        return f"i{self.loops}"

    def in_loop(self, depth, times, nest, exits, index=None):
        """A loop's body; behind the loop stands the label that leaves it whole."""
        label = self.new_label()
        if index is not None:
            self.indices.append(index)
        self.block(depth + 1, times, nest + 1, [*exits[-3:], "break", "continue", f"goto {label}"])
        if index is not None:
            self.indices.remove(index)
        return label

    def new_label(self):
        self.labels += 1
        return f"out{self.labels}"

    def counted(self, depth, times, nest, exits):
        n, i = self.bound(times), self.new_index()
        step = self.pick(1, 1, 1, 2, 3)
        self.say(depth, self.pick(f"for ({i} = 0; {i} < {n}; {i} += {step}) {{", f"for ({i} = 0; {i} < {n}; {i} += {step}) {{",
                                  f"for ({i} = {n}; {i}-- > 0;) {{",
                                  f"for ({i} = 0; {i} < {n} && {self.test()}; ++{i}) {{"))
        label = self.in_loop(depth, times * n, nest, exits, i)
        self.say(depth, "}")
        self.say(depth, f"{label}:;")

    def again(self, depth, times, nest, exits):
        n, i = self.bound(times), self.new_index()
        self.say(depth, f"{i} = 0;")
        self.say(depth, "do {")
        label = self.in_loop(depth, times * n, nest, exits, i)
        self.say(depth, f"}} while (++{i} < {n} && {self.test()});")
        self.say(depth, f"{label}:;")

    def endless(self, depth, times, nest, exits):
        n, i = self.bound(times), self.new_index()
        self.say(depth, f"{i} = {n};")
        self.say(depth, "for (;;) {")
        self.say(depth + 1, f"if (--{i} == 0) break;")
        label = self.in_loop(depth, times * n, nest, exits, i)
        self.say(depth + 1, self.pick(f"if ({self.test()}) break;", f"if ({self.test()}) {i} = {i} / 2 + 1;", ""))
        self.say(depth, "}")
        self.say(depth, f"{label}:;")

    def walk(self, depth, times, nest, exits):
        """Pointers that move, in the way of sorting and of searching."""
        rng = self.rng
        i, j = self.new_index(), self.new_index()
        array, least = self.pick("a", "b"), rng.randint(1, 20)
        self.say(depth, f"for (u32 *p = s.{array}, *end = p + 64; p < end;) {{")
        self.say(depth + 1, f"{i} = 0;")
        self.say(depth + 1, f"{j} = 0;")
        self.say(depth + 1, f"while (p + {i} + 1 < end && p[{i}] % 32 > {least}) ++{i};")
        if rng.random() < 0.7:
            self.say(depth + 1, f"while (p + {j} + 1 < end && p[{j}] % 16 > {least // 2}) ++{j};")
        if rng.random() < 0.5:
            self.indices += [i, j]
            self.block(depth + 1, times * 20, nest + 1, [e for e in exits if e != "continue"][-2:] + ["break"])
            self.indices = self.indices[:-2]
        self.say(depth + 1, self.pick(f"p[{i}] = p[{j}] + 1;", f"swap_two(p[{i}], p[{j}]);", f"p[{j}] ^= {self.value()};"))
        self.say(depth + 1, f"if ({self.test()}) note(s, p[{i}]);" if rng.random() < 0.3 else f"v0 += {i};")
        self.say(depth + 1, self.pick(f"p += {j} + 1;", f"p += {i} / 2 + 1;", "++p;"))
        self.say(depth, "}")

    def tangle(self, depth, times, nest, exits):
        """A loop with two ways in."""
        n, i = self.bound(times), self.new_index()
        top, middle = self.new_label(), self.new_label()
        self.say(depth, f"{i} = {n};")
        self.say(depth, f"if ({self.test()}) goto {middle};")
        self.say(depth, f"{top}:")
        self.indices.append(i)
        self.block(depth, times * n, nest + 1, [f"goto {middle}"])
        self.say(depth, f"{middle}:")
        self.block(depth, times * n, nest + 1, exits[-3:])
        self.say(depth, f"if (--{i} != 0 && {i} < {n} && {self.test()}) goto {top};")
        if self.rng.random() < 0.5:
            self.say(depth, f"if ({i} != 0 && --{i} != 0 && {i} < {n} && {self.test()}) goto {middle};")
        self.indices.remove(i)

    def choose(self, depth, times, nest, exits):
        cases = self.rng.randint(2, 6)
        self.say(depth, f"switch ({self.value()} % {cases + 1}) {{")
        for case in range(cases):
            self.say(depth + 1, f"case {case}:")
            self.block(depth + 2, times, nest + 2, [*exits[-3:], "break"])
            if self.rng.random() < 0.7:
                self.say(depth + 2, "break;")
        self.say(depth + 1, "default:")
        self.block(depth + 2, times, nest + 2, exits)
        self.say(depth, "}")

    def attempt(self, depth, times, nest, exits):
        rng = self.rng
        self.say(depth, "try {")
        if rng.random() < 0.6:
            self.say(depth + 1, f"Guard guard(s, {self.value()});")
        self.block(depth + 1, times, nest + 1, [*exits[-3:], "throw Oops{x}", "throw 7"])
        self.say(depth + 1, f"if ({self.test()} && mix(v0) % {rng.choice([2, 9, 99])} == 0) throw Oops{{{self.value()}}};")
        self.block(depth + 1, times, nest + 1, exits[-3:])
        self.say(depth, "} catch (const Oops& oops) {")
        self.say(depth + 1, f"{rng.choice(self.scalars)} += oops.code;")
        self.block(depth + 1, times, nest + 2, [*exits[-3:], "throw 8"] if rng.random() < 0.2 else exits[-3:])
        if rng.random() < 0.7:
            self.say(depth, "} catch (int code) {")
            self.say(depth + 1, f"{rng.choice(self.scalars)} ^= static_cast<u32>(code);")
        self.say(depth, "}")

    def call(self, depth, times, _nest, _exits):
        rng = self.rng
        cheap = [callee for callee in self.callees if callee.cost * times < self.budget]
        self.cost += times * 20
        target = rng.choice(self.scalars)
        if cheap and rng.random() < 0.6:
            callee = rng.choice(cheap)
            self.cost += callee.cost * times
            self.say(depth, f"{target} += {callee.name}(s, {self.value()});")
        elif times < 3000:
            text = rng.choice(CALLS + LIBRARY_CALLS if self.library else CALLS)
            self.say(depth, f"{target} += {text.format(*(self.value(2) for _ in range(text.count('{}'))))};")
        else:
            self.say(depth, f"note(s, {self.value()});")

    def flat(self, depth, times, _nest, _exits):
        """Loops that become vectors or calls, vectors, and what the library does."""
        rng = self.rng
        n = rng.choice([8, 31, 64])
        self.cost += times * n
        if times > 1000:
            return self.say(depth, f"s.lanes[{self.index(15)}] += s.lanes[{self.index(15)}] * {rng.randint(2, 9)};")
        simple = [
            f"for (u32 k = 0; k < {n}; ++k) s.row[k] = s.row[k] * 0.5 + s.other[k] * 0.25;",
            f"for (u32 k = 0; k + 1 < {n}; ++k) s.other[k] = (s.row[k] + s.other[k + 1]) * 0.5;",
            f"for (u32 k = 1; k < {n}; ++k) s.a[k] = s.a[k - 1] * 3 + s.b[k];",
            f"for (u32 k = {n}; k-- > 1; --k) s.b[k] ^= s.a[k - 1];",
            f"for (u32 k = 0; k < {n}; ++k) v0 += s.a[k] * s.b[k];",
            f"for (u32 k = 0; k < {n}; ++k) v1 = most(v1, s.a[k] >> 3);",
            f"for (u32 k = 0; k < {n}; ++k) if (s.a[k] & 4) s.b[k] = s.a[k] / 3;",
            f"for (u32 k = 0; k < {n}; ++k) s.bytes[k * 3] = static_cast<u8>(s.bytes[k] + {self.value(2)});",
            f"for (u32 k = 0; k < 16; ++k) s.lanes[k] = (s.lanes[k] ^ s.lanes[15 - k]) + v0;",
            f"s.lanes[{self.index(15)}] = __builtin_shufflevector(s.lanes[{self.index(15)}], s.lanes[0], 3, 5, 0, 6);",
            f"s.lanes[{self.index(15)}] += (Lanes)(s.lanes[1] > s.lanes[2]);",
            f"{{ Pair pair; memcpy(&pair, &s.row[{self.index(31)}], sizeof pair); pair = pair * 0.5 + 1.0; memcpy(&s.other[2], &pair, sizeof pair); }}",
            f"memcpy(s.a, s.b + {rng.randint(0, 32)}, {rng.choice([4, 16, 100, 128])});",
            f"memmove(s.bytes + {rng.randint(0, 50)}, s.bytes + {rng.randint(0, 50)}, {self.value(2)} & 127);",
            f"memset(s.bytes + {rng.randint(0, 50)}, {self.value(2)} & 255, {self.value(2)} & 63);",
            f"s.bytes[255] = 0; v0 += static_cast<u32>(strlen(reinterpret_cast<char*>(s.bytes)));",
            f"s.items[{self.index(15)}] = s.items[{self.index(15)}];",
            f"partition(s.b, {n});",
            f"{{ u32 local[8] = {{1, 2, 3}}; reverse(local, local + 8); local[{self.index(7)}] += x; v1 ^= local[{self.index(7)}]; }}",
            f"[&] {{ v0 ^= s.a[v1 & 63]; v1 += x; }}();",
            "{ Lock lock; shared_sum += v0 & 255; ++locked_count; }",
            "__atomic_fetch_add(&atomic_sum, v1 & 63, __ATOMIC_RELAXED);",
            "__atomic_fetch_add(&atomic_sum, v0 & 31, __ATOMIC_SEQ_CST);",
            "{ u32 k = 0; while (k < 63 && s.a[k] % 17 != 3) ++k; v0 += k; }",
            'asm volatile("xorl %1, %0" : "+r"(v0) : "r"(v1));',
        ]
        if self.library:
            simple += [
                f"std::sort(s.a, s.a + {n});",
                f"{{ std::vector<u32> grown; for (u32 k = 0; k < {n}; ++k) if (s.a[k] & 1) grown.push_back(s.a[k]); v0 += static_cast<u32>(grown.size()); if (!grown.empty()) v1 ^= grown.back(); }}",
                "{ std::lock_guard<std::mutex> guard(library_mutex); library_sum += v0 & 7; }",
                "library_sum.fetch_add(v1 & 63, std::memory_order_relaxed);",
                "library_sum.fetch_add(v0 & 31);",
            ]
        self.say(depth, rng.choice(simple))

    def make(self):
        self.block(1, 1, 0, ["return x", "return v0 ^ v1"])
        while self.cost < self.budget // 4 and len(self.lines) < 60:
            self.block(1, 1, 0, ["return x", "return v0 ^ v1"])
        rng = self.rng
        attribute = rng.choice(["__attribute__((noinline)) ", "", "", "inline "])
        head = [f"{attribute}static u32 {self.name}([[maybe_unused]] State& s, u32 x) {{".replace("inline static", "static inline"),
                "  u32 " + ", ".join(f"{v} = x * {n + 1} + {n}" for n, v in enumerate(self.scalars)) + ";"]
        if self.loops:
            head.append("  u32 " + ", ".join(f"i{n} = 0" for n in range(1, self.loops + 1)) + ";")
        return "\n".join([*head, *self.lines, f"  return {' ^ '.join(self.scalars)};", "}"])


MEETINGS = [
    ("turns",
     "static u32 turn;\nstatic u64 taken;\n",
     "  for (u32 k = 0; k < 20; ++k) {\n    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % kThreads != self) {\n      if (k % 2) sched_yield();\n    }\n"
     "    taken = taken * 3 + self;\n    __atomic_fetch_add(&turn, 1, __ATOMIC_ACQ_REL);\n  }\n",
     "  total = total * 31 + taken;\n"),
    ("queue",
     "static std::mutex queue_mutex;\nstatic std::condition_variable filled;\nstatic std::vector<u32> queue;\nstatic u64 eaten;\n",
     "  for (u32 k = 0; k < 40; ++k) {\n    if ((k + self) % 2 == 0) {\n      std::lock_guard<std::mutex> guard(queue_mutex);\n"
     "      queue.push_back(k);\n      filled.notify_one();\n    } else {\n      std::unique_lock<std::mutex> guard(queue_mutex);\n"
     "      if (self % 2 == 0) filled.wait(guard, [] { return !queue.empty(); });\n"
     "      if (!queue.empty()) queue.pop_back();\n      ++eaten;\n    }\n  }\n",
     "  total = total * 31 + eaten;\n"),
    ("rounds",
     "static pthread_barrier_t all;\nstatic u64 sums[4];\n",
     "  for (u32 k = 0; k < 10; ++k) {\n    sums[self] += state.a[k];\n    pthread_barrier_wait(&all);\n"
     "    state.b[k] += static_cast<u32>(sums[(self + 1) % kThreads]);\n    pthread_barrier_wait(&all);\n  }\n",
     "  for (u64 one : sums) total = total * 31 + one;\n"),
]

EPILOGUE = r"""
static void fill(State& s, u32 seed) {
  u32 x = seed;
  for (u32 i = 0; i < 256; ++i) s.bytes[i] = static_cast<u8>((x = mix(x + i)) >> 9);
  for (u32 i = 0; i < 64; ++i) {
    s.a[i] = x = mix(x + i);
    s.b[i] = x >> 20;
    s.row[i] = x % 1000;
    s.other[i] = x % 77;
  }
  for (u32 i = 0; i < 16; ++i) {
    s.lanes[i] = Lanes{x, i, x >> 3, 7};
    s.items[i] = Item{i, 2, 3, 4, 5, i * 9ull, &s.items[(i + 1) & 15]};
  }
  s.first = &s.items[3];
  s.nodes[0] = new Node;
  s.nodes[1] = new Odd;
  s.nodes[2] = new Wide;
}
static u64 hash_of(State& s) {
  u64 hash = s.hash;
  const auto add = [&](u64 x) { hash = (hash ^ x) * 1099511628211ull; };
  for (u32 x : s.a) add(x);
  for (u32 x : s.b) add(x);
  for (u8 x : s.bytes) add(x);
  for (double x : s.row) add(static_cast<u64>(x));
  for (double x : s.other) add(static_cast<u64>(x));
  for (const Lanes& x : s.lanes) add(x[0] + 3ull * x[1] + 5ull * x[2] + 7ull * x[3]);
  for (const Item& x : s.items) add(x.key + x.low + x.high * 3ull + x.wide * 7 + x.tag + x.small);
  for (Node* node : s.nodes) {
    add(node->weight + node->step(5));
    delete node;
  }
  return hash;
}
static u64 results[4];
static u32 rounds;
static void work(u32 self) {
  State* owner = new State();
  State& state = *owner;
  fill(state, self + @SEED@);
@MEET@  for (u32 round = 0; round < rounds; ++round) {
    try {
@CALLS@
    } catch (const Oops& oops) {
      note(state, oops.code);
    } catch (int code) {
      note(state, static_cast<u32>(code));
    }
  }
  results[self] = hash_of(state) ^ own_count;
  delete owner;
}
static void* start(void* number) {
  work(static_cast<u32>(reinterpret_cast<uintptr_t>(number)));
  return nullptr;
}
int main(int count, char** arguments) {
  rounds = count > 1 ? static_cast<u32>(atoi(arguments[1])) : 100;
@BEFORE@@THREADS@  u64 total = 0;
  for (u64 result : results) total = total * 31 + result;
@AFTER@  total = total * 31 + shared_sum;
  total = total * 31 + locked_count;
  total = total * 31 + atomic_sum;
  printf("%016llx\n", static_cast<unsigned long long>(total));
}
"""


THREADS = """  pthread_t threads[kThreads];
  for (uintptr_t self = 1; self < kThreads; ++self) {
    pthread_create(&threads[self], nullptr, start, reinterpret_cast<void*>(self));
  }
  work(0);
  for (u32 self = 1; self < kThreads; ++self) pthread_join(threads[self], nullptr);
"""
LIBRARY_THREADS = """  std::vector<std::thread> threads;
  for (u32 self = 1; self < kThreads; ++self) threads.emplace_back(work, self);
  work(0);
  for (std::thread& thread : threads) thread.join();
"""


def generate(seed):
    rng = random.Random(seed)
    library = rng.random() < 0.33
    functions = []
    for number in range(rng.randint(3, 7)):
        functions.append(Function(rng, f"f{number}", list(functions), library))
    threads = rng.choice([1, 1, 2, 2, 3])
    name, declared, meets, after = rng.choice(MEETINGS)
    if name == "queue" and (threads == 1 or not library):
        name, declared, meets, after = MEETINGS[0]
    before = "  pthread_barrier_init(&all, nullptr, kThreads);\n" if name == "rounds" else ""
    roots = functions[-rng.randint(1, 3):]
    calls = "\n".join(f"      note(state, {root.name}(state, round * {n + 3}u + self));" for n, root in enumerate(roots))
    if library:
        after += "  total = total * 31 + library_sum.load();\n"
    text = "\n\n".join([PROLOGUE + (LIBRARY if library else "") + f"\nconstexpr u32 kThreads = {threads};\n" + declared,
                        *(function.result for function in functions), EPILOGUE])
    for key, value in {"SEED": seed, "MEET": meets, "CALLS": calls, "BEFORE": before, "INCLUDES": INCLUDES if library else "", "THREADS": LIBRARY_THREADS if library else THREADS,
                       "AFTER": after}.items():
        text = text.replace(f"@{key}@", str(value))
    return text


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    print(generate(parser.parse_args().seed), end="")
