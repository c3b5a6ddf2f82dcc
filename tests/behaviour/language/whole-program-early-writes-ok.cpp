// What is written while there is one thread, by main, constructors and what they call, and read by many later.
// RUN: %check %s --levels=-O0+-flto+-fnorn-whole-program,-O1+-flto+-fnorn-whole-program,-O2+-flto+-fnorn-whole-program
// ENGINES: hb hybrid
// NORACE

#include <stdio.h>
#include <string.h>

#include <thread>

#include "order.h"

namespace {

constexpr int kSize = 256;

struct Table {
  __attribute__((noinline)) explicit Table(unsigned seed) {
    for (unsigned& cell : cells) cell = seed = seed * 1664525 + 1013904223;
  }
  unsigned cells[kSize];
};

Table by_constructor(7);
unsigned by_main[kSize];
unsigned copied[kSize];
char line[64];
int limit;
int* pointer;

__attribute__((noinline)) void fill(unsigned* to, int count) {
  for (int i = 0; i < count; ++i) to[i] = by_constructor.cells[i] ^ 5;
}

unsigned sum(unsigned from) {
  for (int i = 0; i < limit; ++i) from += by_constructor.cells[i] + by_main[i] + copied[i] + line[i & 63];
  return from + *pointer;
}

}  // namespace

int main(int argc, char**) {
  limit = kSize * argc;
  pointer = &limit;
  fill(by_main, limit);
  memcpy(copied, by_main, sizeof copied);
  snprintf(line, sizeof line, "%d lines", limit);
  unsigned sums[2] = {};
  std::thread first([&] { sums[0] = sum(1); });
  std::thread second([&] { sums[1] = sum(1); });
  first.join();
  second.join();
  return sums[0] != sums[1];
}
