// RUN: %norn-c++ -fnorn-as-tsan -std=c++17 -O2 -x c++-header %inputs/precompiled.h -o %t.pch
// RUN: %norn-c++ -fnorn-as-tsan -std=c++17 -O2 -include-pch %t.pch %s -o %t && %t 2>&1 | FileCheck %s
// RUN: %norn-c++ -std=c++17 -x c++-header %inputs/precompiled.h -o %t.pch
// RUN: %norn-c++ -std=c++17 -include-pch %t.pch %s -o %t && %t 2>&1 | FileCheck %s
// What a precompiled header exempts stays exempt.
int main() {
  exempt();
  // CHECK: write(x) 4 bytes < main:[[#@LINE+2]]
  // CHECK-NOT: write
  x = 2;
}
