// RUN: %norn-c++ -O0 %s -o %t && %t 2>&1 | FileCheck %s
// RUN: %norn-c++ -O2 %s -o %t && %t 2>&1 | FileCheck %s
// After an exception, a longjmp or many callbacks from foreign code the call stack is what it should be.
#include <setjmp.h>
#include <stdlib.h>

int before, caught, after, jumped, sorted;
jmp_buf buffer;
struct Guard {
  ~Guard() { after++; }
};
__attribute__((noinline)) void deep(int n) {
  if (n == 0) throw 1;
  Guard guard;
  deep(n - 1);
}
__attribute__((noinline)) void jump(int n) {
  if (n == 0) longjmp(buffer, 1);
  jump(n - 1);
  after++;
}
__attribute__((noinline)) static bool less(int a, int b) { return a < b; }
int compare(const void* a, const void* b) { return less(*(const int*)a, *(const int*)b) ? -1 : 1; }

int main() {
  // CHECK: write(before) 4 bytes < main:[[#@LINE+1]]{{$}}
  before = 1;
  try {
    // CHECK: write(after) 4 bytes < Guard::~Guard():10{{.*}} < deep(int):{{[0-9]+}} < deep(int):15 < main:[[#@LINE+2]]{{$}}
    // CHECK: write(after) 4 bytes < Guard::~Guard():10{{.*}} < deep(int):{{[0-9]+}} < main:[[#@LINE+1]]{{$}}
    deep(2);
  } catch (int) {
    // CHECK: write(caught) 4 bytes < main:[[#@LINE+1]]{{$}}
    caught = 1;
  }
  if (setjmp(buffer) == 0) jump(5);
  // CHECK: write(jumped) 4 bytes < main:[[#@LINE+1]]{{$}}
  jumped = 1;
  static int numbers[64];
  qsort(numbers, 64, sizeof(int), compare);
  // CHECK: write(sorted) 4 bytes < main:[[#@LINE+1]]{{$}}
  sorted = 1;
}
