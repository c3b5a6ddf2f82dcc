// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[64], sum;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < 64; ++i) a[i] = i;
    for (int i = 0; i < 64; ++i) sum += a[i];
#pragma omp taskloop num_tasks(8) firstprivate(sum)
    for (int i = 0; i < 64; ++i) a[i] += sum;
  }
}
