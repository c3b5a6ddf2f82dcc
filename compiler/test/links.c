// RUN: %norn-cc -O2 -DPART -c %s -o %t.part.o && llvm-ar rcs %t.part.a %t.part.o
// RUN: %norn-cc -O2 %s %t.part.a -o %t && env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -O2 -no-pie %s %t.part.a -o %t && env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -O2 -static %s %t.part.a -o %t && env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -O2 -static-pie %s %t.part.a -o %t && env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -O2 -c %s -o %t.o && %norn-cc -r %t.o %t.part.o -o %t.r.o && %norn-cc %t.r.o -o %t
// RUN: env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -fuse-ld=lld -r %t.o %t.part.o -o %t.r.o && %norn-cc -fuse-ld=lld %t.r.o -o %t
// RUN: env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -O2 -ffunction-sections -fdata-sections -DPART -c %s -o %t.part.o
// RUN: %norn-cc -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections %s %t.part.o -o %t
// RUN: env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -fuse-ld=lld -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections %s %t.part.o -o %t
// RUN: env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: llvm-nm %t | FileCheck %s --check-prefix=DROPPED
// All ways to link. Tables do not keep alive what the linker may drop (lld; GNU ld keeps them, and what they name).
// CHECK: module: {{[3-9]}} sites
// CHECK-DAG: global: counter
// CHECK-DAG: global: total
// CHECK: write(*p) 4 bytes < add:{{[0-9]+}} < main:
// CHECK-NOT: write
// CHECK: write(total) 4 bytes < main:
// CHECK: gone:
// DROPPED-NOT: {{ unused$}}
#ifdef PART
int unused;
int never_called(void) { return unused++; }
int total;
void add(int* p) { *p += 1; }
#else
extern int total;
static int counter __attribute__((used));
void add(int* p);
int main(void) {
  add(&counter);
  total = 1;
  return 0;
}
#endif
