// A thread spins on a flag without yielding: an atomic one, then a plain one. `spins atomic` and `spins plain`.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static atomic_int flag;
static volatile int plain_flag;
static int is_plain;

static void* wait_for_flag(void* unused) {
  if (is_plain) {
    while (!plain_flag) {
    }
  } else {
    while (!atomic_load(&flag)) {
    }
  }
  return unused;
}

static void* set_flag(void* unused) {
  if (is_plain) {
    plain_flag = 1;
  } else {
    atomic_store(&flag, 1);
  }
  return unused;
}

int main(int count, char** arguments) {
  is_plain = count > 1 && strcmp(arguments[1], "plain") == 0;
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, wait_for_flag, NULL);
  pthread_create(&threads[1], NULL, set_flag, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}
