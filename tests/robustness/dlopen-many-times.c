// A module opened, used and closed many times.
// NORACE
// MODULE: Inputs/module.c
// STDOUT: 200 times
// RUN: %check %s

#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  if (count < 2) return 1;
  int times = 0;
  for (int i = 0; i < 200; i++) {
    void* module = dlopen(arguments[1], RTLD_NOW);
    if (!module) break;
    ((void (*)(void))dlsym(module, "write_one"))();
    times += dlclose(module) == 0;
  }
  printf("%d times\n", times);
}
