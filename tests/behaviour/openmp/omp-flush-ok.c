// The flag is set and read by atomics; the flushes around them publish what came before.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int data, flag;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 1;
#pragma omp flush
#pragma omp atomic write
      flag = 1;
    }
#pragma omp section
    {
      int seen = 0;
#pragma omp atomic read
      seen = flag;
#pragma omp flush
      if (seen) ++data;
    }
  }
}
