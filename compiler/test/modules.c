// RUN: %norn-cc -O1 -fPIC -shared -Wl,--no-undefined -DLIBRARY %s -o %t.so
// RUN: %norn-cc -O1 %s -o %t && env MODULES=1 QUIET=1 %t %t.so 2>&1 | FileCheck %s
// RUN: %norn-cc -fuse-ld=lld -O1 -fPIC -shared -Wl,-z,defs -DLIBRARY %s -o %t.so
// RUN: %norn-cc -fuse-ld=lld -O1 %s -o %t && env MODULES=1 QUIET=1 %t %t.so 2>&1 | FileCheck %s
// Each linked module registers its own tables, when it comes and when it goes.
#ifdef LIBRARY
struct Account { int id; long history[8]; struct { char name[4]; } owner; } account;
_Thread_local int calls;
int touch(void) { return ++account.id + ++calls; }
#else
#include <dlfcn.h>
#include <stdio.h>
int in_program;
int main(int count, char** values) {
  (void)count;
  in_program++;
  void* library = dlopen(values[1], RTLD_NOW);
  if (library == NULL) return puts(dlerror());
  int (*touch)(void) = (int (*)(void))dlsym(library, "touch");
  fprintf(stderr, "touched %d\n", touch());
  dlclose(library);
  fprintf(stderr, "closed\n");
}
// CHECK: module: {{[1-9][0-9]*}} sites, 1 globals
// CHECK: global: in_program at {{.*}}modules.c:{{[0-9]+}}, 4 bytes
// CHECK: module: 4 sites, 2 globals
// CHECK-DAG: global: account at {{.*}}modules.c:7, 80 bytes; .id 0+4/4x1; .history[] 8+8/8x8; .owner.name[] 72+1/1x4
// CHECK-DAG: global: calls at {{.*}}modules.c:8, 4 bytes, thread local
// CHECK: touched 2
// CHECK: gone: 4 sites
// CHECK: closed
// CHECK: gone: {{[1-9][0-9]*}} sites
#endif
