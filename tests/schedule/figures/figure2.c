// Figure 2 of "Race Directed Random Testing of Concurrent Programs" (Sen, PLDI 2008): a race that chance does not meet,
// for its first access comes after many statements and its second at once.
//
// The first argument is the number of statements in f1 to f5 together. With `in-turn` thread2 goes first, so
// that a detector sees the pair.
#include <stdlib.h>
#include <string.h>

#include "../../behaviour/order.h"

enum { kError = 11 };

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statement = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int statements;
static int in_turn;

// A statement at which a thread may lose its turn.
static void f(void) {
  pthread_mutex_lock(&statement);
  pthread_mutex_unlock(&statement);
}

static void thread1(void) {
  if (in_turn) await_turn(1);
  pthread_mutex_lock(&L);
  for (int i = 0; i < statements; ++i) f();  // f1 to f5
  pthread_mutex_unlock(&L);
  if (x == 0)  // 8
    exit(kError);
}

static void thread2(void) {
  x = 1;  // 10
  pthread_mutex_lock(&L);
  f();  // f6
  pthread_mutex_unlock(&L);
  if (in_turn) end_turn();
}

int main(int count, char** arguments) {
  statements = count > 1 ? atoi(arguments[1]) : 5;
  in_turn = count > 2 && strcmp(arguments[2], "in-turn") == 0;
  run_two(thread2, thread1);
}
