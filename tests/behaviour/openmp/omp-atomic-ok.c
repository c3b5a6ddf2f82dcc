// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int x, seen, data, ready;
double d;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int before = 0;
#pragma omp atomic
    ++x;
#pragma omp atomic capture
    before = x++;
#pragma omp atomic
    d += before;
#pragma omp atomic write
    seen = before;
#pragma omp atomic read
    before = seen;
  }
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 1;
#pragma omp atomic write release
      ready = 1;
    }
#pragma omp section
    {
      int now = 0;
#pragma omp atomic read acquire
      now = ready;
      if (now) ++data;
    }
  }
}
