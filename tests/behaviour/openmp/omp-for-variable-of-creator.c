// The variable lies on the stack of the thread that encountered the region, and of the team's first member.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

static void add(int* to, int value) {
  *to += value;  // RACE: observed <sum>
}

int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(1) shared(sum)
  for (int i = 0; i < 8; ++i) add(&sum, i);
}
