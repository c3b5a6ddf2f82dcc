// if(0), and all tasks in a final one, are part of who creates them.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task if (0)
    x = 1;
    ++x;
#pragma omp task final(1)
    {
#pragma omp task
      y = 1;
      ++y;
    }
  }
}
