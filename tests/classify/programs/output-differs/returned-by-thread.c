// What a thread returns depends on the order, and main prints it.
#include "threads.h"

static volatile long ticket = 5;

static void* renews(void* unused) {
  // RACE renew take: output-differs output: taken first, it is the old one
  ticket = 6;  // @renew
  return unused;
}

static void* takes(void* unused) {
  (void)unused;
  later();
  return (void*)ticket;  // @take
}

int main(void) {
  pthread_t one, other;
  void* result = 0;
  pthread_create(&one, 0, renews, 0);
  pthread_create(&other, 0, takes, 0);
  pthread_join(one, 0);
  pthread_join(other, &result);
  printf("%ld\n", (long)result);
}
