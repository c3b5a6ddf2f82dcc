// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x;

int main(void) {
#pragma omp teams num_teams(2) thread_limit(1)
  x = 1;  // RACE: observed x
}
