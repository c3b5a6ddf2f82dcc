// A balance is read and written under the same lock, but in two regions: a deposit in between is lost.
// BUG: kind=atomicity-rww preemptions=1 threads=2 shows=status finding=atomicity:balance
// FOUND-BY: random race-directed pct pos
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static int read_balance(void) {
  pthread_mutex_lock(&mutex);
  int now = balance;
  pthread_mutex_unlock(&mutex);
  return now;
}

static void write_balance(int amount) {
  pthread_mutex_lock(&mutex);
  balance = amount;
  pthread_mutex_unlock(&mutex);
}

static void* deposit(void* self) {
  if (self != NULL) step(1);
  int now = read_balance();
  if (self == NULL) step(0), step(3);
  write_balance(now + 10);
  if (self != NULL) step(2);
  return NULL;
}

int main(void) {
  RUN(deposit, deposit);
  return balance == 20 ? 0 : 3;
}
