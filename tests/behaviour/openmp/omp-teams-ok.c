// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

int parts[2], a[16], total;

int main(void) {
#pragma omp teams num_teams(2) thread_limit(2)
  {
    parts[omp_get_team_num()] = 1;
#pragma omp distribute parallel for
    for (int i = 0; i < 16; ++i) a[i] = i;
  }
  total = parts[0] + parts[1] + a[15];
}
