// Thread-local storage of a module is memory like any other: another thread that has its address races.
// MODULE: ../Inputs/tls-module.c
// RUN: %check %s

#include <dlfcn.h>

#include "order.h"

int* (*own_address)(void);
int* address;

static void gives(void) {
  int* own = own_address();
  __atomic_store_n(&address, own, __ATOMIC_RELEASE);
  own[3] = 1;  // RACE: observed <element>
  end_turn();
  await_turn(2);
}

static void uses(void) {
  await_turn(1);
  __atomic_load_n(&address, __ATOMIC_ACQUIRE)[3] = 2;  // RACE: observed <element>
  end_turn();
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  own_address = (int* (*)(void))dlsym(dlopen(arguments[1], RTLD_NOW), "own_address");
  run_two(gives, uses);
}
