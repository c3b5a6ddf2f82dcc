// RUN: %norn-cc -flto -fnorn-whole-program -O1 -DPART -c %s -o %t.part.o
// RUN: %norn-cc -flto -fnorn-whole-program -O1 -c %s -o %t.main.o
// RUN: llvm-dis %t.part.o -o - | not grep __norn
// RUN: %norn-cc -flto -fnorn-whole-program -O1 %t.main.o %t.part.o -o %t && env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -flto -fnorn-whole-program -fnorn-prune=none -O1 %s -DPART -c -o %t.part.o
// RUN: %norn-cc -flto -fnorn-whole-program -fnorn-prune=none -O1 %s -c -o %t.main.o
// RUN: %norn-cc -flto -fnorn-whole-program -O1 %t.part.o %t.main.o -o %t && %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %norn-cc -fnorn-whole-program %s -o %t 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: %norn-cc -flto -O1 -DPART -c %s -o %t.part.o && %norn-cc -flto -fnorn-whole-program -O1 -c %s -o %t.main.o
// RUN: not %norn-cc -flto -fnorn-whole-program -O1 %t.main.o %t.part.o -o %t 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: %norn-cc -flto -fnorn-whole-program -fnorn-prune=escape,constants -O1 %s -DPART -c -o %t.part.o
// RUN: %norn-cc -flto -fnorn-whole-program -fnorn-prune=escape,constants -O1 %s -c -o %t.main.o
// RUN: %norn-cc -flto -fnorn-whole-program -O1 %t.part.o %t.main.o -o %t && %t 2>&1 | FileCheck %s --check-prefix=LATE
// Instrumented at the link: what one file passes to another is known to stay in its thread, and what is written before
// there are threads to be settled then.
// CHECK: module:
// CHECK: global: counter
// CHECK-NOT: to_local
// CHECK-NOT: (limit)
// CHECK: write(counter) 4 bytes < add:
// CHECK-NOT: to_local
// CHECK-NOT: (limit)
// CHECK: gone:
// LATE: write(limit) 4 bytes < set_limit:
// LATE: read(limit) 4 bytes < add:
// NONE: {{(read|write)}}{{.*}} < to_local:
// NEEDS: add -flto
// MIXED: compile all of it the same way
#ifdef PART
extern int counter;
int limit;
__attribute__((noinline)) void set_limit(int n) { limit = n; }
__attribute__((noinline)) void* add(void* nothing) {
  counter += limit;
  return nothing;
}
__attribute__((noinline)) void to_local(int* p) { *p += 1; }
#else
#include <pthread.h>
int counter;
void set_limit(int n);
void* add(void* nothing);
void to_local(int* p);
int main(int count, char** values) {
  (void)values;
  int local = 0;
  to_local(&local);
  set_limit(count);
  pthread_t id;
  pthread_create(&id, 0, add, 0);
  pthread_join(id, 0);
  return local - 1;
}
#endif
