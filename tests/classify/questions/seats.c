// Seats are sold by two threads; that there are never fewer than none is what the program says of itself.
#include <norn/check.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct Row {
  struct Row* next;
  char letter;
  short free[4];
  int sold : 6;
};
static struct Row last = {0, 'b', {1, 1, 1, 1}, 0};
static struct Row first = {&last, 'a', {9, 9, 9, 9}, 0};
static struct Row* rows;
static unsigned long long counted = 1ull << 40;
static double share = 0.5;
static volatile int seats = 1;

#ifdef SAYS_SO
NORN_INVARIANT(never_fewer_than_none, seats >= 0);
#endif

static void* sells(void* unused) {
  if (seats > 0) {  // @look
    int now = seats;
    seats = seats - 1;  // @sell
    (void)now;
  }
  return unused;
}

static void* sells_later(void* unused) {
  usleep(20000);
  return sells(unused);
}

int main(void) {
  static int rounds = 3;
  rows = &first;
  pthread_t one, other;
  pthread_create(&one, 0, sells, 0);
  pthread_create(&other, 0, sells_later, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  printf("%s\n", seats > 0 ? "free" : "full");
  return rounds - 3 + (int)(counted >> 50) + (share > 1);
}
