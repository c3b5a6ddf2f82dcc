// Tasks have copies of what they capture, in memory that is used for one task after the other.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int results[200];

typedef struct {
  int index;
  int padding[6];
} Work;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 200; ++i) {
    Work work = {i, {0}};
#pragma omp task firstprivate(work)
    {
      work.padding[0] = work.index;
      results[work.index] = work.padding[0];
    }
  }
}
