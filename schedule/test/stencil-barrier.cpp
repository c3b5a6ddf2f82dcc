// Each thread writes one row of the next, in every phase between two barriers. A barrier of std lets the others sleep in
// the kernel; the two must be brought to the same element nevertheless.
// RUN: %norn-c++ -O1 -DBUG %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn check --strategy=race-directed --runs=20 -- %t 2>&1 | FileCheck %s
// CHECK: race on next[] {{.*}}: confirmed in {{[1-9][0-9]*}} of 20 runs
// RUN: %norn-c++ -O1 %s -o %t.right && %norn check --strategy=race-directed --runs=20 -- %t.right

#include <barrier>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kSide = 32, kThreads = 3, kSteps = 6;
static std::vector<double> now(kSide * kSide, 1.0), next(kSide * kSide, 0.0);
static double residual[kThreads];

int main() {
  double total = 0;
  auto completed = [&]() noexcept {
    total = 0;
    for (double part : residual) total += part;
    std::swap(now, next);
  };
  std::barrier barrier(kThreads, completed);
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      int from = 1 + t * (kSide - 2) / kThreads, to = 1 + (t + 1) * (kSide - 2) / kThreads;
#ifdef BUG
      if (to < kSide - 1) to++;
#endif
      for (int step = 0; step < kSteps; step++) {
        double sum = 0;
        for (int i = from * kSide; i < to * kSide; i += kSide) {
          for (int j = i + 1; j < i + kSide - 1; j++) {
            next[j] = 0.25 * (now[j - kSide] + now[j + kSide] + now[j - 1] + now[j + 1]);
            sum += std::fabs(next[j] - now[j]);
          }
        }
        residual[t] = sum;
        barrier.arrive_and_wait();
      }
    });
  }
  threads.clear();
  std::printf("%d\n", total >= 0);
}
