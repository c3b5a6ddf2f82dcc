// What is a thread's own is not shared by its iterations: variables of the region, memory it got there, thread-local
// variables, elements that belong to its number.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>
#include <stdlib.h>

#include <vector>

thread_local std::vector<int> scratch;
static int counter;
#pragma omp threadprivate(counter)
int partial[4], total;
std::vector<int> all;

static void add(int& to, int value) { to += value; }

int main() {
  scratch.resize(8);
#pragma omp parallel num_threads(2)
  {
    int sum = 0;
    std::vector<int> mine;
    int* buffer = static_cast<int*>(malloc(16 * sizeof(int)));
    const int me = omp_get_thread_num();
#pragma omp for nowait
    for (int i = 0; i < 64; ++i) {
      add(sum, i);
      mine.push_back(i);
      buffer[i % 2] = i;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 64; ++i) {
      add(sum, i);
      mine.push_back(i);
      buffer[i % 2] += i;
      partial[me] += i;
    }
#pragma omp critical
    {
      total += sum;
      all.insert(all.end(), mine.begin(), mine.end());
    }
    free(buffer);
  }
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; ++i) {
    if (scratch.empty()) scratch.resize(8);
    scratch[i % 2] += i;
    counter += i;
  }
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; ++i) partial[omp_get_thread_num()] += i;
}
