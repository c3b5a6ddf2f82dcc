// Figure 1 of "Race Directed Random Testing of Concurrent Programs" (Sen, PLDI 2008): the pair on z races, and half of
// its resolutions reach ERROR1; the pair on x is ordered by y, though no lock says so.
//
// `figure1 in-turn` lets thread1 go first, so that a detector sees both pairs. The line numbers are the figure's.
#include <stdlib.h>
#include <string.h>

#include "../../behaviour/order.h"

enum { kError1 = 11, kError2 = 12 };

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;
static int in_turn;

static void thread1(void) {
  x = 1;  // 1
  pthread_mutex_lock(&L);
  y = 1;  // 3
  pthread_mutex_unlock(&L);
  if (z == 1)  // 5
    exit(kError1);
  if (in_turn) end_turn();
}

static void thread2(void) {
  if (in_turn) await_turn(1);
  z = 1;  // 7
  pthread_mutex_lock(&L);
  if (y == 1) {  // 9
    if (x != 1)  // 10
      exit(kError2);
  }
  pthread_mutex_unlock(&L);
}

int main(int count, char** arguments) {
  in_turn = count > 1 && strcmp(arguments[1], "in-turn") == 0;
  run_two(thread1, thread2);
}
