// RUN: %norn-cc -flto -O2 -DPART -c %s -o %t.part.o && %norn-cc -flto -O2 -c %s -o %t.main.o
// RUN: %norn-cc -flto -O2 -fuse-ld=lld %t.main.o %t.part.o -o %t && env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -flto=thin -O2 -DPART -c %s -o %t.part.o && %norn-cc -flto=thin -O2 -c %s -o %t.main.o
// RUN: %norn-cc -flto=thin -O2 -fuse-ld=lld %t.main.o %t.part.o -o %t && env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -flto -O2 -DPART -c %s -o %t.part.o && %norn-cc -flto -O2 -fuse-ld=lld %s %t.part.o -o %t
// RUN: env MODULES=1 %t 2>&1 | FileCheck %s
// RUN: %norn-cc -O2 -x ir %t.part.o -S -emit-llvm -o - | grep -c 'call .*void @__norn_slow_write4' | FileCheck %s --check-prefix=ONCE
// Instrumented when compiled, not again at the link, and registered once.
// CHECK: module:
// CHECK-NOT: module:
// CHECK: write(*p) 4 bytes < add:
// CHECK-NEXT: gone:
// CHECK-NOT: gone:
// ONCE: 1
#ifdef PART
void add(int* p) { *p += 1; }
#else
void add(int* p);
int counter;
int main(void) { add(&counter); }
#endif
