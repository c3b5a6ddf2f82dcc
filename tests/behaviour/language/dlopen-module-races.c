// Two functions of a module opened at run time race.
// MODULE: ../Inputs/module.c
// RUN: %check %s

#include <dlfcn.h>

#include "order.h"

void (*write_one)(void);
void (*write_two)(void);

static void first(void) {
  write_one();  // RACE: observed module_count
  end_turn();
}

static void second(void) {
  await_turn(1);
  write_two();  // RACE: observed module_count
}

int main(int count, char** arguments) {
  void* module = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  if (!module) return 1;
  write_one = (void (*)(void))dlsym(module, "write_one");
  write_two = (void (*)(void))dlsym(module, "write_two");
  run_two(first, second);
}
