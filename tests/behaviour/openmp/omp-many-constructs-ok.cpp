// Many constructs in one region, as programs have them: loops with all schedules around a matrix, reductions, tasks
// that divide their work, callbacks from the C library, containers under a lock.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s --levels=-O0,-O2

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

static long fibonacci(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a) if (n > 6)
  a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 6)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void sort(int* values, long count) {
  if (count < 32) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return;
  }
  const int middle = values[count / 2];
  long i = 0, j = count - 1;
  while (i <= j) {
    while (values[i] < middle) i++;
    while (values[j] > middle) j--;
    if (i <= j) std::swap(values[i++], values[j--]);
  }
#pragma omp task
  sort(values, j + 1);
#pragma omp task
  sort(values + i, count - i);
#pragma omp taskwait
}

int main() {
  constexpr int kSize = 24;
  std::vector<std::vector<double>> now(kSize, std::vector<double>(kSize, 1)), next = now;
  std::vector<int> values(400);
  std::map<std::string, int> words;
  double change = 0, sum = 0;
  int counts[16] = {};
  long number = 0;
  unsigned seed = 1;
  for (int& value : values) value = (int)((seed = seed * 1103515245 + 12345) >> 16 & 0x7fff);

#pragma omp parallel num_threads(3)
  {
    for (int step = 0; step < 3; ++step) {
#pragma omp for schedule(static)
      for (int i = 1; i < kSize - 1; ++i) {
        for (int j = 1; j < kSize - 1; ++j)
          next[i][j] = (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]) / 4;
      }
      double mine = 0;
#pragma omp for schedule(dynamic, 4) nowait
      for (int i = 1; i < kSize - 1; ++i) {
        for (int j = 1; j < kSize - 1; ++j) mine = std::max(mine, std::fabs(now[i][j] - next[i][j]));
      }
#pragma omp critical
      change = std::max(change, mine);
#pragma omp barrier
#pragma omp single
      std::swap(now, next);
    }
#pragma omp single
    number = fibonacci(10);
#pragma omp single nowait
    sort(values.data(), (long)values.size());
#pragma omp for reduction(+ : sum) schedule(guided)
    for (int i = 0; i < 100; ++i) sum += std::sqrt(i);
#pragma omp for reduction(+ : counts[ : 16])
    for (int i = 0; i < 100; ++i) counts[i % 16]++;
#pragma omp for
    for (int i = 0; i < 32; ++i) {
      const std::string word = "a rather long word " + std::to_string(i % 7);
#pragma omp critical(words)
      words[word]++;
    }
#pragma omp sections
    {
#pragma omp section
      std::sort(now[3].begin(), now[3].end());
#pragma omp section
      std::sort(now[4].begin(), now[4].end());
    }
#pragma omp for ordered
    for (int i = 0; i < 8; ++i) {
#pragma omp ordered
      change += i;
    }
#pragma omp taskloop grainsize(10)
    for (int i = 0; i < 40; ++i) {
#pragma omp atomic
      sum += 1;
    }
  }
  return std::is_sorted(values.begin(), values.end()) && number == 55 ? 0 : 1;
}
