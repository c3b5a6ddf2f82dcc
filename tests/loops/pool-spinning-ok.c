// Home-made thread pool: workers spin on their own mailbox; who gave the work spins until it is done.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { N = 2 };

typedef struct {
  volatile int command;  // 0: nothing, 1: work, 2: end
  int input, output;
} Mailbox;

Mailbox boxes[N];
int sum;

static void worker(Mailbox* box) {
  for (;;) {
    while (box->command == 0) {
    }
    if (box->command == 2) return;
    compiler_barrier();
    box->output = box->input * 2;
    compiler_barrier();
    box->command = 0;
  }
}

static void first(void) { worker(&boxes[0]); }
static void second(void) { worker(&boxes[1]); }

static void gives(void) {
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < N; ++i) {
      boxes[i].input = round;
      compiler_barrier();
      boxes[i].command = 1;
    }
    for (int i = 0; i < N; ++i) {
      while (boxes[i].command != 0) {
      }
      compiler_barrier();
      sum += boxes[i].output;
    }
  }
  for (int i = 0; i < N; ++i) boxes[i].command = 2;
}

int main(void) {
  const Body bodies[] = {first, second, gives};
  run_many(bodies, 3);
  return sum - 24;
}
