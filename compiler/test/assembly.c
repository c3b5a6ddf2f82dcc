// RUN: %norn-cc -O1 -S -emit-llvm %s -o %t.ll && %sites %t.ll | FileCheck %s
// Operands in memory are emitted; of assembly that synchronizes as atomics.
int counter, limit, lock;
// CHECK: [[#@LINE+2]] range-read 4 limit in plain
// CHECK: [[#@LINE+1]] range-write 4 counter in plain
void plain(void) { __asm__("incl %0; cmpl $1, %1" : "+m"(counter) : "m"(limit)); }
// CHECK: atomic-rmw 4 lock in atomic
void atomic(void) { __asm__("lock; incl %0" : "+m"(lock)); }
