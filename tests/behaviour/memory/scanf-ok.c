// What sscanf does not write is not accessed.
// NORACE
// RUN: %check %s

#include <stdio.h>

#include "order.h"

struct Pair {
  short first;
  short second;
};
struct Pair pair;
int not_reached;
char word[8];

static void scans(void) {
  if (sscanf("12 abc x", "%hd %3s %d", &pair.first, word, &not_reached) != 2) abort();
  end_turn();
}

static void uses(void) {
  await_turn(1);
  pair.second = 1;
  not_reached = 1;
  word[4] = 'x';
}

int main(void) { run_two(scans, uses); }
