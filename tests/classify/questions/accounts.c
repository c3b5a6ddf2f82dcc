// Three locks in one function: one protects the money, one a number that nobody uses, and one nothing.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t of_account = PTHREAD_MUTEX_INITIALIZER, of_statistics = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int account = 10;
static int calls;

static int last[2];

static void withdraw(int amount, int thread) {
  pthread_mutex_lock(&of_statistics);  // @statistics
  ++calls;
  pthread_mutex_unlock(&of_statistics);
  pthread_mutex_lock(&of_account);  // @account
  int enough = account >= amount;
  pthread_mutex_lock(&own[thread]);  // @own
  last[thread] = amount;
  pthread_mutex_unlock(&own[thread]);
  if (enough) account -= amount;
  assert(account >= 0);
  pthread_mutex_unlock(&of_account);
}

static void* one(void* unused) {
  withdraw(7, 0);
  return unused;
}

static void* other(void* unused) {
  withdraw(7, 1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, other, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("left %d\n", account);
}
