// A balance that is read in one region of its lock and written in the next: what another thread does between the two
// is lost.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

static void* deposit(void* amount) {
  long seen;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    seen = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = seen + *(long*)amount;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}
static void* empty(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    balance = 0;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  long amount = 5;
  pthread_create(&threads[0], NULL, deposit, &amount);
  pthread_create(&threads[1], NULL, empty, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("done\n");
  return 0;
}
