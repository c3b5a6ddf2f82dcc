// After ocean (Portend, §6.3.5: the one race that Portend misjudged): the error of a relaxation is overwritten without
// a lock; whether that can be seen depends on the input. With a tolerance that both errors are below, nothing is
// printed of it; with a tolerance between the two, the output differs.
// ARGS: 100
// OTHER-ARGS: 4
#include "threads.h"

static volatile double error;
static volatile int relaxed;
static double grid;

static void* one(void* unused) {
  // RACE mine yours: output-differs output states=differ other-input: with a tolerance of 4 the last writer decides
  error = 3;  // @mine
  // RACE grid gridded: single-ordering: the loop before the read waits for the flag that follows this write
  grid = 8;  // @grid
  // RACE relax wait: single-ordering: the loop waits for this very write
  relaxed = 1;  // @relax
  return unused;
}

static void* other(void* unused) {
  error = 5;                       // @yours
  while (!relaxed) sched_yield();  // @wait
  grid = grid / 2;                 // @gridded
  return unused;
}

int main(int argc, char** argv) {
  run_both(one, other);
  double tolerance = argc > 1 ? atof(argv[1]) : 100;
  printf("grid %g %s\n", grid, error < tolerance ? "converged" : "goes on");
}
