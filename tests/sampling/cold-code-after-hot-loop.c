// Code behind a loop that ran hot is as cold as ever: whoever leaves the loop goes on in the copy it came from.

#include "order.h"

enum { kRounds = 100000 };
int own[2][64];
int shared;

static void work(int self) {
  for (int i = 0; i < kRounds; ++i) own[self][i % 64] += i;
}

static void first(void) {
  for (int i = 0; i < kRounds; ++i) own[0][i % 64] ^= i;
  shared = 1;  // RACE: observed shared
  end_turn();
}

static void second(void) {
  await_turn(1);
  work(1);
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 1000; ++j) own[1][j % 64] += own[1][i % 64];
  }
  shared = 2;  // RACE: observed shared
}

int main(void) { run_two(first, second); }
