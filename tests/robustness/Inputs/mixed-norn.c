// Compiled by norn.
#include <pthread.h>

void add_gcc(int amount);
void call_back(void (*function)(int), int rounds);

static int calls;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void through_norn(int amount) {
  pthread_mutex_lock(&mutex);
  ++calls;
  pthread_mutex_unlock(&mutex), add_gcc(amount);
  __asm__ volatile("" : : : "memory");  // no tail call
}

static void* work(void* argument) {
  call_back(through_norn, 3);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
