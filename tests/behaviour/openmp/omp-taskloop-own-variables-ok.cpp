// What is a task's own is not shared by its iterations: private variables, copies of objects, memory that they got,
// what belongs to the number of its thread; and what a task does after its loop comes after its iterations.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>
#include <stdlib.h>

#include <vector>

static int counter;
#pragma omp threadprivate(counter)
int partial[4], last, sum, results[64];
struct Pair {
  int first, second;
};

static void add(int& to, int value) { to += value; }

int main() {
  int from = 1, scratch = 0;
  Pair pair = {1, 2};
  int row[4] = {};
  std::vector<int> copied(4);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop num_tasks(3) firstprivate(from, pair, row) private(scratch) lastprivate(last)
    for (int i = 0; i < 64; ++i) {
      int local[2] = {i, i};
      add(local[1], local[0]);
      add(from, i);
      add(pair.second, from);
      add(row[i % 4], i);
      scratch = i;
      add(scratch, local[1]);
      last = scratch;
      results[i] = scratch;
    }
    add(last, 1);
#pragma omp taskloop num_tasks(3) firstprivate(copied)
    for (int i = 0; i < 64; ++i) {
      add(copied[0], i);
      copied.push_back(i);
    }
#pragma omp taskloop num_tasks(3) firstprivate(from)
    for (int i = 0; i < 64; ++i) {
      int* block = static_cast<int*>(malloc(sizeof(int)));
      *block = i;
      add(from, *block);
      free(block);
      partial[omp_get_thread_num()] += i;
      counter += i;
    }
#pragma omp taskloop num_tasks(3) reduction(+ : sum)
    for (int i = 0; i < 64; ++i) sum += i;
#pragma omp taskloop num_tasks(3)
    for (int i = 0; i < 64; ++i) {
      int local = i;
#pragma omp task shared(local)
      add(local, 1);
#pragma omp taskwait
#pragma omp task shared(local) if (0)
      add(local, 1);
      results[i] += local;
    }
  }
}
