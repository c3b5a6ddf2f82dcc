// A second thread exists; the first takes many locks, each once, and gives them back.
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t end;

static void* wait_for_end(void* unused) {
  pthread_barrier_wait(&end);
  return unused;
}

int main(int count, char** words) {
  int n = count > 1 ? atoi(words[1]) : 1;
  pthread_t thread;
  pthread_barrier_init(&end, 0, 2);
  pthread_create(&thread, 0, wait_for_end, 0);
  pthread_mutex_t* locks = calloc((size_t)n, sizeof(*locks));
  for (int i = 0; i < n; i++) pthread_mutex_init(&locks[i], 0);
  for (int i = 0; i < n; i++) pthread_mutex_lock(&locks[i]);
  for (int i = 0; i < n; i++) pthread_mutex_unlock(&locks[i]);
  pthread_barrier_wait(&end);
  pthread_join(thread, 0);
  free(locks);
}
