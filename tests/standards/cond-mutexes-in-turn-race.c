// One condition variable, with one mutex while somebody waits for the first step, and with another for the second: a
// condition variable is bound to a mutex only while threads are blocked on it (POSIX.1-2017, XSH pthread_cond_wait).
// The second product is written when the mutex has been given up: the waiter may go on by then, and nothing orders the
// two.
// RUN: %check %s

#include <pthread.h>

pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t step = PTHREAD_COND_INITIALIZER;
int first_done, second_done;
int first_product, second_product;

static void* consumer(void* sum) {
  pthread_mutex_lock(&first_lock);
  while (!first_done) pthread_cond_wait(&step, &first_lock);
  *(int*)sum += first_product;
  pthread_mutex_unlock(&first_lock);
  pthread_mutex_lock(&second_lock);
  while (!second_done) pthread_cond_wait(&step, &second_lock);
  *(int*)sum += second_product;  // RACE: observed second_product
  pthread_mutex_unlock(&second_lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  int sum = 0;
  pthread_create(&thread, NULL, consumer, &sum);
  pthread_mutex_lock(&first_lock);
  first_product = 1;
  first_done = 1;
  pthread_cond_signal(&step);
  pthread_mutex_unlock(&first_lock);
  pthread_mutex_lock(&second_lock);
  second_done = 1;
  pthread_cond_signal(&step);
  pthread_mutex_unlock(&second_lock);
  second_product = 1;  // RACE: observed second_product
  pthread_join(thread, NULL);
  return sum < 1;
}
