// Thread-local storage of a module that was opened, given back by one thread and got by the next, is not shared.
// NORACE
// MODULE: ../Inputs/tls-module.c
// RUN: %check %s

#include <dlfcn.h>

#include "order.h"

void (*use_own)(void);

static void* uses(void* unused) {
  use_own();
  end_turn();
  return unused;
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  void* module = dlopen(arguments[1], RTLD_NOW);
  use_own = (void (*)(void))dlsym(module, "use_own");
  // In turn, and four at a time.
  for (int i = 0; i < 64; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, uses, NULL);
    pthread_detach(thread);
    if (i < 32 || i % 4 == 3) await_turn(i + 1);
  }
}
