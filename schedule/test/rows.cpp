// Two threads go through an array and overlap in a few elements of it: one of them must be let go very often before the
// two stand at the same element.
// RUN: %norn-c++ -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn check --strategy=race-directed --runs=20 -- %t 2>&1 | FileCheck %s
// CHECK: race on row[{{[0-9]+}}] {{.*}}: confirmed in {{[1-9][0-9]*}} of 20 runs

#include <cstdio>
#include <thread>

static int row[2600];

static void fill(int from, int to) {
  for (int i = from; i < to; i++) row[i] = i;
}

int main() {
  std::thread low(fill, 0, 1302), high(fill, 1298, 2600);
  low.join();
  high.join();
  std::printf("%d\n", row[1300]);
}
