// Races in the first module, closes it, and uses the second one, from two threads in turn, in its place.
#include <dlfcn.h>

#include "order.h"

void (*write_one)(void);
void (*write_two)(void);

static void* load(const char* path) {
  void* module = dlopen(path, RTLD_NOW);
  write_one = (void (*)(void))dlsym(module, "write_one");
  write_two = (void (*)(void))dlsym(module, "write_two");
  return module;
}

static void first(void) {
  write_one();
  end_turn();
}

static void second(void) {
  await_turn(1);
  write_two();
}

static void* calls(void* function) {
  ((void (*)(void))function)();
  end_turn();
  return NULL;
}

int main(int count, char** arguments) {
  if (count < 3) return 1;
  void* module = load(arguments[1]);
  run_two(first, second);
  dlclose(module);
  pthread_t thread;
  load(arguments[2]);
  pthread_create(&thread, NULL, calls, (void*)write_one);
  pthread_join(thread, NULL);
  write_two();
}
