// The loader gives memory back under a lock of its own: nobody may be stopped there, or the next one to create a thread
// or to close a module waits for what cannot go on.
// RUN: %norn-cc -fPIC -shared -DMODULE %s -o %t.so && %norn-cc %s -o %t
// RUN: %norn confirm --explore --runs=20 --timeout=30 -- %t %t.so | FileCheck %s
// CHECK: nothing seen in 20 runs
// CHECK-NOT: its turn was taken away

#ifdef MODULE
void say(void) {}
#else
#include <dlfcn.h>
#include <pthread.h>

static void* uses(void* path) {
  void* module = dlopen(path, RTLD_NOW);
  ((void (*)(void))dlsym(module, "say"))();
  dlclose(module);
  return 0;
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, uses, arguments[1]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
#endif
