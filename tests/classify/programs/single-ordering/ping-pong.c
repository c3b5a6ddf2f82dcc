// Two threads take turns at a table by a variable that says whose turn it is.
#include "threads.h"

static volatile int turn;
static int table;

static void* ping(void* unused) {
  // RACE ping pong: single-ordering: the turn stands between the two
  table = table + 1;  // @ping
  // RACE give await: single-ordering: the loop waits for this very write
  turn = 1;                         // @give
  while (turn != 2) sched_yield();  // @awaitback
  // RACE pong again: single-ordering: the turn stands between the two
  table = table * 10;  // @again
  return unused;
}

static void* pong(void* unused) {
  while (turn != 1) sched_yield();  // @await
  table = table + 2;                // @pong
  // RACE back awaitback: single-ordering: the loop waits for this very write
  // RACE back give: single-ordering: it is written behind the loop that waits for the other write
  turn = 2;  // @back
  return unused;
}

int main(void) {
  run_both(ping, pong);
  printf("%d\n", table);
}
