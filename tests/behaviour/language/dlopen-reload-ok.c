// A module is used by one thread, closed, opened again, perhaps at the same address, and used by another.
// NORACE
// MODULE: ../Inputs/module.c
// RUN: %check %s

#include <dlfcn.h>

#include "order.h"

const char* path;

static void uses(const char* name) {
  void* module = dlopen(path, RTLD_NOW);
  ((void (*)(void))dlsym(module, name))();
  dlclose(module);
}

static void first(void) {
  uses("write_one");
  end_turn();
}

static void second(void) {
  await_turn(1);
  uses("write_two");
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  path = arguments[1];
  run_two(first, second);
}
